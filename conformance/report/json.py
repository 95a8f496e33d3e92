"""The JSON report, version 1: what a run came to, for programs.

While the run goes on its rows are kept in a journal beside the report, `FILE.partial`: JSON lines, the head first, then
a case a line, each written as it ends. A run that is killed leaves that, and it reads like a report. A run that ends
replaces FILE as a whole and removes the journal.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TextIO

from conformance.files import write_whole
from conformance.runner import Status

VERSION = 1
INFINITE = "Infinity"
"""JSON has no infinity, which is the distance between what cannot be compared."""


@dataclass(frozen=True, slots=True)
class Row:
    """A case of a report. `metric`, `allowed`, `worst`: None where no numbers were compared; `fragile`: None where that
    was not asked; `kept`: where nothing was compiled."""

    file: str
    name: str
    ops: tuple[str, ...]
    dtypes: tuple[str, ...]
    required: bool
    status: str
    cause: str | None = None
    message: str = ""
    metric: str | None = None
    allowed: float | None = None
    worst: float | None = None
    ms: float = 0
    fragile: bool | None = None
    kept: bool | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.file, self.name

    @property
    def line(self) -> str:
        """Status and cause, as a snapshot has them."""
        return f"{self.status}({self.cause})" if self.cause else self.status

    def to_json(self) -> dict[str, Any]:
        row = {f.name: getattr(self, f.name) for f in fields(self)}
        row["ops"], row["dtypes"], row["ms"] = list(self.ops), list(self.dtypes), round(self.ms, 3)
        row["worst"] = INFINITE if self.worst is not None and math.isinf(self.worst) else self.worst
        for name in ("fragile", "kept"):
            if row[name] is None:
                del row[name]
        return row


@dataclass(frozen=True)
class Report:
    """A run. `known`: the cases of the corpus, of which `rows` are those that were asked for; `planned`: how many those
    are. They are as many as the rows, unless the report is the journal of a run that did not end."""

    target: str
    device: str
    started: str
    seconds: float
    versions: Mapping[str, str]
    revision: str | None
    known: int
    rows: tuple[Row, ...] = field(default=(), repr=False)
    planned: int | None = None
    shard: str | None = None
    """"2/3" of a run that was asked for one part of the cases."""

    @property
    def complete(self) -> bool:
        return self.planned is None or len(self.rows) >= self.planned

    @property
    def counts(self) -> dict[str, int]:
        """Cases by status, every status named, in their order."""
        counts = Counter(row.status for row in self.rows)
        return {str(status): counts[status] for status in Status}

    @property
    def ran(self) -> int:
        return len(self.rows) - self.counts["SKIP"]

    def head(self) -> dict[str, Any]:
        return {
            "schema": VERSION,
            "target": self.target,
            "started": self.started,
            "seconds": round(self.seconds, 3),
            "versions": dict(self.versions),
            "device": self.device,
            "corpus": {"revision": self.revision, "cases": self.known},
            **({} if self.shard is None else {"shard": self.shard}),
        }


def write_report(path: Path, report: Report) -> None:
    """Write the report as a whole, or not at all: a case a line, so that two reports differ by lines."""
    write_whole(path, _document(report))


def _document(report: Report) -> Iterator[str]:
    head = {**report.head(), "summary": {"cases": len(report.rows), **report.counts}}
    lines = [f" {_dumped(key)}: {_dumped(value)}" for key, value in head.items()]
    yield "{\n" + ",\n".join(lines) + ',\n "cases": ['
    for position, row in enumerate(report.rows):
        yield ("," if position else "") + "\n  " + _dumped(row.to_json())
    yield "\n ]\n}\n"


def _dumped(value: Any) -> str:
    """ASCII, so that halves of surrogate pairs, which names may hold, survive."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


class Journal:
    """The rows of a run that has not ended: `FILE.partial`."""

    def __init__(self, path: Path, report: Report, planned: int) -> None:
        self.path = journal_of(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file: TextIO = self.path.open("w", encoding="ascii")
        self._write({**report.head(), "planned": planned})

    def add(self, row: Row) -> None:
        self._write(row.to_json())

    def _write(self, value: Mapping[str, Any]) -> None:
        self._file.write(_dumped(value) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def remove(self) -> None:
        self.close()
        self.path.unlink(missing_ok=True)


def journal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.partial")
