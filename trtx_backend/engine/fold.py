"""Computes what follows from constants alone before TensorRT sees it.

A lowering casts, reshapes and combines constants: the weights of an LSTM are cut into gates, a variance becomes a factor.
TensorRT computes such layers when it builds, and then a refit has nothing to replace, or must repeat that by rules that
nobody has written down. So the graph is lowered twice. What the first network computes from the graph's constants is
computed here, by the executor, and is a constant of the second one, which meets data only there, and can be refitted.
"""

from __future__ import annotations

import logging

from trtx_backend.engine.weights import Flow
from trtx_backend.errors import ExecutorError
from trtx_backend.executor import execute, read
from trtx_backend.graph.ir import Graph, MLOperand
from trtx_backend.lowering import Computed, LoweredGraph, lower
from trtx_backend.lowering.writer import TENSORRT_TO_NUMPY

logger = logging.getLogger("trtx.engine")


def lower_folded(graph: Graph) -> LoweredGraph:
    """Lower a graph to a network in which constants of the graph meet other data first thing. As `lower`."""
    lowered = lower(graph)
    try:
        computed = _compute(lowered)
    except ExecutorError as error:
        logger.warning("what follows from constants is left to TensorRT, and the engine is not cached: %s", error)
        return lowered
    return lower(graph, computed) if computed else lowered


def _compute(lowered: LoweredGraph) -> dict[tuple[str, int], Computed]:
    """The values that follow from constants of the graph and go where other data is, by layer and output."""
    network, flow = lowered.network, Flow(lowered.network)
    origins = _origins(lowered, flow)
    layers = {node.name: network.get_layer(index) for index, node in enumerate(flow.nodes) if flow.known(node)}
    places, tensors = [], []
    for node in flow.nodes:
        for index, name in enumerate(node.outputs if flow.folds(node) else ()):
            tensor = layers[node.name].get_output(index)
            if origins[name] and flow.meets_data(name) and tensor.dtype in TENSORRT_TO_NUMPY:
                places.append((node.name, index))
                tensors.append(tensor)
    if not tensors:
        return {}
    values = execute(read(network, list(layers.values()), tensors), {})
    return {
        place: Computed(values[tensor.name], tuple(origins[tensor.name]))
        for place, tensor in zip(places, tensors, strict=True)
    }


def _origins(lowered: LoweredGraph, flow: Flow) -> dict[str, dict[MLOperand, None]]:
    """The constants of the graph that each tensor of a known value follows from, in a fixed order."""
    operands = {constant.layer: constant.operands for constant in lowered.constants}
    origins: dict[str, dict[MLOperand, None]] = {}
    for node in flow.nodes:
        if flow.known(node):
            own = dict.fromkeys(operands.get(node.name, ()))
            for tensor in filter(None, node.inputs):
                own |= origins[tensor]
            origins.update(dict.fromkeys(node.outputs, own))
    return origins
