"""The JUnit report, for CI systems: a suite a case file.

A case that fails is a failure, one that crashed or took too long an error. One that is unsupported or did not run is
skipped, since JUnit has nothing else; its message begins with the word.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

from conformance.files import write_whole
from conformance.report.json import Report, Row
from conformance.report.text import one_line, visible
from conformance.runner import Status

KINDS = {
    Status.FAIL: "failure",
    Status.CRASH: "error",
    Status.TIMEOUT: "error",
    Status.UNSUPPORTED: "skipped",
    Status.SKIP: "skipped",
}


def write_junit(path: Path, report: Report) -> None:
    root = ElementTree.Element("testsuites", {"name": f"WebNN conformance: {report.target}", **_counts(report.rows)})
    for file, rows in groupby(sorted(report.rows, key=lambda row: row.file), key=lambda row: row.file):
        _suite(root, report, file, list(rows))
    ElementTree.indent(root)
    write_whole(path, '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n")


def _suite(root: ElementTree.Element, report: Report, file: str, rows: Sequence[Row]) -> None:
    started = report.started.partition("+")[0]
    facts = {"name": one_line(file), "timestamp": started, **_counts(rows)}
    suite = ElementTree.SubElement(root, "testsuite", facts)
    properties = ElementTree.SubElement(suite, "properties")
    about = {"target": report.target, "device": report.device, "corpus": report.revision or "", **report.versions}
    for name, value in about.items():
        ElementTree.SubElement(properties, "property", name=one_line(name), value=one_line(value))
    for row in rows:
        name, group = one_line(row.name), one_line(f"{report.target}.{file}")
        case = ElementTree.SubElement(suite, "testcase", name=name, classname=group, time=_seconds([row]))
        kind = KINDS.get(Status(row.status))
        if kind:
            message = f"{row.line}: {row.message.partition(chr(10))[0]}"
            problem = ElementTree.SubElement(case, kind, type=row.line, message=one_line(message))
            problem.text = visible(row.message)


def _counts(rows: Sequence[Row]) -> dict[str, str]:
    kinds = [KINDS.get(Status(row.status)) for row in rows]
    counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    return {
        "tests": str(len(rows)),
        **{name: str(kinds.count(kind)) for name, kind in counts.items()},
        "time": _seconds(rows),
    }


def _seconds(rows: Sequence[Row]) -> str:
    return f"{sum(row.ms for row in rows) / 1000:.6f}"
