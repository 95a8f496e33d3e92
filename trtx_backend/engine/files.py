"""Files that hold code: they are read only from where nobody else can write, and written whole or not at all.

A file is written under another name, flushed to the disk and renamed. Whoever is killed, or finds the disk full, leaves
the file that was there, and perhaps a remainder, which the next writer clears away.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import platformdirs

REMAINDER = ".rustnn-part"
"""Suffix of a file that is being written."""
STALE = 3600.0
"""Seconds after which a remainder's writer is taken for dead."""


class Unsafe(OSError):
    """Somebody else could have written this file."""


def cache_home() -> Path:
    """The user's directory for caches: $XDG_CACHE_HOME or ~/.cache, ~/Library/Caches, %LOCALAPPDATA%."""
    return platformdirs.user_cache_path()


def private_directory(base: Path, *names: str) -> Path:
    """The directory `base`/`names`…, made if it is not there. What is made is for this user alone. OSError if it cannot be
    made; Unsafe if another user owns or may write one of `names`, or one of them is a link."""
    for path in (*reversed(base.parents), base):
        if not path.is_dir():
            with contextlib.suppress(FileExistsError):
                path.mkdir(mode=0o700)
    path = base
    for name in names:
        path = path / name
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
        check_safe(path, path.lstat(), stat.S_ISDIR)
    return path


def check_safe(path: Path, status: os.stat_result, kind: Callable[[int], bool] = stat.S_ISREG) -> None:
    """Unsafe unless this is what `kind` tells, of this user, and nobody else may write it. Windows: the kind alone, where
    the directory's access list, inherited from the user's, does the rest."""
    if not kind(status.st_mode):
        raise Unsafe(f"{path} is not a {'directory' if kind is stat.S_ISDIR else 'plain file'}")
    if os.name == "nt":
        return
    if status.st_uid != os.geteuid():
        raise Unsafe(f"{path} belongs to another user")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Unsafe(f"{path} is writable by others")


def read_safely(path: Path, length: int | None = None, touch: bool = False) -> bytes:
    """The bytes of a file, or the first `length`. `touch` makes it the one used last. FileNotFoundError, Unsafe, OSError."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        check_safe(path, status)
        data = file.readall() if length is None else file.read(length)
        if touch:
            with contextlib.suppress(OSError):
                os.utime(file.fileno() if os.utime in os.supports_fd else path)
    return data


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file, or leave what was there. OSError says why it could not be written."""
    part = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(8)}{REMAINDER}")
    try:
        with open(
            os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), "wb"
        ) as file:
            for data in parts:
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    _flush_directory(path.parent)


def clear_remainders(directory: Path, age: float = STALE) -> None:
    """Remove what writers left that were killed more than `age` seconds ago."""
    for path in directory.glob(f".*{REMAINDER}"):
        with contextlib.suppress(OSError):
            status = path.lstat()
            check_safe(path, status)
            if time.time() - status.st_mtime > age:
                path.unlink()


def _flush_directory(directory: Path) -> None:
    """Make a rename last. Not every system can open a directory."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
