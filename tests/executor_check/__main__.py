"""`python -m tests.executor_check`: NVIDIA's parser as a second author. ONNX's tests of operators through it into networks,
these through the executor, what comes out against what ONNX expects."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.executor_check import corpus, reasons, work
from tests.executor_check.children import in_children

EXPECTED = Path(__file__).with_name("expected.json")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.executor_check", description=__doc__)
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="only every Nth case")
    options = parser.parse_args()
    began = time.monotonic()
    cases = corpus.cases()[:: options.sample]
    found = in_children(work.judge, cases)
    results = {case.key: work.Result(r) if isinstance(r, str) else r for case, r in zip(cases, found, strict=True)}
    _print_table(results)
    expected = json.loads(EXPECTED.read_text())
    wrong = differences(results, expected["cases"]) + doubtful(cases, expected)
    for line in wrong:
        print(line)
    print(
        f"{len(cases)} cases in {time.monotonic() - began:.0f} s: {'as expected' if not wrong else f'{len(wrong)} differ'}"
    )
    return 1 if wrong else 0


def differences(results: dict[str, work.Result], expected: dict[str, list[str]]) -> list[str]:
    """Cases whose outcome is not the expected one. Only what does not pass has an entry: outcome and reason."""
    lines = []
    for key, result in results.items():
        should = expected[key][0] if key in expected else "pass"
        if result.kind != "refused" and result.kind != should:
            lines.append(f"{key}: {result.kind} {result.detail}, expected {should}".replace("  ", " "))
        if result.kind == "refused" and key in expected:
            lines.append(f"{key}: the parser refuses it, expected {should}")
    return lines


def doubtful(cases: list[corpus.Case], expected: dict[str, Any]) -> list[str]:
    """Cases whose reason can be shown, and does not hold."""
    given = [
        (case, expected["reasons"][expected["cases"][case.key][1]]) for case in cases if case.key in expected["cases"]
    ]
    given = [pair for pair in given if "ignores" in pair[1] or "spelled_out" in pair[1]]
    found = in_children(reasons.shown, given)
    return [f"{case.key}: {text}: {reason['text']}" for (case, reason), text in zip(given, found, strict=True) if text]


def _print_table(results: dict[str, work.Result]) -> None:
    counts: dict[str, Counter[str]] = {}
    for key, result in results.items():
        counts.setdefault(key.split("/")[0], Counter())[result.kind] += 1
    for group, kinds in counts.items():
        parsed = sum(kinds.values()) - kinds["refused"]
        print(f"{group}: {parsed} parsed, {', '.join(f'{kinds[k]} {k}' for k in sorted(kinds))}")


if __name__ == "__main__":
    sys.exit(main())
