"""A WebNN graph becomes a TensorRT network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.graph.ir import Graph, MLOperand, MLOperandDescriptor, Operator
from trtx_backend.lowering.registry import entry
from trtx_backend.lowering.value import Transposed, Value
from trtx_backend.lowering.writer import Computed, NetworkConstant, Writer
from trtx_backend.trt import ITensor, Network, TensorType, create_network, trt

NETWORK_NAME = "webnn"
"""Fixed: TensorRT's default name holds a counter, which would make two plans of one graph differ."""


@dataclass(frozen=True)
class Binding:
    """Name of a network input or output. WebNN's names may be any text, and an input may be called what an output is;
    TensorRT's may not, so the network has names of its own."""

    name: str
    descriptor: MLOperandDescriptor


@dataclass(frozen=True)
class LoweredGraph:
    """The network, its bindings by WebNN name, and its constants, whose memory it refers to."""

    network: Network
    inputs: Mapping[str, Binding]
    outputs: Mapping[str, Binding]
    constants: Sequence[NetworkConstant] = field(repr=False)


def lower(graph: Graph, computed: Mapping[tuple[str, int], Computed] | None = None) -> LoweredGraph:
    """Lower a graph. `computed`: values of outputs of layers, by the layer's name and the output's index, that become
    constants. UnsupportedError if an operator has no lowering, NetworkError if TensorRT refuses a layer."""
    lowerings = [entry(op.name) for op in graph.operators]
    network = create_network()
    network.name = NETWORK_NAME
    w = Writer(network, computed)
    values: dict[MLOperand, Value] = {}
    inputs = {}
    for index, (name, operand) in enumerate(graph.inputs.items()):
        inputs[name] = Binding(f"in{index}", operand.descriptor)
        values[operand] = Value(operand.descriptor, _add_input(w, inputs[name]))
    for operand in graph.constants:
        values[operand] = Value(operand.descriptor, array=operand.value, operands=(operand,), constant=True)
    for op, lowering in zip(graph.operators, lowerings, strict=True):
        constant = all(values[operand].constant for operand in op.inputs())
        w.begin(op, constant)
        results = lowering(w, op, values)
        for operand, result in zip(
            op.outputs, results if isinstance(results, (list, tuple)) else [results], strict=True
        ):
            values[operand] = result if isinstance(result, Value) else _value(w, operand, result, constant)
    outputs = {}
    w.begin(Operator("output", {}, {}), False)
    for index, (name, operand) in enumerate(graph.outputs.items()):
        outputs[name] = Binding(f"out{index}", operand.descriptor)
        _mark_output(w, values[operand], outputs[name].name)
    return LoweredGraph(network, inputs, outputs, w.constants)


def _edge_type(dtype: str) -> TensorType:
    return getattr(trt.DataType, DATA_TYPES[dtype].binding)


def _add_input(w: Writer, binding: Binding) -> ITensor:
    tensor = w.network.add_input(binding.name, _edge_type(binding.descriptor.dtype), binding.descriptor.shape)
    if tensor is None:
        raise w.refusal("input", [binding.descriptor], "")
    return tensor


def _value(w: Writer, operand: MLOperand, result: ITensor | Transposed, constant: bool) -> Value:
    """Wrap a lowering's result. Its shape is TensorRT's own inference: it must be what the specification says."""
    tensor, order = (result.tensor, result.permutation) if isinstance(result, Transposed) else (result, None)
    if order == tuple(range(operand.rank)):
        order = None
    shape = tuple(tensor.shape)
    if (tuple(shape[axis] for axis in order) if order else shape) != operand.shape:
        raise w.disagreement(tensor, operand)
    return Value(operand.descriptor, tensor, constant=constant, permutation=order)


def _mark_output(w: Writer, value: Value, name: str) -> None:
    """An output is a tensor of its own: not a network input, and not another output."""
    tensor = value.form(w, _edge_type(value.descriptor.dtype))
    if tensor.is_network_input or tensor.is_network_output:
        tensor = w.add("identity", tensor)
    tensor.name = name
    w.network.mark_output(tensor)
    if tensor.name != name or not tensor.is_network_output:
        raise w.refusal("output", [tensor], "")
