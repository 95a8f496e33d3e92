"""`python -m conformance sync`: upstream's cases into wpt_data/upstream."""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from conformance.cases import UsageError
from conformance.sync.corpus import Synced, put_in_place, write_cases
from conformance.sync.evaluate import Evaluator, Problem
from conformance.sync.manifest import Difference, Manifest, difference, make_manifest, read_manifest, write_manifest
from conformance.sync.upstream import REPOSITORY, Checkout, check_out, is_revision

SHOWN = 40

EPILOG = """exit status: 0 done; 1 something of upstream's could not be evaluated, or its cases are not those of the manifest:
nothing was written; 2 wrong usage, or upstream cannot be had

The manifest, wpt_data/manifest.json, pins a revision and has a digest of each case. --pin takes over another revision,
or other cases: review the manifest's diff, run `make test-wpt`, then commit both.

examples:
  python -m conformance sync                     the pinned revision, a download of some 10 MB
  python -m conformance sync --from ~/wpt        from a checkout that is there
  python -m conformance sync --revision master --pin"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], root: Path) -> None:
    parser = commands.add_parser(
        "sync",
        help="get upstream's cases",
        description="Evaluate the WebNN tests of web-platform-tests and write their cases as JSON.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--from", dest="checkout", metavar="DIR", type=Path, help="a checkout of web-platform-tests")
    parser.add_argument(
        "--revision", metavar="COMMIT",
        help="a commit or a branch to get (default: the manifest's commit); of a DIR that git does not know, its commit",
    )  # fmt: skip
    parser.add_argument("--repository", metavar="URL", default=REPOSITORY, help=f"(default: {REPOSITORY})")
    parser.add_argument("--to", metavar="DIR", type=Path, help="(default: wpt_data/upstream)")
    parser.add_argument("--pin", action="store_true", help="make the manifest say what was found")
    parser.add_argument("--root", metavar="DIR", type=Path, default=root, help=argparse.SUPPRESS)
    parser.set_defaults(command=run)


def run(arguments: argparse.Namespace) -> int:
    """Exit status; UsageError for what cannot be had."""
    path = arguments.root / "wpt_data" / "manifest.json"
    pinned = read_manifest(path)
    destination = (arguments.to or arguments.root / "wpt_data" / "upstream").absolute()
    if destination.is_symlink() or (destination.exists() and not destination.is_dir()):
        raise UsageError(f"{destination}: is a link or a file; remove it, or name another folder with --to")
    destination.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        checkout = _checkout(arguments, pinned, stack)
        revision = checkout.revision() or _named(arguments, pinned)
        print(f"web-platform-tests {revision[:10]}" + (f" in {arguments.checkout}" if arguments.checkout else ""))
        temporary = tempfile.TemporaryDirectory(dir=destination.parent, prefix=f".{destination.name}.")
        made = Path(stack.enter_context(temporary)) / "corpus"
        with Evaluator() as evaluator:
            synced = write_cases(checkout, revision, made, evaluator, _progress())
        found = make_manifest(revision, synced.files)
        change = difference(pinned, found)
        _tell(synced, pinned, change)
        if synced.problems or ((change or pinned is None) and not arguments.pin):
            print("nothing was written" + ("" if synced.problems else ": --pin takes this over into the manifest"))
            return 1
        put_in_place(made, destination)
    print(f"{synced.cases} cases written to {destination}")
    if arguments.pin and found != pinned:
        write_manifest(path, found)
        print(f"{path.name} now says {revision[:10]}; review it with git diff")
    return 0


def _checkout(arguments: argparse.Namespace, pinned: Manifest | None, stack: contextlib.ExitStack) -> Checkout:
    if arguments.checkout:
        return Checkout(arguments.checkout)
    revision = _named(arguments, pinned)
    print(f"getting {revision[:10]} from {arguments.repository} …", flush=True)
    return check_out(
        Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wpt-"))), revision, arguments.repository
    )


def _named(arguments: argparse.Namespace, pinned: Manifest | None) -> str:
    """The revision asked for, or the manifest's. Of a folder that git knows nothing of, it is what the caller says."""
    revision = arguments.revision or (pinned.revision if pinned else None)
    if revision is None:
        raise UsageError("which revision? the manifest has none: --revision COMMIT")
    if arguments.checkout and not is_revision(revision):
        raise UsageError(f"{arguments.checkout}: git does not know its commit")
    return str(revision)


def _progress() -> Callable[[str], None]:
    """The stem at work, where a terminal shows it."""
    if not sys.stderr.isatty():
        return lambda _: None
    return lambda stem: print(f"\r\x1b[K{stem}", end="\r", file=sys.stderr, flush=True)


def _tell(synced: Synced, pinned: Manifest | None, change: Difference) -> None:
    without = f"; {len(synced.without)} files have none: {', '.join(synced.without)}" if synced.without else ""
    print(f"{synced.cases} cases in {len(synced.files)} files{without}")
    for line in _listed(synced.problems):
        print(f"  cannot be evaluated: {line}")
    if pinned is None:
        print("there is no manifest to compare with")
        return
    counts = f"{len(change.new)} new, {len(change.changed)} changed, {len(change.removed)} removed"
    print(f"against the manifest ({pinned.revision[:10]}): {counts}")
    for label, cases in (("new", change.new), ("changed", change.changed), ("removed", change.removed)):
        for line in _listed([f"{stem}: {name}" for stem, name in cases]):
            print(f"  {label} {line}")


def _listed(lines: Sequence[str | Problem]) -> Iterator[str]:
    yield from (str(line) for line in lines[:SHOWN])
    if len(lines) > SHOWN:
        yield f"… and {len(lines) - SHOWN} more"
