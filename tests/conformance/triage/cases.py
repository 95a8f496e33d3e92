"""A case with a chain of operators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from conformance.cases import Case
from conformance.oracle import evaluate
from conformance.triage.graphs import data_of, descriptors_of

RNG = np.random.default_rng(5)
DATA = [round(float(value), 4) for value in RNG.uniform(-3, 3, 48)]


def chain(shape: Sequence[int] = (1, 2, 4, 6)) -> Case:
    """relu -> clamp -> sigmoid -> add -> tanh, of at most 48 elements; two outputs."""
    x = {"data": DATA[: math.prod(shape)], "descriptor": {"shape": list(shape), "dataType": "float32"}}
    operators: list[dict[str, Any]] = [
        {"name": "relu", "arguments": [{"input": "x"}], "outputs": "positive"},
        {
            "name": "clamp",
            "arguments": [{"input": "positive"}, {"options": {"minValue": 0.25, "maxValue": 2, "label": "some"}}],
            "outputs": "clamped",
        },
        {"name": "sigmoid", "arguments": [{"input": "clamped"}], "outputs": "sigmoided"},
        {"name": "add", "arguments": [{"a": "sigmoided"}, {"b": "x"}], "outputs": "sum"},
        {"name": "tanh", "arguments": [{"input": "sum"}], "outputs": "y"},
    ]
    return expecting("chain", {"inputs": {"x": x}, "operators": operators}, "y", "sum")


def expecting(name: str, graph: dict[str, Any], *outputs: str) -> Case:
    """A case of the graph that expects what the oracle computes."""
    descriptors = descriptors_of({**graph, "expectedOutputs": {}})
    expected: dict[str, Any] = {
        output: {"data": 0, "descriptor": {"shape": list(descriptors[output][1]), "dataType": descriptors[output][0]}}
        for output in outputs
    }
    whole = {**graph, "expectedOutputs": expected}
    for output, array in evaluate(whole).items():
        expected[output]["data"] = data_of(array)
    return Case("made", Path("made.json"), 0, name, whole, None)
