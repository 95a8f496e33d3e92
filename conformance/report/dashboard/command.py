"""`python -m conformance dashboard`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from conformance.cases import UsageError, find_corpus
from conformance.files import write_whole
from conformance.report.json import Report
from conformance.report.outputs import check_writable
from conformance.report.reading import read_report

ABOUT = """Write one self-contained page of the reports of one or several targets, side by side. It needs no network and no
script. Cases are drawn from the corpus at hand; a report of other cases shows without drawings."""


def add_arguments(parser: argparse.ArgumentParser, root: Path) -> None:
    parser.add_argument(
        "--report", metavar="FILE", type=Path, action="append", required=True,
        help="a JSON report of `run`; once for each target",
    )  # fmt: skip
    parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="the page, as HTML")
    parser.add_argument(
        "--baseline", metavar="FILE", type=Path, action="append", default=[],
        help="an older report of one of the targets: what changed since",
    )  # fmt: skip
    parser.add_argument(
        "--history",
        metavar="DIR",
        type=Path,
        help="a folder of reports: the runs over time, and, without --baseline, what changed since the last",
    )
    parser.add_argument(
        "--peer", metavar="FILE", type=Path, action="append", default=[],
        help="wptreport.json of another implementation, to stand beside ours",
    )  # fmt: skip
    parser.add_argument("--corpus", metavar="DIR", help="where the cases come from, if not from the default places")
    parser.add_argument("--root", metavar="DIR", type=Path, default=root, help=argparse.SUPPRESS)
    parser.set_defaults(command=run)


def run(arguments: argparse.Namespace) -> int:
    from conformance.report.dashboard.changes import compared
    from conformance.report.dashboard.history import before, read_history
    from conformance.report.dashboard.page import Content, render
    from conformance.report.dashboard.peers import read_peer

    check_writable({"out": str(arguments.out)})
    reports = [read_report(path) for path in arguments.report]
    baselines = [(path, read_report(path)) for path in arguments.baseline]
    history = read_history(arguments.history, reports) if arguments.history else None
    comparisons = [compared(old, _of_target(path, old, reports)) for path, old in baselines]
    if history and not baselines:
        comparisons = [since for report in reports if (since := before(history, report))]
    content = Content(
        reports=reports,
        corpus=find_corpus(arguments.corpus, arguments.root),
        peers=[column for path in arguments.peer for column in read_peer(path)],
        comparisons=comparisons,
        history=history,
        notes=[
            *_notes(reports),
            *(f"left out of the history: {note}" for note in (history.left_out if history else ())),
        ],
    )
    try:
        write_whole(arguments.out, render(content))
    except OSError as error:
        raise UsageError(f"--out {arguments.out}: cannot be written: {error.strerror}") from None
    print(f"{arguments.out}: {', '.join(report.target for report in reports)}")
    return 0


def _of_target(path: Path, before: Report, reports: Sequence[Report]) -> Report:
    """The run to compare with: of the same device, if there is one."""
    same = [report for report in reports if report.target == before.target]
    if not same:
        raise UsageError(f"--baseline {path}: is of target {before.target}, of which there is no --report")
    return next((report for report in same if report.device == before.device), same[0])


def _notes(reports: Sequence[Report]) -> list[str]:
    notes = [
        f"the run on {report.target} did not end: {len(report.rows)} of {report.planned} cases are known"
        for report in reports
        if not report.complete
    ]
    notes += [f"the run on {report.target} is part {report.shard} of one" for report in reports if report.shard]
    revisions = {report.revision for report in reports}
    if len(revisions) > 1:
        notes.append(
            "the runs are of different revisions of the corpus: "
            + ", ".join(str(r) for r in sorted(map(str, revisions)))
        )
    return notes
