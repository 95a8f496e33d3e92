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

from tests.executor_check import corpus, networks, reasons, whole, work
from tests.executor_check.children import in_children

EXPECTED = Path(__file__).with_name("expected.json")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.executor_check", description=__doc__)
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="only every Nth case")
    parser.add_argument(
        "--networks", action="store_true", help="whole networks instead, against onnxruntime and float64"
    )
    parser.add_argument(
        "--mutate", action="store_true", help="of networks: also change each layer type's results in turn"
    )
    options = parser.parse_args()
    began = time.monotonic()
    if options.networks:
        return whole_networks(options.mutate)
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


def whole_networks(mutate: bool) -> int:
    began, names = time.monotonic(), networks.names()
    results = in_children(whole.judge_and_mutate if mutate else whole.judge, names)
    found = {name: whole.Found(r) if isinstance(r, str) else r for name, r in zip(names, results, strict=True)}
    print(
        "| network | layers | executor from float64 | onnxruntime from float64 | between the two | outcome |\n|---|---|---|---|---|---|"
    )
    for name, one in found.items():
        far = " | ".join(f"{part:.1e}" for part in (one.executor, one.onnxruntime, one.beside))
        print(f"| {name} | {one.layers} | {far} | {one.outcome} |")
    if mutate:
        kinds = sorted({kind for one in found.values() for kind in one.noticed})
        for kind in kinds:
            marks = [mark for one in found.values() for mark in one.noticed.get(kind, ())]
            print(f"{kind}: {sum(marks)} of {len(marks)} other results noticed")
    wrong = unexpected(found, json.loads(EXPECTED.read_text())["networks"])
    for line in wrong:
        print(line)
    passed = sum(one.outcome == "pass" for one in found.values())
    print(
        f"{passed} of {len(found)} networks pass, in {time.monotonic() - began:.0f} s: "
        f"{'as expected' if not wrong else f'{len(wrong)} differ'}"
    )
    return 1 if wrong else 0


def unexpected(found: dict[str, whole.Found], expected: dict[str, list[Any]]) -> list[str]:
    """Each network is listed with its outcome and its number of layers."""
    lines = [f"{name}: is not there" for name in expected if name not in found]
    for name, one in found.items():
        kind = one.outcome.split(":")[0]
        if expected.get(name) != [kind, one.layers]:
            lines.append(f"{name}: {one.outcome} with {one.layers} layers, expected {expected.get(name, 'nothing')}")
    return lines


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
    """Cases whose reason has no evidence, or evidence that does not hold. (Random values need none.)"""
    given = [
        (case, expected["reasons"][expected["cases"][case.key][1]]) for case in cases if case.key in expected["cases"]
    ]
    given = [pair for pair in given if expected["cases"][pair[0].key][0] != "random"]
    found = in_children(reasons.shown, given)
    lines = [f"{case.key}: {text}: {reason['text']}" for (case, reason), text in zip(given, found, strict=True) if text]
    counts = Counter(expected["cases"][case.key][1] for case, _ in given)
    print(f"reasons, with evidence: {', '.join(f'{number} {reason}' for reason, number in counts.most_common())}")
    return lines


def _print_table(results: dict[str, work.Result]) -> None:
    counts: dict[str, Counter[str]] = {}
    for key, result in results.items():
        counts.setdefault(key.split("/")[0], Counter())[result.kind] += 1
    for group, kinds in counts.items():
        parsed = sum(kinds.values()) - kinds["refused"]
        print(f"{group}: {parsed} parsed, {', '.join(f'{kinds[k]} {k}' for k in sorted(kinds))}")


if __name__ == "__main__":
    sys.exit(main())
