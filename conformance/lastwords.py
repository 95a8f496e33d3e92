"""What a process says when it ends in the middle of a case: which signal, where, or that its time was up.

Written by faulthandler, which needs neither the interpreter's lock nor a heap in order: it is heard when a native
library loops or has overwritten memory, where a thread or a signal handler in Python is not.
"""

from __future__ import annotations

import faulthandler
import re
from dataclasses import dataclass
from pathlib import Path, PurePath

FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<function>\S+)')


class Recorder:
    """Of one process. Its file stays empty unless the process ends in the middle of a case."""

    def __init__(self, directory: Path, process: str, seconds: float) -> None:
        self.seconds = seconds
        self._file = (directory / process).open("w", encoding="utf-8")
        faulthandler.enable(self._file)

    def start(self) -> None:
        """A case begins: it has `seconds`, then the process is ended."""
        faulthandler.dump_traceback_later(self.seconds, exit=True, file=self._file)

    def stop(self) -> None:
        faulthandler.cancel_dump_traceback_later()


@dataclass(frozen=True)
class LastWords:
    timed_out: bool
    text: str


def last_words(directory: Path | None, process: str) -> LastWords:
    """What the process left behind, in one line."""
    path = directory / process if directory else None
    text = path.read_text(encoding="utf-8", errors="replace") if path and path.is_file() else ""
    if not text.strip():
        return LastWords(False, "the process ended, without a signal that it could report")
    first = text.partition("\n")[0]
    timed_out = first.startswith("Timeout (")
    what = f"no end after {first[9:-2]}" if timed_out else first.removeprefix("Fatal Python error: ")
    place = _place(text, timed_out)
    return LastWords(timed_out, f"{what}, {place}" if place else what)


def _place(text: str, timed_out: bool) -> str:
    """The innermost frame: of the thread that failed or, when time was up, of the main thread, which comes last."""
    threads = re.split(r"^(?=Current thread |Thread )", text, flags=re.MULTILINE)
    failed = [thread for thread in threads if thread.startswith("Current thread ")]
    frame = FRAME.search(threads[-1] if timed_out or not failed else failed[0])
    return f"in {frame['function']} ({PurePath(frame['file']).name}:{frame['line']})" if frame else ""
