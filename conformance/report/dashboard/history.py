"""Runs over time: the report files of a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from conformance.cases import UsageError
from conformance.report.dashboard.changes import Comparison, compared
from conformance.report.json import Report
from conformance.report.reading import ReportError, read_report


@dataclass(frozen=True)
class Run:
    """A run, and what changed since the one before it of the same target and device."""

    report: Report
    since: Comparison | None

    def number(self, kind: str) -> int:
        return len(self.since.of(kind)) if self.since else 0


@dataclass(frozen=True)
class History:
    """Runs by target and device, the oldest first. `left_out`: files that are no reports, and why."""

    runs: dict[tuple[str, str], list[Run]]
    left_out: list[str]


def read_history(directory: Path, shown: Iterable[Report]) -> History:
    """The runs of a folder and those that the page is of. UsageError if there is no such folder."""
    if not directory.is_dir():
        raise UsageError(f"--history {directory}: there is no such folder")
    reports, left_out = list(shown), []
    for path in sorted(directory.glob("*.json")):
        try:
            reports.append(read_report(path))
        except ReportError as error:
            left_out.append(f"{path.name}: {str(error).removeprefix(f'{path}: ')}")
    return History(runs_of(reports), left_out)


def runs_of(reports: Iterable[Report]) -> dict[tuple[str, str], list[Run]]:
    found: dict[tuple[str, str], list[Report]] = {}
    for report in sorted(reports, key=moment):
        group = found.setdefault((report.target, report.device), [])
        if report not in group:
            group.append(report)
    return {key: list(_runs(group)) for key, group in sorted(found.items())}


def _runs(reports: Sequence[Report]) -> Iterator[Run]:
    yield Run(reports[0], None)
    yield from (Run(after, compared(before, after)) for before, after in pairwise(reports))


def before(history: History, report: Report) -> Comparison | None:
    """What changed since the run before a report."""
    runs = history.runs.get((report.target, report.device), [])
    return next((run.since for run in runs if run.report == report), None)


def moment(report: Report) -> datetime:
    """When the run began; one that does not say a time that can be read comes first."""
    try:
        when = datetime.fromisoformat(report.started)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return when if when.tzinfo else when.replace(tzinfo=UTC)
