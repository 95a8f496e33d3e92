"""Asks TensorRT about every constant of many graphs: make refit-rules, or `python -m tests.engine.refit_rules FILE …`.

The graphs are those of `graphs.py` and, for the cases of a file, the case's graph with all its inputs but the first as
constants. Folded, TensorRT must keep whatever is called refittable and ignore what nobody takes, and nothing may be
baked, but for 8-bit integers that are only moved: no constant has that type, so their cast stays. Not folded, it must
ignore nothing that is called refittable. Both must compute the same. Each file has a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from conformance.cases import Case, load
from tests.engine.folded import differing
from tests.engine.graphs import EXPORTED
from tests.engine.held import fate
from trtx_backend.engine import Weight, find_weights, lower_folded, refittable
from trtx_backend.graph import Graph, MLGraphBuilder
from trtx_backend.graph.serial import replay
from trtx_backend.lowering import lower

HOUSE = Path(__file__).parents[2] / "wpt_data" / "house"
OWN = "graphs.py"


def graphs(source: str) -> Iterator[tuple[str, Graph]]:
    """Graphs by name: of `graphs.py`, or of a file of cases."""
    if source == OWN:
        for name, make in EXPORTED.items():
            yield name, make()
        return
    for case in load(Path(source)):
        if isinstance(case, Case):
            first, *others = case.graph["inputs"]
            inputs = {name: {**case.graph["inputs"][name], "constant": True} for name in others}
            inputs[first] = {**case.graph["inputs"][first], "constant": False}
            builder = MLGraphBuilder()
            operands = replay(builder, {**case.graph, "inputs": {name: inputs[name] for name in case.graph["inputs"]}})
            yield case.name, builder.finish({name: operands[name] for name in case.graph["expectedOutputs"]})


def check(source: str) -> int:
    """How many constants TensorRT sees otherwise, and graphs compute otherwise, after a line for each and one of counts."""
    counts: Counter[str] = Counter()
    for name, graph in graphs(source):
        if not graph.constants:
            continue
        if outputs := differing(graph):
            counts["wrong"] += 1
            print(f"WRONG {source}: {name}: folded, it computes another {', '.join(outputs)}")
        for how in (lower_folded, lower):
            lowered = how(graph)
            weights = find_weights(lowered)
            for weight in weights if how is lower_folded else refittable(weights):
                said = "baked" if weight.baked else "refittable" if weight.users else "unused"
                did = fate(lowered, weight)
                right = {"refittable": did == "kept", "unused": did == "ignored", "baked": _is_8_bit(weight)}
                counts["right" if right[said] else "wrong"] += 1
                counts[f"{how.__name__}: {said}"] += 1
                if not right[said]:
                    print(
                        f"WRONG {source}: {name}: {how.__name__}: {weight}: {weight.baked or said}: TensorRT: {did[:200]}"
                    )
    print(f"{source}: {dict(counts)}", flush=True)
    return counts["wrong"]


def _is_8_bit(weight: Weight) -> bool:
    return all(operand.dtype in ("int8", "uint8", "int4", "uint4") for operand in weight.operands)


def main(sources: list[str]) -> int:
    if len(sources) == 1:
        return int(check(sources[0]) > 0)
    failed = []
    for source in sources or [OWN, *map(str, sorted(HOUSE.glob("*.json")))]:
        done = subprocess.run(
            [sys.executable, "-m", "tests.engine.refit_rules", source], stderr=subprocess.PIPE, text=True
        )
        if done.returncode:
            failed.append(f"{Path(source).name}: status {done.returncode}: {done.stderr.strip()[-300:]}")
    print("\n".join(failed) or "every constant as TensorRT sees it")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
