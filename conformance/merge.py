"""`wpt report merge`: the reports of several runs, as of the jobs of a matrix, as one.

Strict, since the result is believed: the reports must be of one target, corpus and set of versions, no case may be in
two of them, no part may be missing, and every run must have come to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from conformance.cases import HOUSE_PREFIX
from conformance.report.json import Report, Row
from conformance.report.reading import WHOLE_FILE, ReportError, read_report
from conformance.shards import Shard, shard_of

SAME = ("target", "device", "versions", "revision", "known")
"""Fields of a report in which all must agree."""


def merge(paths: Sequence[Path], parts: bool = True) -> Report:
    """One report of all, which are the parts of a run, or else are of one part and stay that. Its cases are sorted by file, upstream's before ours, then by name; `started` is the first
    start, `seconds` the sum. ReportError names the two reports that do not fit."""
    reports = [(path, read_report(path)) for path in paths]
    first_path, first = reports[0]
    for path, report in reports:
        if not report.complete:
            raise ReportError(f"{path}: its run did not end: {len(report.rows)} of {report.planned} cases")
        for field in SAME:
            ours, theirs = getattr(report, field), getattr(first, field)
            if ours != theirs:
                name = {"known": "cases of the corpus", "revision": "revision of the corpus"}.get(field, field)
                raise ReportError(f"{path} and {first_path} differ in {name}: {_shown(ours)}, {_shown(theirs)}")
    if parts:
        _check_parts(reports)
    rows = _joined(reports)
    seconds = sum(report.seconds for _, report in reports)
    started = min(report.started for _, report in reports)
    return replace(
        first, started=started, seconds=seconds, rows=rows, planned=None, shard=None if parts else first.shard
    )


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {version}" for name, version in value.items())
    return str(value)


def _check_parts(reports: Sequence[tuple[Path, Report]]) -> None:
    """Parts must be of the same number and all there: a job that is lost must not go unseen."""
    parts: dict[Shard, Path] = {}
    for path, report in reports:
        if report.shard is None:
            continue
        try:
            shard = shard_of(report.shard)
        except ValueError as error:
            raise ReportError(f'{path}: "shard": {error}') from None
        if shard in parts:
            raise ReportError(f"{path} and {parts[shard]} are both part {shard}")
        parts[shard] = path
    counts = sorted({shard.count for shard in parts})
    if len(counts) > 1:
        raise ReportError(f"the parts do not fit: some are of {counts[0]}, some of {counts[1]}")
    missing = [shard for shard in (Shard(i + 1, n) for n in counts for i in range(n)) if shard not in parts]
    if missing:
        raise ReportError(f"part {', '.join(map(str, missing))} is missing")


def _joined(reports: Sequence[tuple[Path, Report]]) -> tuple[Row, ...]:
    seen: dict[tuple[str, str], Path] = {}
    for path, report in reports:
        for row in report.rows:
            if row.name != WHOLE_FILE and seen.get(row.key, path) != path:
                raise ReportError(f"{path} and {seen[row.key]} both have the case {row.file}: {row.name}")
            seen[row.key] = path
    rows = (row for _, report in reports for row in report.rows)
    return tuple(sorted(rows, key=lambda row: (row.file, row.name.startswith(HOUSE_PREFIX), row.name)))
