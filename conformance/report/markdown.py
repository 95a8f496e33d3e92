"""A short summary in Markdown, for a pull request or the summary page of a CI job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from conformance.files import write_whole
from conformance.report.figures import by_operator, closest, headline, imperfect, limit
from conformance.report.json import Report, Row
from conformance.report.text import one_line
from conformance.runner import Status

SHOWN = 20
"""Lines of one kind; the rest is counted."""


def write_markdown(path: Path, report: Report) -> None:
    write_whole(path, "\n".join(_lines(report)) + "\n")


def _lines(report: Report) -> Iterator[str]:
    passed = report.counts["PASS"]
    yield f"### WebNN conformance on {quoted(report.target)}: {passed} of {len(report.rows)} cases pass"
    yield ""
    versions = ", ".join(f"{name} {value}" for name, value in report.versions.items())
    revision = f"WPT {report.revision[:10]}" if report.revision else "no revision"
    where = "; ".join(quoted(text) for text in (report.device, versions, revision) if text)
    yield f"{headline(report.counts)}; {report.known} known. {where}; {report.seconds:.1f} s."
    yield from _operators(report)
    bad = [row for row in report.rows if row.status != Status.PASS]
    if bad:
        yield from _table("Not PASS", ("case", "outcome", "what"))
        yield from (f"| {_case(row)} | {row.line} | {quoted(_what(row))} |" for row in bad[:SHOWN])
        yield from _more(len(bad))
    near = closest(report.rows, 5)
    if near:
        yield ""
        yield "Closest to their limit: " + "; ".join(f"{_case(row)} ({limit(row)})" for row in near)


def _operators(report: Report) -> Iterator[str]:
    counts = by_operator(report.rows)
    bad = imperfect(counts)
    if not bad:
        return
    statuses = [status for status in Status if any(count[status] for count in bad.values())]
    yield from _table("Operators", ("operator", *statuses))
    for name, count in list(bad.items())[:SHOWN]:
        yield f"| {quoted(name)} | " + " | ".join(str(count[status] or "") for status in statuses) + " |"
    yield from _more(len(bad))
    yield ""
    yield f"The other {len(counts) - len(bad)} operators pass in full."


def _table(title: str, columns: tuple[str, ...]) -> Iterator[str]:
    yield from ("", f"**{title}**", "", "| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns))


def _more(number: int) -> Iterator[str]:
    if number > SHOWN:
        yield ""
        yield f"… and {number - SHOWN} more"


def _case(row: Row) -> str:
    return quoted(f"{row.file}: {row.name}")


def _what(row: Row) -> str:
    """What a message says first, behind the line that only names the case."""
    lines = row.message.splitlines() or [""]
    text = lines[1] if len(lines) > 1 and not lines[1].startswith("repeat:") else lines[0]
    return text if len(text) <= 160 else f"{text[:159]}…"


def quoted(text: str) -> str:
    """The text as it reads: no markup of Markdown or HTML, no link, no mention of anybody, one line."""
    escaped = re.sub(r"([\\`*_\[\]#|~$])", r"\\\1", one_line(text).replace("&", "&amp;").replace("<", "&lt;"))
    return escaped.replace("@", "&#64;").replace("://", r":\//").replace("www.", r"www\.")
