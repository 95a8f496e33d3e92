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


def check_writable(options: Mapping[str, str | None]) -> None:
    """UsageError, before the run and not after it, if a file that an option names cannot be written, or two are one."""
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
        if path in named:
            raise UsageError(f"--{option} {value}: is the file of --{named[path]} too")
        named[path] = option
