"""Runs of very many cases, a batch of files after the other: what pytest and its workers hold grows with the cases that they
have before them (some two kilobytes each), and with batches it does not.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from conformance.index import cases_of
from conformance.processes import run_in_child

BATCH = 20_000
"""Cases. WPT's and ours are far fewer."""

INTERRUPTED = 2

Run = Callable[[Sequence[Path], Sequence[str]], int]
"""Runs the cases of files with further options for pytest; gives pytest's exit status."""


def batches(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The files in groups of at most BATCH cases; a file that has more is a group of its own."""
    group: list[Path] = []
    size = 0
    for path in paths:
        count = len(cases_of(path))
        if group and size + count > BATCH:
            yield group
            group, size = [], 0
        group.append(path)
        size += count
    if group:
        yield group


def run_batches(groups: Sequence[Sequence[Path]], run: Run, outputs: Mapping[str, Path]) -> int:
    """Run each group in a process of its own, and write the reports of all. pytest's exit status: the worst one.

    The reports of the groups are in a folder beside the report, `FILE.parts-…`, which a run that is killed leaves."""
    from conformance.merge import merge
    from conformance.report.writing import WRITERS

    worst, reports = 0, []
    beside = outputs.get("report")
    with tempfile.TemporaryDirectory(
        prefix=f"{beside.name}.parts-" if beside else "wpt-", dir=beside.parent if beside else None
    ) as name:
        for number, group in enumerate(groups, 1):
            print(f"\nbatch {number} of {len(groups)}", flush=True)
            report = Path(name) / f"{number}.json"
            (folder := Path(name) / str(number)).mkdir()
            status = run_in_child(partial(run, group, [f"--wpt-report={report}"]), folder)
            worst = max(worst, 1 if status is None else status if status != 5 else 0)
            reports += [report] if report.is_file() else []
            if status in (INTERRUPTED, None):
                print(f"conformance: ended in batch {number} of {len(groups)}", file=sys.stderr)
                break
        if not reports:
            return worst
        whole = merge(reports, parts=False)
        for option, path in outputs.items():
            WRITERS[option](path, whole)
    counts = ", ".join(f"{count} {status}" for status, count in whole.counts.items() if count)
    print(f"\nall batches: {len(whole.rows)} cases: {counts}")
    return worst
