"""The end of a run on the terminal: operators by outcome, the slowest cases, those closest to their limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.report.figures import by_operator, closest, imperfect, limit, share, slowest, table
from conformance.report.json import Report
from conformance.report.text import one_line
from conformance.runner import Status

FEW = 20
"""Of so few cases nobody asks for the slowest."""

OPERATORS = 30
"""Lines of operators; the rest is summed."""


def summary_lines(report: Report) -> Iterator[str]:
    yield from _operators(report)
    if len(report.rows) <= FEW:
        return
    slow = slowest(report.rows)
    if slow:
        yield "  slowest:"
        yield from (f"    {row.ms:9.1f} ms  {_name(row.file, row.name)}" for row in slow)
    near = closest(report.rows)
    if near:
        yield "  closest to their limit:"
        yield from (f"    {share(row):9.0%}     {_name(row.file, row.name)} ({limit(row)})" for row in near)


def _operators(report: Report) -> Iterator[str]:
    """Those with something other than PASS, and the sum of the others; nothing for a run of one operator."""
    counts = by_operator(report.rows)
    bad = imperfect(counts)
    if len(counts) < 2 or not bad:
        return
    shown = dict(list(bad.items())[:OPERATORS])
    rest = [count for name, count in counts.items() if name not in shown]
    statuses = [status for status in Status if status is Status.PASS or any(c[status] for c in bad.values())]
    rows = [["operator", *statuses]]
    rows += [[one_line(name), *_cells(count, statuses)] for name, count in shown.items()]
    if rest:
        rows.append([f"{len(rest)} others", *_cells(sum(rest, Counter()), statuses)])
    yield from (f"  {line}" for line in table(rows))


def _cells(count: Counter[str], statuses: list[Status]) -> list[str]:
    return [str(count[status] or "·") for status in statuses]


def _name(file: str, name: str) -> str:
    return one_line(f"{file}: {name}")
