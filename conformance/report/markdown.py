"""A short summary in Markdown, for a pull request or the summary page of a CI job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from conformance.files import write_whole
from conformance.report.figures import by_operator, by_reason, closest, headline, imperfect, limit, said_first
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
    yield from _reasons(report)
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


def _reasons(report: Report) -> Iterator[str]:
    found = by_reason(report.rows)
    if not found:
        return
    yield from _table("Not PASS, by reason", ("cases", "outcome", "what", "the first"))
    for rows in found[:SHOWN]:
        what = said_first(rows[0], rows[0].message)
        what = what if len(what) <= 160 else f"{what[:159]}…"
        yield f"| {len(rows)} | {rows[0].line} | {quoted(what)} | {_case(rows[0])} |"
    yield from _more(len(found))


def _table(title: str, columns: tuple[str, ...]) -> Iterator[str]:
    yield from ("", f"**{title}**", "", "| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns))


def _more(number: int) -> Iterator[str]:
    if number > SHOWN:
        yield ""
        yield f"… and {number - SHOWN} more"


def _case(row: Row) -> str:
    return quoted(f"{row.file}: {row.name}")


def quoted(text: str) -> str:
    """The text as it reads: no markup of Markdown or HTML, no link, no mention of anybody, one line."""
    escaped = re.sub(r"([\\`*_\[\]#|~$])", r"\\\1", one_line(text).replace("&", "&amp;").replace("<", "&lt;"))
    return escaped.replace("@", "&#64;").replace("://", r":\//").replace("www.", r"www\.")
