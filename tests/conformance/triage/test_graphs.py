"""Graphs taken apart."""

from __future__ import annotations

import json

import numpy as np
import pytest

from conformance.triage.graphs import descriptors_of, inputs_of, outputs_of, part, resource
from tests.conformance.triage.cases import chain
from trtx_backend.graph.serial import read_array


@pytest.mark.parametrize(
    ("dtype", "numpy", "values"),
    [
        ("float32", np.float32, [0.1, -0.0, 0.0, 3, -7, 1e30, 1e-45, np.nan, np.inf, -np.inf, 16777217]),
        ("float16", np.float16, [0.1, -0.0, 65504, 6e-8, np.nan, np.inf, -np.inf]),
        ("int64", np.int64, [2**63 - 1, -(2**63), 0]),
        ("uint64", np.uint64, [2**64 - 1, 0]),
        ("int8", np.int8, [-128, 127]),
    ],
)
def test_an_array_keeps_every_bit_in_a_case(dtype: str, numpy: type, values: list[float]) -> None:
    array = np.array(values, numpy)
    written = json.loads(json.dumps(resource(array, dtype), allow_nan=False))
    back = read_array(written["data"], dtype, (len(values),))
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)
    assert (
        np.signbit(back.astype(np.float64)[np.isfinite(array)]).tolist()
        == np.signbit(array.astype(np.float64)[np.isfinite(array)]).tolist()
    )


def test_a_part_has_what_it_needs() -> None:
    graph = chain().graph
    descriptors = descriptors_of(graph)
    made = part(graph, graph["operators"], ["clamped"], descriptors)
    assert [call["name"] for call in made["operators"]] == ["relu", "clamp"]
    assert (list(made["inputs"]), list(made["expectedOutputs"])) == (["x"], ["clamped"])
    assert made["expectedOutputs"]["clamped"]["descriptor"] == {"shape": [1, 2, 4, 6], "dataType": "float32"}


def test_what_a_call_reads_and_makes() -> None:
    call = {
        "name": "lstm",
        "arguments": [{"input": "x"}, {"inputs": ["a", "b"]}, {"options": {"bias": "c", "layout": "x0", "sizes": [1]}}],
        "outputs": ["y", "z"],
    }
    assert inputs_of(call, ["a", "b", "c", "x", "unused"]) == ["x", "a", "b", "c"]
    assert (outputs_of(call), outputs_of({"outputs": "y"})) == (["y", "z"], ["y"])
