"""What several reports show of a run: outcomes by operator, the slowest cases, those closest to their limit."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from conformance.report.json import Row
from conformance.runner import Cause, Status

REPEAT = "repeat: "
"""Begins the line of a message that says how to run the case again."""

NO_OPERATOR = "(cannot be read)"
"""Stands for the operators of a case or file that cannot be read."""


def operators(row: Row) -> Sequence[str]:
    return row.ops or (NO_OPERATOR,)


def by_operator(rows: Iterable[Row]) -> dict[str, Counter[str]]:
    """Cases by status for each operator, sorted. A case counts for every operator that it uses."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        for name in operators(row):
            counts.setdefault(name, Counter())[row.status] += 1
    return dict(sorted(counts.items(), key=lambda item: item[0].casefold()))


def imperfect(counts: dict[str, Counter[str]]) -> dict[str, Counter[str]]:
    """The operators of which some case is not PASS."""
    return {name: count for name, count in counts.items() if count.total() != count[Status.PASS]}


def slowest(rows: Iterable[Row], number: int = 10) -> list[Row]:
    return heapq.nlargest(number, (row for row in rows if row.ms > 0), key=lambda row: row.ms)


def closest(rows: Iterable[Row], number: int = 10) -> list[Row]:
    """Of the cases that pass, those that use most of what is allowed, one a file: its other cases are mostly the same
    arithmetic. None that is exact, or must be."""
    best: dict[str, Row] = {}
    for row in rows:
        if row.status == Status.PASS and share(row) > (share(best[row.file]) if row.file in best else 0):
            best[row.file] = row
    return heapq.nlargest(number, best.values(), key=share)


def share(row: Row) -> float:
    """The greatest distance as a part of the allowed one; 0 where nothing is off or allowed."""
    return row.worst / row.allowed if row.worst and row.allowed else 0.0


def limit(row: Row) -> str:
    """As in `worst 7 of 8 ULP`."""
    return "" if row.worst is None or row.allowed is None else f"worst {row.worst:g} of {row.allowed:g} {row.metric}"


def said_first(row: Row, message: str) -> str:
    """The first thing that a message says, without the name of its case."""
    lines = [line for line in message.splitlines() if not line.startswith(REPEAT)] or [""]
    head = f"{row.file}: {row.name} / "
    if not lines[0].startswith(head):
        return lines[0]
    cause = lines[0].removeprefix(head).split(": ", 2)  # the target, the cause and, on this line, what it is
    return cause[2] if len(cause) > 2 else lines[1] if len(lines) > 1 else cause[-1]


def alike(what: str) -> str:
    """The same for what two cases say for one reason: numbers make no difference."""
    return re.sub(r"\d[\d.e+,-]*", "#", what)


def reason(row: Row, line: str, what: str) -> tuple[str, str, str]:
    """The same for cases that do not pass for one reason: by outcome and what is said first. Wrong numbers have no one
    reason over files."""
    return line, row.file if line == f"{Status.FAIL}({Cause.MISMATCH})" else "", alike(what)


def by_reason(rows: Iterable[Row]) -> list[list[Row]]:
    """Those that do not pass, by reason; the most frequent first."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row.status != Status.PASS:
            found.setdefault(reason(row, row.line, said_first(row, row.message)), []).append(row)
    return sorted(found.values(), key=len, reverse=True)


def headline(counts: Counter[str] | dict[str, int]) -> str:
    """As in `4 PASS, 1 FAIL`."""
    return ", ".join(f"{counts[status]} {status}" for status in Status if counts[status]) or "nothing ran"


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table, its first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells])
