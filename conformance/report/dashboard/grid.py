"""The grid: operators by data types, and in each cell every column's letter and count.

A case counts for every operator and every data type that its report names, so a cell's numbers are what a search in the
JSON for that operator and that type gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from conformance.report.dashboard.columns import PASS, UNKNOWN, Column, Key, worst
from conformance.report.figures import operators
from conformance.report.json import Row
from trtx_backend.dtypes import DATA_TYPES


@dataclass(frozen=True)
class Tally:
    """Of a set of cases in one column: the worst letter, how many pass, how many the column knows."""

    letter: str
    passed: int
    total: int

    @property
    def text(self) -> str:
        return str(self.total) if self.passed == self.total else f"{self.passed}/{self.total}"

    @property
    def missing(self) -> int:
        return self.total - self.passed


@dataclass(frozen=True)
class Line:
    """An operator: `total` has a tally a column over all its cases, `cells` the same for each data type that it has
    cases of."""

    operator: str
    cases: int
    total: tuple[Tally, ...]
    cells: Mapping[str, tuple[Tally, ...]]
    counts: Mapping[str, int]


def tally(keys: Iterable[Key], column: Column) -> Tally:
    letters = [column.letters[key] for key in keys if key in column.letters]
    return Tally(worst(letters) if letters else UNKNOWN, letters.count(PASS), len(letters))


def data_types(rows: Iterable[Row]) -> list[str]:
    """Those that the rows use: WebNN's in their order, then any other."""
    used = {dtype for row in rows for dtype in row.dtypes}
    return [name for name in DATA_TYPES if name in used] + sorted(used - set(DATA_TYPES))


def grid(rows: Sequence[Row], columns: Sequence[Column]) -> list[Line]:
    by_operator: dict[str, list[Row]] = {}
    for row in rows:
        for name in operators(row):
            by_operator.setdefault(name, []).append(row)
    return [_line(name, found, columns) for name, found in sorted(by_operator.items(), key=lambda i: i[0].casefold())]


def _line(operator: str, rows: Sequence[Row], columns: Sequence[Column]) -> Line:
    by_dtype: dict[str, list[Key]] = {}
    for row in rows:
        for dtype in row.dtypes:
            by_dtype.setdefault(dtype, []).append(row.key)
    return Line(
        operator=operator,
        cases=len(rows),
        total=tuple(tally((row.key for row in rows), column) for column in columns),
        cells={dtype: tuple(tally(keys, column) for column in columns) for dtype, keys in by_dtype.items()},
        counts={dtype: len(keys) for dtype, keys in by_dtype.items()},
    )
