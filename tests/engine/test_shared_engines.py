"""Graphs that differ in their weights share a cached engine, and each computes its own numbers: on the double."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.engine.graphs import EXPORTED
from trtx_backend.graph import Graph
from trtx_backend.options import TrtxOptions
from trtx_backend.runtime.cpu import CpuGraph
from trtx_backend.runtime.double import installed
from trtx_backend.runtime.trtx import TrtxGraph, TrtxRuntime


def _compute(runtime: TrtxRuntime, compiled: TrtxGraph, graph: Graph) -> dict[str, bytes]:
    given = {name: runtime.create(operand.descriptor) for name, operand in graph.inputs.items()}
    taken = {name: runtime.create(operand.descriptor) for name, operand in graph.outputs.items()}
    for name, array in _feeds(graph).items():
        runtime.write(given[name], array)
    runtime.dispatch(compiled, given, taken)
    return {name: runtime.read(tensor).tobytes() for name, tensor in taken.items()}


def _feeds(graph: Graph) -> dict[str, np.ndarray]:
    return {name: np.ones(operand.shape, operand.dtype) for name, operand in graph.inputs.items()}


@pytest.mark.parametrize("name", ["transformer", "cnn", "quantized cnn", "recurrent float16", "shuffled"])
def test_each_graph_computes_with_its_own_weights(name: str, tmp_path: Path) -> None:
    seen = []
    for factor in (1, 2):
        graph = EXPORTED[name]()
        for operand in graph.constants:
            if operand.dtype in ("float32", "float16"):
                assert operand.value is not None
                operand.value[...] *= factor
        with installed():
            runtime = TrtxRuntime(0, TrtxOptions(cache_dir=tmp_path))
            try:
                compiled = runtime.compile(graph)
                results = _compute(runtime, compiled, graph)
            finally:
                runtime.close()
        expected = CpuGraph(graph).compute(_feeds(graph))
        assert results == {name: array.tobytes() for name, array in expected.items()}
        seen.append((compiled.cached, results))
    (first_cached, first), (second_cached, second) = seen
    assert (first_cached, second_cached) == (False, True)
    assert all(first[output] != second[output] for output in first)
