"""Which constants of a network are weights that a refit can replace, and which TensorRT bakes into the plan.

Only constants of the graph are weights; what a lowering makes up follows from the graph. What TensorRT does with a
constant is decided by where its data flows in the finished network:

- Into a layer all of whose inputs are constants, or computed from constants: TensorRT computes that layer when it builds,
  and of the constant only the result is left. In integers the builder then ignores the mark without a word, and the
  engine knows no weight of that name.
- Into a shape (what a slice takes, the axis of a sum): TensorRT reads it when it builds. Tensors know this of themselves.
- Into the number of steps of a loop or the value that surrounds a slice: the builder refuses marks there.
- Into nothing that an output needs: no engine has it, and it is neither.

All else is data that meets other data at run time: there the builder holds the constant in memory of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from trtx_backend.dtypes import Array
from trtx_backend.graph.ir import MLOperand
from trtx_backend.lowering import LoweredGraph
from trtx_backend.trt import Layer, Network, trt

FILL = 4
"""The input of a slice layer that holds the value around the tensor."""
REFUSED = {trt.LayerType.TRIP_LIMIT: (0,), trt.LayerType.SLICE: (FILL,)}
"""Inputs that take no refittable constant, by layer."""
QUANTIZING = (trt.LayerType.QUANTIZE, trt.LayerType.DEQUANTIZE, trt.LayerType.DYNAMIC_QUANTIZE)
"""Layers that TensorRT fuses with their neighbors by what their constants are."""
LOOPS = (
    trt.LayerType.TRIP_LIMIT,
    trt.LayerType.RECURRENCE,
    trt.LayerType.ITERATOR,
    trt.LayerType.LOOP_OUTPUT,
)


@dataclass(frozen=True)
class Weight:
    """A constant of the network that came from the graph. `baked` says why it is in the plan for good; empty: it can be
    refitted, by `name`, with the elements of `array`."""

    name: str
    layers: tuple[str, ...]
    """The names of its constant layers: more than one if they share its memory, in several shapes."""
    array: Array = field(repr=False)
    operands: tuple[MLOperand, ...]
    users: tuple[str, ...]
    """The layers that take it, by name, which has the operator's, and the label that the program gave the operator."""
    baked: str = ""

    def __str__(self) -> str:
        return f"{' and '.join(f'the constant {operand}' for operand in self.operands)} of {', '.join(self.users)}"


def find_weights(lowered: LoweredGraph) -> list[Weight]:
    """The graph's constants as the network has them. One that the network holds in several forms is as many weights;
    forms that share their memory are one. Names depend on the network alone."""
    flow = Flow(lowered.network)
    weights: dict[tuple[int, int, str], Weight] = {}
    for index, constant in enumerate(lowered.constants):
        if not constant.operands or constant.array.size == 0:
            continue
        key = (constant.array.ctypes.data, constant.array.size, constant.array.dtype.str)
        users, baked = flow.judge(constant.layer)
        first = weights.get(key) or Weight(f"c{index}", (), constant.array, constant.operands, ())
        layers = (*first.layers, constant.layer)
        weights[key] = replace(first, layers=layers, users=first.users + users, baked=first.baked or baked)
    return list(weights.values())


def refittable(weights: Iterable[Weight]) -> list[Weight]:
    """Those that an engine is given when it is loaded: not baked, and of use to it."""
    return [weight for weight in weights if weight.users and not weight.baked]


@dataclass(frozen=True)
class Node:
    """A layer and its tensors' names; an input that is not set is empty."""

    name: str
    label: str
    """What the program calls its operator."""
    kind: Any
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class Flow:
    """Where the data of a network flows."""

    def __init__(self, network: Network) -> None:
        layers = [network.get_layer(index) for index in range(network.num_layers)]
        self.nodes = [_node(layer) for layer in layers]
        self._shapes = {n.name for n, layer in zip(self.nodes, layers, strict=True) if _is_shape(n, layer)}
        self._by_name = {node.name: node for node in self.nodes}
        self.fixed: set[str] = set()
        """Names of the tensors that are known when the plan is built."""
        for node in self.nodes:  # after what they take, but for the ends of loops
            if self.known(node):
                self.fixed.update(node.outputs)
        self._users: dict[str, list[Node]] = {}
        self._outputs = {network.get_output(index).name for index in range(network.num_outputs)}
        for node in self._live(self._outputs):
            for tensor in dict.fromkeys(node.inputs):
                self._users.setdefault(tensor, []).append(node)

    def judge(self, constant: str) -> tuple[tuple[str, ...], str]:
        """The layers that take what a constant layer holds, and why TensorRT bakes it; empty: it does not."""
        (tensor,) = self._by_name[constant].outputs
        users = self._users.get(tensor, [])
        names = tuple(f"{node.name} “{node.label}”" if node.label else node.name for node in users)
        if tensor in self._outputs:
            names += (f"output {tensor}",)
        if constant in self._shapes:
            return names, "it is a shape"
        return names, next(filter(None, (self._baked_by(node, tensor) for node in users)), "")

    def _baked_by(self, node: Node, tensor: str) -> str:
        if self.folds(node):
            return f"{node.name} is computed when the plan is built"
        if any(node.inputs[index] == tensor for index in REFUSED.get(node.kind, ()) if index < len(node.inputs)):
            return f"{node.name} takes it when the plan is built"
        return f"{node.name} is fused by its value" if node.kind in QUANTIZING else ""

    def folds(self, node: Node) -> bool:
        """All that the layer takes is known when the plan is built. Loops run at run time, whatever they take."""
        given = [tensor for tensor in node.inputs if tensor]
        return bool(given) and node.kind not in LOOPS and all(tensor in self.fixed for tensor in given)

    def known(self, node: Node) -> bool:
        """What the layer gives is known when the plan is built."""
        return node.kind == trt.LayerType.CONSTANT or self.folds(node)

    def meets_data(self, tensor: str) -> bool:
        """An output is this tensor, or a layer that an output needs takes it together with what is not known."""
        return tensor in self._outputs or any(not self.folds(node) for node in self._users.get(tensor, []))

    def _live(self, wanted: set[str]) -> list[Node]:
        """The layers that the outputs need, loops' ends among them."""
        makers = {tensor: node for node in self.nodes for tensor in node.outputs}
        live = {node.name: node for node in self.nodes if node.kind == trt.LayerType.TRIP_LIMIT}
        stack = [*wanted, *(tensor for node in live.values() for tensor in node.inputs)]
        while stack:
            node = makers.get(stack.pop())
            if node is not None and node.name not in live:
                live[node.name] = node
                stack.extend(node.inputs)
        return [node for node in self.nodes if node.name in live]


def _node(layer: Layer) -> Node:
    inputs = [layer.get_input(index) for index in range(layer.num_inputs)]
    outputs = [layer.get_output(index) for index in range(layer.num_outputs)]
    names = tuple("" if tensor is None else tensor.name for tensor in inputs)
    return Node(layer.name, layer.metadata, layer.type, names, tuple(tensor.name for tensor in outputs))


def _is_shape(node: Node, layer: Layer) -> bool:
    return node.kind == trt.LayerType.CONSTANT and bool(layer.get_output(0).is_shape_tensor)
