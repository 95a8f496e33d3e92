"""The report as web-platform-tests' own runner writes it (`wpt run --log-wptreport`), which wpt.fyi takes in.

A file of cases is a test and a case a subtest, both named as upstream names them, so that they stand in wpt.fyi's rows
beside the browsers'. Our own cases are not in WPT and are left out. The variant says what the results are of: `cpu` and
`gpu` are WPT's; `engine`, which has no numbers, is ours.
"""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from typing import Any

from conformance.cases import HOUSE_PREFIX
from conformance.files import write_whole
from conformance.report.json import Report, Row
from conformance.runner import Status

PRODUCT = "trtx-webnn"
VARIANTS = {"trtx": "gpu"}
SYSTEMS = {"Linux": "linux", "Windows": "win", "Darwin": "mac"}
"""As WPT calls them."""

SUBTESTS = {
    Status.PASS: "PASS",
    Status.FAIL: "FAIL",
    Status.CRASH: "ERROR",  # of the test as a whole it is CRASH
    Status.TIMEOUT: "TIMEOUT",
    Status.SKIP: "NOTRUN",
}


def write_wptreport(path: Path, report: Report) -> None:
    """Write the report, which must be of upstream's cases."""
    rows = sorted((row for row in report.rows if not row.name.startswith(HOUSE_PREFIX)), key=lambda row: row.file)
    started = round(datetime.fromisoformat(report.started).timestamp() * 1000)
    document = {
        "run_info": run_info(report),
        "time_start": started,
        "time_end": started + round(report.seconds * 1000),
        "results": [_test(report, file, list(group)) for file, group in groupby(rows, key=lambda row: row.file)],
        "subsuites": {},
    }
    write_whole(path, json.dumps(document, ensure_ascii=True, indent=1, allow_nan=False) + "\n")


def run_info(report: Report) -> dict[str, Any]:
    """What wpt.fyi files the run under. `browser_version` is this project's."""
    try:
        own = version(PRODUCT)
    except PackageNotFoundError:
        own = "0"
    return {
        "product": PRODUCT,
        "browser_version": own,
        "browser_channel": "experimental",
        "revision": report.revision or "",
        "os": SYSTEMS.get(platform.system(), platform.system().lower()),
        "os_version": platform.release(),
        "processor": platform.machine(),
        "bits": 64 if sys.maxsize > 2**32 else 32,
        "python_version": sys.version_info.major,
        "debug": False,
        "backend": report.target,
        "device": whole(report.device),
        "versions": {whole(name): whole(value) for name, value in report.versions.items()},
    }


def test_name(file: str, target: str) -> str:
    return f"/webnn/conformance_tests/{file}.https.any.html?{VARIANTS.get(target, target)}"


def _test(report: Report, file: str, rows: Sequence[Row]) -> dict[str, Any]:
    statuses = {row.status for row in rows}
    status = "CRASH" if Status.CRASH in statuses else "TIMEOUT" if Status.TIMEOUT in statuses else "OK"
    return {
        "test": whole(test_name(file, report.target)),
        "subsuite": "",
        "status": status,
        "message": None,
        "duration": round(sum(row.ms for row in rows)),
        "subtests": [_subtest(row) for row in rows],
        "known_intermittent": [],
    }


def _subtest(row: Row) -> dict[str, Any]:
    """Upstream's name for a case says whether every backend must support it. What is unsupported is a failure of a
    required case, and the precondition of an optional one."""
    status = SUBTESTS.get(Status(row.status)) or ("FAIL" if row.required else "PRECONDITION_FAILED")
    name = f"[{'required' if row.required else 'optional'}] {row.name}"
    return {"name": whole(name), "status": status, "message": whole(row.message) or None, "known_intermittent": []}


def whole(text: str) -> str:
    """Halves of surrogate pairs in words, as WPT's runner has them."""
    return re.sub("[\ud800-\udfff]", lambda match: f"U+{ord(match[0]):x}", text)
