"""`python -m tests.executor_check.evidence`: what is the executor's evidence worth? Changes the results of each layer type and
mode in turn, and counts which executions of ONNX's tests and of the tests by hand notice it; and says which layer types,
modes and data types these run at all. The house cases are no evidence here: who wrote them wrote the executor."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.executor_check.work import Result

KEPT = Path(__file__).with_name("evidence.json")
REPORT = Path(__file__).parents[2] / "reports" / "mutation-executor.json"
BAR = 0.95
"""The least share of changes noticed, for each layer type that a lowering uses."""

Json = dict[str, Any]
SOURCES = ("onnx", "hand")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.executor_check.evidence", description=__doc__)
    parser.add_argument("--accept", action="store_true", help="keep what was found, and write docs/executor.md from it")
    options = parser.parse_args()
    began = time.monotonic()
    found = measure()
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(json.dumps(found, indent=1) + "\n")
    print("\n".join(table(found)))
    wrong = weak(found) + uncovered(found) + unfinished(found) + unnoticed(found)
    if options.accept:
        from tests.executor_check import evidence_doc

        KEPT.write_text(as_lines(found))
        evidence_doc.write()
    else:
        wrong += differences(found, json.loads(KEPT.read_text()))
    print("\n".join(wrong))
    print(
        f"{time.monotonic() - began:.0f} s: {'as it should be' if not wrong else f'{len(wrong)} are not as they should be'}"
    )
    return 1 if wrong else 0


def measure() -> Json:
    """Everything, in two minutes on two cores. Of an ONNX test that is generated and shipped only the former is changed."""
    from tests.executor_check import by_hand, corpus, work
    from tests.executor_check.children import in_children

    cases = corpus.cases()
    first = {case.name: case.key for case in reversed(cases)}
    changed = [case for case in cases if first[case.name] == case.key]
    others = [case for case in cases if first[case.name] != case.key]
    done = in_children(work.judge_and_mutate, changed) + in_children(work.judge, others)
    results = [work.Result(r) if isinstance(r, str) else r for r in done]
    kinds: dict[str, Counter[str]] = {case.corpus: Counter() for case in cases}
    for case, result in zip(changed + others, results, strict=True):
        kinds[case.corpus][result.kind] += 1
    # not before: the children are forked, and TensorRT is loaded in each of them
    from tests.executor_check import lowered, modes

    used = lowered.of_examples() | lowered.of_house_cases()
    sources = {"onnx": [r for r in results if r.kind in ("pass", "dtype")], "hand": by_hand.observe(mutate=True)}
    layers = _layers(sources, used)
    return {
        "cases": {name: dict(sorted(found.items())) for name, found in kinds.items()},
        "never": modes.never({key.rpartition("|")[0] for key in layers}),
        "layers": layers,
        "mutations": _mutations(sources),
        "misread": _misread(sources),
        "missed": {name: sorted(line for r in found for line in r.missed) for name, found in sources.items()},
    }


def _layers(sources: dict[str, list[Result]], used: set[tuple[str, str, str]]) -> Json:
    """By "TYPE|mode|DATATYPE": in how many cases and tests it runs, and whether a lowering uses it."""
    rows: dict[str, Json] = {}
    for source, results in sources.items():
        for key, count in Counter(layer for r in results for layer in r.layers).items():
            rows.setdefault("|".join(key), {})[source] = count
    for key in used:
        rows.setdefault("|".join(key), {})["used"] = True
    return dict(sorted(rows.items()))


def _mutations(sources: dict[str, list[Result]]) -> Json:
    """By "TYPE|mode" and perturbation: noticed, missed, without effect, of each source."""
    rows: dict[str, dict[str, dict[str, list[int]]]] = {}
    for source, results in sources.items():
        for result in results:
            for (kind, mode, name), counts in result.mutations.items():
                row = rows.setdefault(f"{kind}|{mode}", {}).setdefault(name, {s: [0, 0, 0] for s in SOURCES})
                row[source] = [a + b for a, b in zip(row[source], counts, strict=True)]
    return {key: dict(sorted(row.items())) for key, row in sorted(rows.items())}


def _misread(sources: dict[str, list[Result]]) -> Json:
    """By "TYPE|parameter|what it was taken for": noticed, missed, without effect, of each source."""
    rows: dict[str, dict[str, list[int]]] = {}
    for source, results in sources.items():
        for result in results:
            for key, number in result.misread.items():
                row = rows.setdefault("|".join(key), {s: [0, 0, 0] for s in SOURCES})
                row[source] = [a + b for a, b in zip(row[source], number, strict=True)]
    return dict(sorted(rows.items()))


def counts(found: Json, keys: Iterable[str], source: str | None = None, name: str | None = None) -> list[int]:
    """Noticed, missed and without effect, over "TYPE|mode" keys."""
    total = [0, 0, 0]
    for key in keys:
        for perturbation, row in found["mutations"].get(key, {}).items():
            for s in SOURCES if source is None else (source,):
                if name in (None, perturbation):
                    total = [a + b for a, b in zip(total, row[s], strict=True)]
    return total


def share(total: list[int]) -> float | None:
    """Of the executions whose outputs a change did change."""
    noticed, missed, _ = total
    return noticed / (noticed + missed) if noticed + missed else None


def types(found: Json) -> dict[str, list[str]]:
    """Layer types, each with its "TYPE|mode" keys."""
    by_type: dict[str, list[str]] = {}
    for key in found["mutations"]:
        by_type.setdefault(key.split("|")[0], []).append(key)
    return by_type


def used_types(found: Json) -> set[str]:
    return {key.split("|")[0] for key, row in found["layers"].items() if row.get("used")}


def used_modes(found: Json) -> set[str]:
    return {key.rpartition("|")[0] for key, row in found["layers"].items() if row.get("used")}


def table(found: Json) -> list[str]:
    used = used_types(found)
    lines = [
        f"{'layer type':22}{'used':6}{'noticed':>9}{'missed':>8}{'no effect':>11}{'share':>8}{'ONNX':>8}{'by hand':>9}"
    ]
    for kind, keys in types(found).items():
        total = counts(found, keys)
        shares = [percent(share(counts(found, keys, source))) for source in (None, *SOURCES)]
        lines.append(
            f"{kind:22}{'yes' if kind in used else '':6}{total[0]:9}{total[1]:8}{total[2]:11}"
            f"{shares[0]:>8}{shares[1]:>8}{shares[2]:>9}"
        )
    return lines


def percent(value: float | None) -> str:
    """Rounded down: 100.0 is all."""
    return "–" if value is None else f"{int(value * 1000) / 10}"


def weak(found: Json) -> list[str]:
    """Layer types that a lowering uses, and of whose changes too few are noticed; and of each mode by either kind of tests:
    those of ONNX may not show a change that the rest of their network undoes."""
    lines = []
    for kind in sorted(used_types(found)):
        value = share(counts(found, types(found).get(kind, [])))
        if value is None or value < BAR:
            lines.append(f"{kind}: {percent(value)} % of its changes are noticed, it should be {BAR:.0%}")
    for key in sorted(used_modes(found)):
        values = [share(counts(found, [key], source)) for source in SOURCES]
        if max(value or 0 for value in values) < BAR:
            said = " and ".join(map(percent, values))
            lines.append(f"{key}: ONNX's tests and those by hand notice {said} %, one should {BAR:.0%}")
    return lines


def unfinished(found: Json) -> list[str]:
    """Processes that came to an end with a case, which then is no evidence."""
    return [
        f"{name}: {number} {kind}"
        for name, kinds in found["cases"].items()
        for kind, number in kinds.items()
        if kind in ("crashed", "timed out")
    ]


def unnoticed(found: Json) -> list[str]:
    """Misreadings of parameters that no test notices, although one could; and those that one does, although none should."""
    from tests.executor_check.misreading import NO_DIFFERENCE

    excused = {"|".join(key) for key in NO_DIFFERENCE}
    never = {key for key, row in found["misread"].items() if not any(row[s][0] for s in SOURCES)}
    return [f"{key}: no test notices it" for key in sorted(never - excused)] + [
        f"{key}: it is said to make no difference, and {'a test notices it' if key in found['misread'] else 'was not tried'}"
        for key in sorted(excused - never)
    ]


def uncovered(found: Json) -> list[str]:
    """What a lowering uses, and neither ONNX nor a test by hand runs."""
    return [
        f"{key}: a lowering uses it, no independent test does"
        for key, row in found["layers"].items()
        if row.get("used") and not any(row.get(source) for source in SOURCES)
    ]


def differences(found: Json, kept: Json) -> list[str]:
    """Which layers are run and used, and by whom, must be as kept. (The counts are those of the day.)"""
    lines = []
    for key in sorted({*found["layers"], *kept["layers"]}):
        now, then = (sorted(table["layers"].get(key, {})) for table in (found, kept))
        if now != then:
            lines.append(f"{key}: {', '.join(now) or 'nothing'}, kept is {', '.join(then) or 'nothing'}: --accept?")
    return lines


def as_lines(found: Json) -> str:
    """What is kept, a line a row: no names of tests, and no perturbations apart but in sum."""
    names = dict.fromkeys(name for row in found["mutations"].values() for name in row)
    sums = {key: {"": {source: counts(found, [key], source) for source in SOURCES}} for key in found["mutations"]}
    parameters: dict[str, list[int]] = {}
    for key, row in found["misread"].items():
        told = [1, bool(row["onnx"][0]), bool(row["hand"][0]), any(row[s][0] for s in SOURCES)]
        name = key.rpartition("|")[0]
        parameters[name] = [a + b for a, b in zip(parameters.get(name, [0] * 4), told, strict=True)]
    by_name = {name: counts(found, found["mutations"], name=name) for name in names}
    parts = [f' "never": {json.dumps(found["never"])}']
    for title, rows in (
        ("cases", found["cases"]),
        ("layers", found["layers"]),
        ("mutations", sums),
        ("by_name", by_name),
        ("parameters", parameters),
    ):
        body = ",\n".join(f"  {json.dumps(key)}: {json.dumps(row)}" for key, row in rows.items())
        parts.append(f' "{title}": {{\n{body}\n }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main())
