"""Whole networks: the executor and onnxruntime, each against ONNX's reference in float64."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.executor_check.children import quiet

NEAR = 2.0**-21
"""How far the executor may be from float64, as a part of the greatest value of the output: 8 times what one rounding to
float32 may be off, for as many as there are layers, one behind the other."""
BESIDE = 2.0**-19
"""How far onnxruntime may be from the executor: it accumulates in float32."""

CHANGES = ("every element", "transposed")
"""Of the other results that mutation.py knows; one element of many in an inner layer may be beyond notice."""


@dataclass
class Found:
    outcome: str
    layers: int = 0
    executor: float = 0.0
    """The greatest difference from float64 in any output: see far()."""
    onnxruntime: float = 0.0
    beside: float = 0.0
    """Between the two."""
    noticed: dict[str, list[bool]] = field(default_factory=dict)
    """By layer type: whether other results of all its layers of a mode were noticed."""


def judge(name: str) -> Found:
    return _judge(name, mutate=False)


def judge_and_mutate(name: str) -> Found:
    return _judge(name, mutate=True)


def _judge(name: str, mutate: bool) -> Found:
    # TensorRT is loaded in the child only
    quiet()
    import onnxruntime

    from tests.executor_check import mutation, networks, reference
    from trtx_backend.executor import execute, read
    from trtx_backend.trt import create_network, log, trt

    model, feeds = networks.made(name)
    network = create_network()
    parser = trt.OnnxParser(network, log)
    if not parser.parse(model):
        return Found(f"refused: {log.take_errors()[:200]}")
    given = {network.get_input(i).name: array for i, array in enumerate(feeds.values())}
    names = [network.get_output(i).name for i in range(network.num_outputs)]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    theirs = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(None, feeds)
    exact = reference.in_float64(model, feeds)
    with mutation.observed() as subject:
        program = read(network)

        def run() -> list[Any]:
            results = execute(program, given)
            return [results[name] for name in names]

        ours = run()
        found = Found("pass", network.num_layers, far(ours, exact), far(theirs, exact), far(ours, theirs))
        found.outcome = verdict(found)
        if mutate and found.outcome == "pass":
            for mutant in mutation.mutants(subject.layers):
                if mutant.perturbation in CHANGES:
                    subject.mutant = mutant
                    marks = found.noticed.setdefault(mutant.kind, [])
                    marks += noticed(run, ours, exact)
    return found


def verdict(found: Found) -> str:
    wrong = [f"{found.executor:.1e} from float64"] if not found.executor <= NEAR else []
    wrong += [f"{found.beside:.1e} from onnxruntime"] if not found.beside <= BESIDE else []
    return "mismatch: " + ", ".join(wrong) if wrong else "pass"


def noticed(run: Any, right: list[Any], exact: list[Any]) -> list[bool]:
    """Nothing, if the outputs are the same."""
    try:
        results = run()
    except Exception:  # a shape or an index that cannot be
        return [True]
    if all(np.array_equal(a, b) for a, b in zip(results, right, strict=True)):
        return []
    return [not far(results, exact) <= NEAR]


def far(results: list[Any], exact: list[Any]) -> float:
    """The greatest difference in any output, as a part of the greatest value there; infinite if anything is not finite. The
    output of a softmax is followed by its logits: what these are off by is relative there, and counts as often."""
    if [a.shape for a in results] != [b.shape for b in exact]:
        return np.inf
    size = [float(np.abs(b).max()) for b in exact]
    if len(size) > 1:
        size[0] *= max(1.0, size[1])
    parts = [np.abs(a.astype(np.float64) - b).max() / n for a, b, n in zip(results, exact, size, strict=True)]
    return float(max(part if np.isfinite(part) else np.inf for part in parts))
