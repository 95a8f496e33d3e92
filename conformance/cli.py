"""`python -m conformance` (also `wpt`): run cases, keep snapshots.

What was asked for is checked here before pytest and TensorRT are loaded, so that a slip costs no time.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from conformance.cases import Corpus, UsageError, find_corpus, load, resolve
from conformance.targets import TARGETS

PASSED, FAILED, USAGE, UNAVAILABLE = 0, 1, 2, 3

PARALLEL_FROM = 300
"""A worker process takes about a second to start, and that many cases on the CPU take about as long."""

EPILOG = """exit status: 0 all as expected (with --no-snapshots: all PASS), 1 not, 2 wrong usage, 3 target not available

examples:
  python -m conformance run --op conv2d
  python -m conformance run --target engine --op conv2d --case nhwc
  python -m conformance run --corpus my_cases --no-snapshots --report report.json"""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    try:
        return int(arguments.command(arguments))
    except UsageError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="conformance", description="WebNN conformance cases, one by one.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="run cases on a target",
        description="Run conformance cases on a target, compare with WPT's tolerances and with the snapshots.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument(
        "--target", choices=TARGETS, default="cpu", help="cpu (default): numbers; engine: compiles for GPUs"
    )
    run.add_argument("--corpus", metavar="DIR", help="case files to run instead; implies --no-snapshots")
    run.add_argument("--op", metavar="NAME", help="one operator: a file's name, or an operator's; exact")
    run.add_argument("--case", metavar="TEXT", help="cases whose name contains TEXT")
    mode = run.add_mutually_exclusive_group()
    mode.add_argument("--no-snapshots", action="store_true", help="expect PASS everywhere")
    mode.add_argument("--update-snapshots", action="store_true", help="write what the cases that run come to")
    run.add_argument("--report", metavar="FILE", help="write a JSON report")
    run.add_argument(
        "--accumulate", choices=("exact", "float32"), default="exact",
        help="float32: repeat each PASS of cpu as plain float32 hardware would, and list what passes exactly only",
    )  # fmt: skip
    run.add_argument("-n", metavar="N", type=_count, help="worker processes (default: as many as pay; 0: none)")
    run.set_defaults(command=_run)
    snapshots = commands.add_parser("snapshots", help="look after snapshots").add_subparsers(
        required=True, metavar="COMMAND"
    )
    prune = snapshots.add_parser("prune", help="run everything, then remove entries whose case is gone")
    prune.add_argument("--target", choices=TARGETS, default="cpu")
    prune.set_defaults(command=_prune)
    return parser


def _count(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes")
    return int(text)


def project_root() -> Path:
    """The folder that holds wpt_data and snapshots: where this package lies in a checkout."""
    return Path(__file__).resolve().parents[1]


def _run(arguments: argparse.Namespace) -> int:
    corpus = find_corpus(arguments.corpus, project_root())
    paths, operator = _selected(corpus, arguments.op)
    cases = _count_cases(paths, operator, arguments.case)
    if cases == 0:
        raise UsageError(f"no case of {arguments.op or 'the corpus'} has {arguments.case!r} in its name")
    reason = TARGETS[arguments.target]().unavailable()
    if reason:
        print(f"conformance: target {arguments.target} is not available: {reason}", file=sys.stderr)
        return UNAVAILABLE
    if arguments.report:
        _check_writable(Path(arguments.report))
    if corpus.own and arguments.update_snapshots:
        raise UsageError("--update-snapshots: the snapshots are of this project's own cases, not of --corpus")
    mode = "update" if arguments.update_snapshots else "off" if arguments.no_snapshots or corpus.own else "check"
    options = [f"--wpt-target={arguments.target}", f"--wpt-snapshots={mode}", f"--wpt-root={project_root()}"]
    for name, value in (("op", operator), ("case", arguments.case), ("corpus", arguments.corpus)):
        options += [f"--wpt-{name}={value}"] if value else []
    if arguments.accumulate != "exact" and arguments.target != "cpu":
        raise UsageError("--accumulate is for --target cpu: no other target computes with the executor")
    options += [f"--wpt-accumulate={arguments.accumulate}"]
    options += [f"--wpt-report={Path(arguments.report).absolute()}"] if arguments.report else []
    workers = arguments.n if arguments.n is not None else _workers(arguments.target, cases)
    return _pytest(options, workers, paths)


def _check_writable(report: Path) -> None:
    """Before the run, not after it."""
    try:
        report.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=report.parent):
            pass
    except OSError as error:
        raise UsageError(f"--report {report}: cannot be written: {error.strerror}") from None
    if report.is_dir():
        raise UsageError(f"--report {report}: is a folder")


def _selected(corpus: Corpus, op: str | None) -> tuple[list[Path], str | None]:
    if op is not None:
        paths, operator = resolve(corpus, op)
        return list(paths), operator
    return [path for paths in corpus.files.values() for path in paths], None


def _count_cases(paths: Sequence[Path], operator: str | None, text: str | None) -> int:
    """How many cases there are to run; only counted as far as it matters."""
    if not text and not operator and len(paths) > 2:
        return PARALLEL_FROM
    found = (case for path in paths for case in load(path))
    return sum(
        (text or "").casefold() in case.name.casefold() and (operator is None or operator in case.ops) for case in found
    )


def _workers(target: str, cases: int) -> int:
    cores = os.cpu_count() or 1
    if target == "cpu":
        return cores if cases >= PARALLEL_FROM else 0
    return min(cores, -(-cases // 8))  # TensorRT can end the process: never in this one


def _pytest(options: Sequence[str], workers: int, paths: Sequence[Path]) -> int:
    import pytest

    arguments = [
        *("-p", "conformance.plugin", "-p", "no:syrupy", "-p", "no:cacheprovider", "-c", os.devnull),
        *(f"--rootdir={project_root()}", "-q", "-rN", "-W", "ignore"),
        *options,
    ]
    if workers:
        arguments += [f"-n{workers}", "--dist=load", "--max-worker-restart=10000"]
    status = pytest.main([*arguments, *map(str, paths)])
    return PASSED if status == pytest.ExitCode.OK else FAILED


def _prune(arguments: argparse.Namespace) -> int:
    from conformance.cases import select
    from conformance.snapshots import SnapshotStore

    corpus = find_corpus(None, project_root())
    if corpus.upstream is None:
        raise UsageError(f"prune needs the whole corpus: {corpus.notes[0]}")
    status = main(["run", f"--target={arguments.target}"])
    if status != PASSED:
        print("conformance: nothing pruned: the run was not clean", file=sys.stderr)
        return status
    known: dict[str, set[str]] = {}
    for case in select(corpus):
        known.setdefault(case.file, set()).add(case.name)
    store = SnapshotStore(project_root(), arguments.target)
    removed = 0
    for stem in store.stems():
        gone = [name for name in store.entries(stem) if name not in known.get(stem, ())]
        removed += len(gone)
        if gone:
            store.prune(stem, gone)
            print(f"pruned {stem}: {', '.join(gone)}")
    print(f"{removed} entries removed")
    return PASSED
