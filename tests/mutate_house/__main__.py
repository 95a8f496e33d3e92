"""`python -m tests.mutate_house`: change one constant of an oracle function or a lowering, and see which house cases fail.

Each mutation is made in a copy of the project, in a temporary folder. A mutation of the oracle is caught by a case whose
expected values it does not compute, within the case's tolerance; one of a lowering by a case that does not pass on cpu.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from tests.mutate_house.table import MUTATIONS
from tests.mutate_house.trial import Mutation, Unusable, tried

EPILOG = """exit status: 0 every mutation is caught, 1 some is not, 2 wrong usage, or the cases fail as they are

examples:
  python -m tests.mutate_house --only '[pad]'
  python -m tests.mutate_house --only 'oracle normalization.py'"""


def main(argv: Sequence[str] | None = None, mutations: Sequence[Mutation] = MUTATIONS) -> int:
    arguments = _parser().parse_args(argv)
    wanted = [mutation for mutation in mutations if (arguments.only or "").casefold() in str(mutation).casefold()]
    if not wanted:
        print(f"mutate_house: no mutation has {arguments.only!r} in it; --list shows them", file=sys.stderr)
        return 2
    if arguments.list:
        print(*wanted, sep="\n")
        return 0
    started, survivors = time.monotonic(), 0
    try:
        for number, trial in enumerate(tried(wanted), 1):
            survivors += not trial.caught
            print(f"{number:3}/{len(wanted)} {trial}", flush=True)
    except Unusable as error:
        print(f"mutate_house: {error}", file=sys.stderr)
        return 2
    said = f"{survivors} NOT CAUGHT" if survivors else "all caught"
    print(f"{len(wanted)} mutations, {said}; {time.monotonic() - started:.0f} s")
    return 1 if survivors else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutate_house", description=__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--list", action="store_true", help="show the mutations, and try none")
    parser.add_argument("--only", metavar="TEXT", help="those with TEXT in their line of --list, in any case")
    return parser


if __name__ == "__main__":
    sys.exit(main())
