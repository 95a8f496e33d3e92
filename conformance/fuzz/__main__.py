"""`python -m conformance.fuzz`: draw graphs, judge them, write what is wrong as case files."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from conformance.fuzz.campaign import PIECE, Campaign, Finding
from conformance.fuzz.draws import by_name
from conformance.fuzz.findings import write_case
from conformance.fuzz.worker import Worker

EPILOG = """exit status: 0 nothing was found, 1 something was, 2 wrong usage

Each piece of 200 graphs has a seed of its own, from --seed on. Nine graphs of ten are valid; their numbers on cpu are
compared with the oracle's, operator by operator. One of ten is broken: the builder must refuse it."""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    known = {name.casefold(): name for name in by_name()}
    wanted = [name for word in arguments.op or () for name in word.replace(",", " ").split()]
    wrong = [name for name in wanted if name.replace("_", "").casefold() not in known]
    if wrong:
        print(f"conformance.fuzz: there is no operator {wrong[0]!r}", file=sys.stderr)
        return 2
    worker = Worker(arguments.timeout)
    operators = [known[name.replace("_", "").casefold()] for name in wanted]
    campaign = Campaign(worker, operators, arguments.engine)
    findings: list[Finding] = []

    def report(finding: Finding) -> None:
        findings.append(finding)
        print(f"\nFOUND, seed {finding.seed}: {finding.difference}", flush=True)
        if finding.difference.cause not in ("ACCEPTED", "SILENT", "ERROR"):
            print(f"  {write_case(arguments.out, finding.difference, finding.graph, finding.seed)}", flush=True)

    started, seed, done = time.monotonic(), arguments.seed, 0
    try:
        while done < arguments.graphs:
            count = min(PIECE, arguments.graphs - done)
            campaign.invalid(count // 10, seed, report)
            campaign.valid(count - count // 10, seed, report)
            done, seed = done + count, seed + 1000
            rate = done / (time.monotonic() - started)
            print(f"{done}/{arguments.graphs} graphs, {rate:.1f} a second, {len(findings)} found", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    finally:
        worker.stop()
    _summary(campaign, findings)
    return 1 if findings else 0


def _summary(campaign: Campaign, findings: Sequence[Finding]) -> None:
    tally = campaign.tally
    print(f"{tally.valid} valid graphs, {tally.engines} of them compiled; {tally.invalid} invalid ones; "
          f"{tally.crashes} crashes of a worker; {len(tally.operators)} operators")  # fmt: skip
    print("  " + ", ".join(f"{status} {count}" for status, count in tally.statuses.most_common()))
    for reason, count in tally.explained.most_common():
        print(f"  explained {count}: {reason}")
    for kind, count in tally.kinds.most_common():
        print(f"  {kind[0]} {kind[1]}: {count}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz", description=__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--op", action="append", metavar="NAME", help="the last operator of each graph is one of these")
    parser.add_argument("--graphs", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument(
        "--engine", type=int, default=1, metavar="K", help="build one in K graphs (default: all; 0: none)"
    )
    parser.add_argument("--timeout", type=float, default=60, metavar="SECONDS", help="for one graph")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), metavar="DIR", help="where case files go")
    return parser


if __name__ == "__main__":
    sys.exit(main())
