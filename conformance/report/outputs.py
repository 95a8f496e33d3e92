"""The files that a run can write, as options of the command."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from conformance.cases import UsageError

OUTPUTS: Mapping[str, str] = {
    "report": "write a JSON report; while the run goes on, FILE.partial has what there is",
    "junit": "write a JUnit report, for CI systems",
    "wptreport": "write a report of upstream's cases as wpt.fyi takes it in",
    "markdown": "write a short summary, for a pull request",
}
"""Option to its help."""


HEADS: Mapping[str, str] = {
    "report": '{\n "schema": ',
    "junit": "<?xml ",
    "wptreport": '{\n "run_info": ',
    "markdown": "### WebNN conformance",
    "output": '{\n "schema": ',
    "out": "<!doctype html>",
}
"""How a file begins that an option writes."""


def check_writable(options: Mapping[str, str | None], heads: Mapping[str, str] = HEADS) -> None:
    """UsageError, before the run and not after it, if a file that an option names cannot be written, or two are one, or what
    is there is something else than what the option writes: a slip must not cost a case file or a source."""
    named: dict[Path, str] = {}
    for option, value in options.items():
        if not value:
            continue
        path = Path(value).resolve()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path.parent):
                pass
        except OSError as error:
            raise UsageError(f"--{option} {value}: cannot be written: {error.strerror}") from None
        if path.is_dir():
            raise UsageError(f"--{option} {value}: is a folder")
        if path.exists() and not path.is_file():
            raise UsageError(f"--{option} {value}: is not a file, and what is written would take its place")
        if not _replaceable(path, heads[option]):
            raise UsageError(
                f"--{option} {value}: is there, and is not what --{option} writes; remove it, or name another"
            )
        if path in named:
            raise UsageError(f"--{option} {value}: is the file of --{named[path]} too")
        named[path] = option


def _replaceable(path: Path, head: str) -> bool:
    """Whether there is no file, or an empty one, or one that an earlier run has written."""
    try:
        with path.open("rb") as file:
            there = file.read(len(head))
    except OSError:
        return True  # that it cannot be read is another matter
    return not there or there == head.encode()
