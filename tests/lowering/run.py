"""Graphs of one operator, lowered and computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from trtx_backend.graph import Graph, MLGraphBuilder
from trtx_backend.lowering import lower
from trtx_backend.runtime.cpu import CpuGraph


def graph(
    make: Callable[..., Any], *inputs: Any, constants: bool = False, dtypes: dict[int, str] | None = None
) -> Graph:
    """The graph of `make(builder, *operands)`, whose operands have the arrays' types (or `dtypes`) and shapes."""
    builder = MLGraphBuilder()
    operands = []
    for index, array in enumerate(map(np.asarray, inputs)):
        dtype = (dtypes or {}).get(index, array.dtype.name)
        made = (
            builder.constant(dtype, array, array.shape) if constants else builder.input(f"x{index}", dtype, array.shape)
        )
        operands.append(made)
    results = make(builder, *operands)
    results = results if isinstance(results, tuple) else (results,)
    return builder.finish({f"y{index}": result for index, result in enumerate(results)})


def run(make: Callable[..., Any], *inputs: Any, constants: bool = False, dtypes: dict[int, str] | None = None) -> Any:
    """Compute `make(builder, *operands)` on arrays, as graph inputs or as constants. Several outputs come as a list."""
    made = graph(make, *inputs, constants=constants, dtypes=dtypes)
    feeds = {} if constants else {f"x{index}": np.asarray(array) for index, array in enumerate(inputs)}
    outputs = list(CpuGraph(made).compute({name: feeds[name] for name in made.inputs}).values())
    return outputs if len(outputs) > 1 else outputs[0]


def layers(make: Callable[..., Any], *inputs: Any, constants: bool = False) -> Counter[str]:
    """How many layers of each TensorRT type the graph becomes."""
    network = lower(graph(make, *inputs, constants=constants)).network
    return Counter(network.get_layer(index).type.name for index in range(network.num_layers))
