"""Runs a graph on the CPU: lowered to a TensorRT network, computed by the executor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from trtx_backend.dtypes import Array
from trtx_backend.edge import from_binding, to_binding
from trtx_backend.engine.dump import dump_network
from trtx_backend.executor import execute, read
from trtx_backend.graph.ir import Graph
from trtx_backend.lowering import lower


class CpuGraph:
    """A graph ready to be computed. Arrays are in WebNN's types, int4 and uint4 one element a byte."""

    def __init__(self, graph: Graph) -> None:
        self._lowered = lower(graph)
        dump_network(self._lowered.network)
        self._program = read(self._lowered.network)

    def compute(self, inputs: Mapping[str, Array], accumulate: type[np.floating[Any]] = np.float64) -> dict[str, Array]:
        """The outputs by name, from the inputs by name; the caller has checked types and shapes. `accumulate` as in
        `executor.execute`."""
        feeds = {
            binding.name: to_binding(inputs[name], binding.descriptor.dtype)
            for name, binding in self._lowered.inputs.items()
        }
        results = execute(self._program, feeds, accumulate)
        return {
            name: from_binding(results[binding.name], binding.descriptor.dtype)
            for name, binding in self._lowered.outputs.items()
        }
