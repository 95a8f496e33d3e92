"""What a process says when it ends in the middle of a case: which signal, where, or that its time was up; and the end of
what it wrote to stderr.

Written by faulthandler, which needs neither the interpreter's lock nor a heap in order: it is heard when a native
library loops or has overwritten memory, where a thread or a signal handler in Python is not.
"""

from __future__ import annotations

import faulthandler
import os
import re
import signal
import sys
from dataclasses import dataclass
from pathlib import Path, PurePath

FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<function>\S+)')

ERR, PLACE = ".stderr", ".place"
"""Behind a process's name: files with what it wrote to stderr during the case, and with the case and what became of it."""

TAIL_LINES, TAIL_BYTES = 8, 2000

ALARM = hasattr(signal, "SIGALRM")

RUNNING, DONE, LEAVING = "running", "done", "leaving"


class Recorder:
    """Of one process, for one case at a time. Its files say nothing unless the process ends in the middle of a case."""

    def __init__(self, directory: Path, process: str, seconds: float) -> None:
        directory.mkdir(parents=True, exist_ok=True)  # on another machine it is not there
        self.seconds = seconds
        self._file = (directory / process).open("w", encoding="utf-8")
        self._place = os.open(directory / f"{process}{PLACE}", os.O_CREAT | os.O_RDWR | os.O_TRUNC)
        self._err = os.open(directory / f"{process}{ERR}", os.O_CREAT | os.O_RDWR | os.O_TRUNC | os.O_APPEND)
        self._text = os.fdopen(self._err, "w", encoding="utf-8", errors="backslashreplace", buffering=1)
        self._case = ""
        faulthandler.enable(self._file)
        if ALARM:
            # Says where, then does what the signal does by default, which is to end the process: without the thread that
            # dump_traceback_later starts and joins, which takes longer than most cases.
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            faulthandler.register(signal.SIGALRM, self._file, chain=True)

    def start(self, case: str) -> None:
        """A case begins: it has `seconds`, then the process is ended."""
        self._case = case
        self.say(RUNNING)
        os.ftruncate(self._err, 0)
        self._own_err, self._own_stderr = os.dup(2), sys.stderr
        os.dup2(self._err, 2)
        sys.stderr = self._text
        if ALARM:
            signal.setitimer(signal.ITIMER_REAL, self.seconds)
        else:
            faulthandler.dump_traceback_later(self.seconds, exit=True, file=self._file)

    def stop(self) -> None:
        """It has an outcome. What it wrote to stderr goes where it would have gone."""
        if ALARM:
            signal.setitimer(signal.ITIMER_REAL, 0)
        else:
            faulthandler.cancel_dump_traceback_later()
        self._text.flush()
        os.dup2(self._own_err, 2)
        os.close(self._own_err)
        sys.stderr = self._own_stderr
        self.say(DONE)
        written = os.pread(self._err, TAIL_BYTES * 100, 0)
        if written:
            sys.stderr.write(written.decode("utf-8", "backslashreplace"))

    def say(self, what: str) -> None:
        """What this process does with the case: RUNNING, DONE, or LEAVING, which is to end on purpose behind it."""
        os.ftruncate(self._place, 0)
        os.pwrite(self._place, f"{what} {self.seconds:g} {self._case}".encode("utf-8", "backslashreplace"), 0)


@dataclass(frozen=True)
class LastWords:
    """`text` is a line; `tail` the end of stderr, `case` and `what` the case that the process had last, and RUNNING, DONE
    or LEAVING; empty where it had none."""

    timed_out: bool
    text: str
    tail: str = ""
    case: str = ""
    what: str = ""

    def message(self, case: str, target: str, repeat: str) -> str:
        """What a case whose process ended says."""
        status = "TIMEOUT" if self.timed_out else "CRASH"
        tail = "".join(f"\n  {line}" for line in self.tail.splitlines())
        return f"{case} / {target}: {status}: {self.text}" + (f"\nstderr ends:{tail}" if tail else "") + f"\n{repeat}"


def last_words(directory: Path | None, process: str, status: int | None = None) -> LastWords:
    """What the process left behind. `status`: its exit status, negative for a signal, where that is known."""
    if directory is None:
        return LastWords(False, _unsaid(status))
    what, seconds, case = (*_read(directory / f"{process}{PLACE}").split(" ", 2), "", "", "")[:3]
    tail = _tail(_read(directory / f"{process}{ERR}"))
    text = _read(directory / process)
    if not text.strip():
        return LastWords(False, _unsaid(status), tail, case, what)
    first = text.partition("\n")[0]
    timed_out = not first.startswith("Fatal Python error: ")
    said = f"no end after {seconds} s" if timed_out else first.removeprefix("Fatal Python error: ")
    place = _place(text, timed_out)
    return LastWords(timed_out, f"{said}, {place}" if place else said, tail, case, what)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _tail(text: str) -> str:
    lines = [line.rstrip() for line in text[-TAIL_BYTES:].splitlines() if line.strip()]
    return "\n".join(lines[-TAIL_LINES:])


def _unsaid(status: int | None) -> str:
    """Of an end that faulthandler has no word on."""
    if status is None:
        return "the process ended, without a signal that it could report"
    if status >= 0:
        return f"the process ended with exit status {status}"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    return f"{name}: someone ended the process" + (" (the system, if memory was short)" if name == "SIGKILL" else "")


def _place(text: str, timed_out: bool) -> str:
    """The innermost frame: of the thread that failed or, when time was up, of the main thread, which comes last."""
    threads = re.split(r"^(?=Current thread |Thread )", text, flags=re.MULTILINE)
    failed = [thread for thread in threads if thread.startswith("Current thread ")]
    frame = FRAME.search(threads[-1] if timed_out or not failed else failed[0])
    return f"in {frame['function']} ({PurePath(frame['file']).name}:{frame['line']})" if frame else ""
