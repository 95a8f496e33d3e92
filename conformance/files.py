"""Files that others read while we write."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, text: str | Iterable[str]) -> None:
    """Replace a file as a whole: a reader, or a machine that stops, never sees half of it. `text` may come in parts.
    A link stays, and the file that it leads to is replaced. OSError, also for what is there and is no file, as a device."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is not a file", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.writelines([text] if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
