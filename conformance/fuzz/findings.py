"""What a run found: each kind of difference once, with the smallest graph that shows it, as a case file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.files import write_whole
from conformance.fuzz.judge import Difference
from conformance.fuzz.worker import outputs_of
from conformance.house.spec import number, tolerance_for
from conformance.oracle import Undefined, evaluate
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.serial import replay


def write_case(directory: Path, difference: Difference, graph: Mapping[str, Any], seed: int) -> Path:
    """The graph as a case, whose expected values are the oracle's: as far as the operator at fault, and its outputs."""
    made = [call["outputs"] if isinstance(call["outputs"], list) else [call["outputs"]] for call in graph["operators"]]
    last = next((i for i, names in enumerate(made) if difference.output in names), len(made) - 1)
    graph = {**graph, "operators": graph["operators"][: last + 1]}
    operands = replay(MLGraphBuilder(), graph)
    names = made[last] if difference.output else outputs_of(graph)[1]  # where nobody knows which, all are needed
    expected: dict[str, Any] = {
        name: {"data": 0, "descriptor": {"shape": list(operands[name].shape), "dataType": operands[name].dtype}}
        for name in names
    }
    case = {**graph, "expectedOutputs": expected}
    name = f"fuzz: {difference.operator} {difference.cause}, seed {seed}"
    try:
        for output, array in evaluate(case).items():
            expected[output]["data"] = [number(v, operands[output].dtype) for v in array.reshape(-1).tolist()]
    except Undefined:
        name += " (no values are defined: 0 stands for them)"
    rule = tolerance_for(case, {n: operand.shape for n, operand in operands.items()})
    text = json.dumps({"name": name, "graph": case, "tolerance": rule}, ensure_ascii=False)
    path = directory / f"fuzz_{difference.operator}_{difference.cause.lower()}_{seed}.json"
    directory.mkdir(parents=True, exist_ok=True)
    write_whole(path, f'{{"source": "fuzz", "revision": null, "tests": [\n{text}\n]}}\n')
    return path
