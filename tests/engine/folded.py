"""Whether a network whose constants were folded computes what the plain one does, bit by bit."""

from __future__ import annotations

import numpy as np

from trtx_backend.dtypes import Array
from trtx_backend.engine import lower_folded
from trtx_backend.executor import execute, read
from trtx_backend.graph import Graph
from trtx_backend.lowering import LoweredGraph, lower
from trtx_backend.trt import trt


def differing(graph: Graph) -> list[str]:
    """The outputs that differ, by the network's names, for some random input."""
    plain, folded = results(lower(graph)), results(lower_folded(graph))
    assert plain.keys() == folded.keys()
    return [name for name, array in plain.items() if array.tobytes() != folded[name].tobytes()]


def results(lowered: LoweredGraph) -> dict[str, Array]:
    rng, feeds = np.random.default_rng(0), {}
    for index in range(lowered.network.num_inputs):
        tensor = lowered.network.get_input(index)
        array = (3 * rng.normal(size=tuple(tensor.shape))).astype(trt.nptype(tensor.dtype))
        feeds[tensor.name] = np.abs(array) if array.dtype.kind == "i" else array
    return execute(read(lowered.network), feeds)
