"""The difference of two runs of one target, case by case."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.report.figures import share
from conformance.report.json import Report, Row

KINDS: Mapping[str, str] = {
    "lost": "passed before, not now",
    "fixed": "passes now, not before",
    "changed": "neither passes, for another reason",
    "new": "was not in the older run",
    "gone": "is not in this run",
}


@dataclass(frozen=True)
class Change:
    kind: str
    before: Row | None
    after: Row | None

    @property
    def row(self) -> Row:
        row = self.after or self.before
        assert row is not None
        return row


@dataclass(frozen=True)
class Comparison:
    """`drift`: cases that pass in both runs, and use more of what is allowed than before; the most first."""

    before: Report
    after: Report
    changes: tuple[Change, ...]
    drift: tuple[tuple[Row, Row], ...]

    def of(self, kind: str) -> list[Change]:
        return [change for change in self.changes if change.kind == kind]


def compared(before: Report, after: Report) -> Comparison:
    old, new = ({row.key: row for row in report.rows} for report in (before, after))
    both = [(old[key], row) for key, row in new.items() if key in old]
    further = ((b, a) for b, a in both if b.status == a.status == "PASS" and share(a) > share(b))
    drift = heapq.nlargest(10, further, key=lambda pair: share(pair[1]) - share(pair[0]))
    return Comparison(before, after, tuple(_changes(old, new)), tuple(drift))


def _changes(old: Mapping[tuple[str, str], Row], new: Mapping[tuple[str, str], Row]) -> Iterator[Change]:
    for key, after in new.items():
        before = old.get(key)
        if before is None:
            yield Change("new", None, after)
        elif before.line != after.line:
            kind = "lost" if before.status == "PASS" else "fixed" if after.status == "PASS" else "changed"
            yield Change(kind, before, after)
    for key, before in old.items():
        if key not in new:
            yield Change("gone", before, None)
