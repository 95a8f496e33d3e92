"""`python -m conformance` (also `wpt`): run cases, keep snapshots.

What was asked for is checked here before pytest and TensorRT are loaded, so that a slip costs no time.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from conformance.batches import batches, run_batches
from conformance.cases import Corpus, UsageError, find_corpus, load, resolve
from conformance.checking import command as checking
from conformance.kept import default_path
from conformance.memory import default_limit
from conformance.options import Once, count, memory, seconds
from conformance.processes import run_pytest
from conformance.project import is_checkout, project_root, project_version
from conformance.report.dashboard import command as dashboard
from conformance.report.outputs import OUTPUTS, check_writable
from conformance.shards import Shard, shard_of
from conformance.sync import command as sync
from conformance.targets import GENERATIONS, TARGETS, snapshots_of
from conformance.triage.command import add_commands

PASSED, FAILED, USAGE, UNAVAILABLE = 0, 1, 2, 3

TARGET_HELP = "cpu (default): numbers, no GPU needed; engine: compiles for each GPU, no GPU needed; trtx: the GPU"

PARALLEL_FROM = {"cpu": 300, "engine": 120}
"""Cases that take as long as the second in which a worker process starts; also what is taken for any other target."""

EXTRA = ("pytest", "xdist", "syrupy", "jinja2", "markupsafe", "jsonschema", "py_mini_racer", "hypothesis")
"""Modules of the extra `conformance`, which a program that only runs graphs does not need."""

EPILOG = """exit status: 0 all as expected (with --no-snapshots: all PASS), 1 not, 2 wrong usage, 3 target not available

The cases: --corpus DIR, else $WPT_DATA, else wpt_data/upstream, with the house cases of wpt_data/house. A DIR of other
cases than the project's own has no snapshots and runs without the house cases: all must PASS.
A case that crashes, takes too much memory or takes too long ends as CRASH or TIMEOUT, and the others go on. Such an outcome is never accepted
into a snapshot. An update changes the entries of cases that ran, and removes none; `snapshots prune` does.

examples:
  python -m conformance run --op conv2d
  python -m conformance run --target engine --op conv2d --case nhwc
  python -m conformance run --corpus my_cases --report report.json
  python -m conformance run --op conv2d --update-snapshots
  python -m conformance run -- -x --durations=10          what follows -- goes to pytest"""


def main(argv: Sequence[str] | None = None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that is not UTF-8 must not end the run
    words = list(sys.argv[1:] if argv is None else argv)
    end = words.index("--") if "--" in words else len(words)
    arguments = _parser().parse_args(words[:end])
    arguments.pytest = words[end + 1 :]
    try:
        return int(arguments.command(arguments))
    except UsageError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return USAGE
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in EXTRA:
            raise
        print(f"conformance: {missing} is missing: pip install 'trtx-webnn[conformance]'", file=sys.stderr)
        return UNAVAILABLE


class Version(argparse.Action):
    """As argparse's own, which wants to know the version at every start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"trtx-webnn {project_version()}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="wpt", description="WebNN conformance cases, one by one.")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--target", choices=TARGETS, default="cpu", help=TARGET_HELP)
    shared.add_argument("--root", metavar="DIR", type=Path, default=project_root(), help=argparse.SUPPRESS)
    parser.add_argument("--version", action=Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run",
        parents=[shared],
        help="run cases on a target",
        description="Run conformance cases on a target, compare with WPT's tolerances and with the snapshots.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("--corpus", metavar="DIR", action=Once, help="case files to run instead (see below)")
    run.add_argument("--op", metavar="NAME", action=Once, help="one operator: a file's name, or an operator's; exact")
    run.add_argument("--case", metavar="TEXT", action=Once, help="cases whose name contains TEXT, in any case")
    run.add_argument(
        "--shard", metavar="I/N", type=_shard, action=Once, help="part I of N, the same cases whatever else there is"
    )
    mode = run.add_mutually_exclusive_group()
    mode.add_argument("--no-snapshots", action="store_true", help="expect PASS everywhere")
    mode.add_argument("--update-snapshots", action="store_true", help="accept what the cases that run come to")
    for name, text in OUTPUTS.items():
        run.add_argument(f"--{name}", metavar="FILE", action=Once, help=text)
    run.add_argument("--timeout", metavar="SECONDS", type=seconds, default=60.0, help="for one case (default: 60)")
    run.add_argument(
        "--memory-limit", metavar="SIZE", type=memory, dest="memory",
        help="for one case, like 800M or 2G; 0: none (default: 3/4 of the machine's, shared among the workers)",
    )  # fmt: skip
    run.add_argument(
        "--accumulate", choices=("exact", "float32"), default="exact",
        help="float32: repeat each PASS of cpu as plain float32 hardware would, and list what passes exactly only",
    )  # fmt: skip
    run.add_argument(
        "--sm", choices=GENERATIONS,
        help="engine: compile for this generation of GPUs only (default: one plan for all but SM75)",
    )  # fmt: skip
    run.add_argument(
        "--fresh", action="store_true",
        help="compile every network, also those that an earlier run compiled and that are unchanged since (engine)",
    )  # fmt: skip
    where = run.add_mutually_exclusive_group()
    where.add_argument("-n", metavar="N", type=count, help="worker processes (default: as many as pay; 0: none)")
    where.add_argument(
        "--tx", metavar="SPEC", action="append", type=_gateway, help="a worker elsewhere (docs/testing.md); repeat it"
    )
    run.set_defaults(command=_run)
    snapshots = commands.add_parser("snapshots", help="look after snapshots").add_subparsers(
        required=True, metavar="COMMAND"
    )
    prune = snapshots.add_parser(
        "prune",
        parents=[shared],
        help="run everything, then remove entries whose case is gone",
        description="Run every case on a target and, if all is as expected, remove snapshot entries without a case.",
    )
    prune.set_defaults(command=_prune)
    diff = snapshots.add_parser(
        "diff",
        help="what changed since a revision",
        description="Compare the snapshots of the working tree with those at a git revision, operator by operator.",
    )
    diff.add_argument("--base", metavar="REVISION", default="main", help="git revision (default: main)")
    diff.add_argument("--format", choices=("text", "markdown"), default="text", help="markdown: for a pull request")
    diff.add_argument("--root", metavar="DIR", type=Path, default=project_root(), help=argparse.SUPPRESS)
    diff.set_defaults(command=_diff)
    add_commands(commands, shared)
    reports = commands.add_parser("report", help="reports of runs").add_subparsers(required=True, metavar="COMMAND")
    merge = reports.add_parser(
        "merge",
        help="reports of the parts of a run as one",
        description="Join the JSON reports of several runs, as of --shard 1/3, 2/3 and 3/3, into one. They must be of one "
        "target, corpus and set of versions, no case may be in two of them, and no part may be missing.",
    )
    merge.add_argument("reports", nargs="+", type=Path, metavar="REPORT.json")
    merge.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="the report of all")
    merge.set_defaults(command=_merge)
    checking.add_report_schema(reports)
    checking.add_parser(commands, memory)
    page = commands.add_parser("dashboard", help="write a page of reports", description=dashboard.ABOUT)
    dashboard.add_arguments(page, project_root())
    sync.add_parser(commands, project_root())
    return parser


def _gateway(text: str) -> str:
    """A worker process of execnet's, `popen//python=COMMAND`, whose COMMAND may lead to another machine."""
    match = re.fullmatch(r"(?:\d+\*)?popen((?://\w+=[^/].*|//\w+=/.*)*)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not popen or popen//python=COMMAND")
    command = re.search(r"//python=(.+?)(?=//\w+=|$)", text)
    words = shlex.split(command[1]) if command else []
    if words and shutil.which(words[0]) is None:
        raise argparse.ArgumentTypeError(f"{text!r}: there is no command {words[0]!r}")
    return text


def _shard(text: str) -> Shard:
    try:
        return shard_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _run(arguments: argparse.Namespace) -> int:
    corpus, directory = _corpus(arguments.corpus, arguments.root)
    paths, operator = _selected(corpus, arguments.op)
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: is a link that leads nowhere")
    cases = _count_cases(paths, operator, arguments.case)
    if cases == 0:
        where = arguments.op or arguments.corpus or "the corpus"
        raise UsageError(
            f"no case of {where} has {arguments.case!r} in its name"
            if arguments.case
            else f"there is no case in {where}"
        )
    if corpus.own and arguments.update_snapshots:
        raise UsageError("--update-snapshots: the snapshots are of this project's own cases, not of --corpus")
    if arguments.update_snapshots:
        _check_ours(arguments.root)
    if arguments.accumulate != "exact" and arguments.target != "cpu":
        raise UsageError("--accumulate is for --target cpu: no other target computes with the executor")
    if arguments.sm and (arguments.target != "engine" or arguments.update_snapshots):
        raise UsageError("--sm is for --target engine, whose snapshots are of all generations")
    if arguments.update_snapshots and snapshots_of(arguments.target) != arguments.target:
        raise UsageError(
            f"{arguments.target} has no snapshots of its own: those of {snapshots_of(arguments.target)} hold"
        )
    reason = TARGETS[arguments.target]().unavailable()
    if reason:
        print(f"conformance: target {arguments.target} is not available: {reason}", file=sys.stderr)
        return UNAVAILABLE
    if arguments.wptreport and corpus.revision is None:
        raise UsageError("--wptreport needs upstream's cases: wpt.fyi files a run under their revision")
    outputs = {name: getattr(arguments, name) for name in OUTPUTS}
    check_writable(outputs)
    mode = "update" if arguments.update_snapshots else "off" if arguments.no_snapshots or corpus.own else "check"
    options = [f"--wpt-target={arguments.target}", f"--wpt-snapshots={mode}", f"--wpt-root={arguments.root}"]
    options += [f"--wpt-accumulate={arguments.accumulate}", f"--wpt-timeout={arguments.timeout}"]
    if arguments.target == "engine":
        options += [f"--wpt-kept={default_path(arguments.root)}", *(["--wpt-fresh"] if arguments.fresh else [])]
    files = {name: Path(value).absolute() for name, value in outputs.items() if value}
    for name, value in (
        ("op", operator), ("case", arguments.case), ("shard", arguments.shard), ("corpus", directory),
        ("sm", arguments.sm),
    ):  # fmt: skip
        options += [f"--wpt-{name}={value}"] if value else []
    workers = arguments.n if arguments.n is not None else _workers(arguments.target, cases)
    gateways = arguments.tx or ["popen"] * workers
    options += [f"--wpt-memory={default_limit(len(gateways)) if arguments.memory is None else arguments.memory}"]
    options = [*arguments.pytest, *options]

    def run(some: Sequence[Path], more: Sequence[str]) -> int:
        return run_pytest(arguments.root, [*options, *more], some, gateways)

    groups = list(batches(paths))
    if len(groups) > 1:
        status = run_batches(groups, run, files)
    else:
        status = run(paths, [f"--wpt-{name}={path}" for name, path in files.items()])
    nothing = PASSED if arguments.shard else FAILED  # of few cases a part may have none
    return {0: PASSED, 4: USAGE, 5: nothing}.get(status, FAILED)


def _corpus(directory: str | None, root: Path) -> tuple[Corpus, str | None]:
    """The corpus, and its directory if that is another than the project's own: to name that one is not to leave it."""
    if directory is None:
        return find_corpus(None, root), None
    named = find_corpus(directory, root)
    try:
        own = find_corpus(None, root)
    except UsageError:
        return named, directory  # $WPT_DATA is wrong, which does not matter here
    same = own.upstream is not None and own.upstream.samefile(directory)
    return (own, None) if same else (named, directory)


def _selected(corpus: Corpus, op: str | None) -> tuple[list[Path], str | None]:
    if op is not None:
        paths, operator = resolve(corpus, op)
        return list(paths), operator
    return [path for paths in corpus.files.values() for path in paths], None


def _count_cases(paths: Sequence[Path], operator: str | None, text: str | None) -> int:
    """How many cases there are to run; of a whole corpus only that they are many."""
    if not text and not operator and len(paths) > 10:
        return max(PARALLEL_FROM.values())
    found = (case for path in paths for case in load(path))
    return sum(
        (text or "").casefold() in case.name.casefold() and (operator is None or operator in case.ops) for case in found
    )


def _workers(target: str, cases: int) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if cases >= PARALLEL_FROM.get(target, PARALLEL_FROM["cpu"]) else 0


def _prune(arguments: argparse.Namespace) -> int:
    from conformance.snapshots import SnapshotStore, stale_entries

    _check_ours(arguments.root)
    corpus = find_corpus(None, arguments.root)
    if corpus.upstream is None:
        raise UsageError(f"prune needs the whole corpus: {corpus.notes[0]}")
    _check_whole(corpus, arguments.root)
    status = main(["run", f"--target={arguments.target}", f"--root={arguments.root}"])
    if status != PASSED:
        print("conformance: nothing pruned: the run was not clean", file=sys.stderr)
        return status
    store = SnapshotStore(arguments.root, arguments.target)
    removed = 0
    for stem, names in stale_entries(store, corpus, store.stems()).items():
        store.prune(stem, names)
        removed += len(names)
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        print(f"pruned {stem}: {', '.join(names[:3])}{more}")
    print(f"{removed} entries removed")
    return PASSED


def _check_whole(corpus: Corpus, root: Path) -> None:
    """UsageError unless all cases of the manifest are at hand: entries of those that are not would go."""
    from conformance.sync.manifest import read_manifest

    manifest = read_manifest(root / "wpt_data" / "manifest.json")
    there = {(stem, case.name) for stem, paths in corpus.files.items() for path in paths for case in load(path)}
    missing = [key for key in manifest.keys() if key not in there] if manifest else []  # noqa: SIM118
    if missing:
        stem, name = missing[0]
        raise UsageError(
            f"prune needs the whole corpus, and {len(missing)} cases of wpt_data/manifest.json are not in {corpus.upstream}: "
            f"{stem}: {name} first; make wpt-sync gets them"
        )


def _check_ours(root: Path) -> None:
    if root == project_root() and not is_checkout():
        raise UsageError("the snapshots of an installed package are those of its release: change them in a checkout")


def _diff(arguments: argparse.Namespace) -> int:
    from conformance.snapshots import SnapshotError
    from conformance.snapshots_diff import as_markdown, as_text, differences

    corpus = find_corpus(None, arguments.root)
    try:
        found = differences(arguments.root, arguments.base, corpus)
    except SnapshotError as error:
        raise UsageError(str(error)) from None
    note = (
        "" if corpus.upstream else "Stale entries are those of the house cases only: there is no upstream corpus here."
    )
    print({"text": as_text, "markdown": as_markdown}[arguments.format](found, arguments.base, note), end="")
    return PASSED


def _merge(arguments: argparse.Namespace) -> int:
    from conformance.merge import merge
    from conformance.report.json import write_report

    check_writable({"output": str(arguments.output)})
    if arguments.output.resolve() in {path.resolve() for path in arguments.reports}:
        raise UsageError(f"--output {arguments.output}: is one of the reports to join")
    report = merge(arguments.reports)
    write_report(arguments.output, report)
    counts = ", ".join(f"{count} {status}" for status, count in report.counts.items() if count)
    print(f"{report.target}: {len(report.rows)} of {report.known} cases: {counts or 'none'}")
    return PASSED
