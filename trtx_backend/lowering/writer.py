"""Writes layers into a TensorRT network. Every layer of every lowering is added here, so that one place names layers,
keeps the memory of constants alive, and turns TensorRT's refusals into errors that name the WebNN operator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trtx_backend.dtypes import Array
from trtx_backend.errors import NetworkError
from trtx_backend.graph.ir import MLOperand, Operator, Shape
from trtx_backend.trt import ITensor, Layer, Network, TensorType, log, trt

NUMPY_TO_TENSORRT = {
    "float32": trt.float32,
    "float16": trt.float16,
    "int32": trt.int32,
    "int64": trt.int64,
    "bool": trt.bool,
}
TENSORRT_TO_NUMPY = {tensorrt: np.dtype(numpy) for numpy, tensorrt in NUMPY_TO_TENSORRT.items()}


@dataclass(frozen=True)
class NetworkConstant:
    """A constant layer of the network, its name, and its data, in the type and order that TensorRT gets: flat or not, the
    elements are these. `operands` are the constants of the graph that it was made from; none: the lowering made it up."""

    layer: str
    array: Array = field(repr=False)
    operands: tuple[MLOperand, ...]


@dataclass(frozen=True)
class Computed:
    """The value of a layer's output that is known beforehand, and the constants of the graph that it follows from."""

    array: Array = field(repr=False)
    operands: tuple[MLOperand, ...]


class Writer:
    """The network under construction and the operator that is being lowered into it.

    The methods that add a layer return its output tensor; a layer that would change nothing is not added.
    """

    def __init__(self, network: Network, computed: Mapping[tuple[str, int], Computed] | None = None) -> None:
        self.network = network
        self._computed = computed or {}
        self.op = Operator("graph", {}, {})
        self.constants: list[NetworkConstant] = []
        """In the order in which they were added. The network refers to their memory: TensorRT does not copy weights."""
        self.folds = False
        """The operands of this operator are constants, or computed from constants: TensorRT will compute it itself."""
        self._scalars: dict[Any, ITensor] = {}
        self._not_float32: set[str] = set()
        """Integer constants of one element that no float32 holds, by their tensor's name."""
        self._values: dict[tuple[str, int], ITensor] = {}
        self._operator_index = -1
        self._layers_of_operator = 0

    def begin(self, op: Operator, folds: bool) -> None:
        """Layers from here on belong to this operator."""
        self.op, self.folds = op, folds
        self._operator_index += 1
        self._layers_of_operator = 0

    # Any layer ------------------------------------------------------------------------------------------------------

    def layer(self, kind: str, *arguments: Any, **properties: Any) -> Layer:
        """Add a layer with `network.add_<kind>(*arguments)`, then set its properties. NetworkError if TensorRT refuses
        either: some of its setters keep the old value and only log."""
        log.take_errors()
        try:
            layer = getattr(self.network, f"add_{kind}")(*arguments)
            for name, value in properties.items() if layer is not None else ():
                setattr(layer, name, value)
        except (TypeError, ValueError, RuntimeError) as error:
            raise self.refusal(kind, arguments, str(error)) from None
        errors = log.take_errors()
        if layer is None or errors:
            raise self.refusal(kind, arguments, errors)
        return self.name(layer, kind)

    def name(self, layer: Layer, kind: str) -> Layer:
        """Name a layer after the operator, in the order in which they are added. `layer` does so itself."""
        layer.name = f"{self._operator_index}.{self._layers_of_operator} {self.op.name} {kind}"
        layer.metadata = self.op.label[:1000]
        self._layers_of_operator += 1
        return layer

    def output(self, layer: Layer, index: int = 0) -> ITensor:
        """A layer's output; where its value is known, a constant in its place, and nothing reads the layer. Reading its
        shape makes TensorRT judge the layer now."""
        key = (layer.name, index)
        if key in self._computed:
            if key not in self._values:
                self._values[key] = self._value(layer, index, self._computed[key])
            return self._values[key]
        return self._judged(layer, index)

    def _judged(self, layer: Layer, index: int) -> ITensor:
        tensor = layer.get_output(index)
        try:
            tensor.shape  # noqa: B018
        except RuntimeError:
            raise self.refusal(layer.name, [layer.get_input(i) for i in range(layer.num_inputs)], "") from None
        return tensor

    def add(self, kind: str, *arguments: Any, **properties: Any) -> ITensor:
        """`layer` and its only output."""
        return self.output(self.layer(kind, *arguments, **properties))

    def refusal(self, layer: str, arguments: Sequence[Any], reason: str) -> NetworkError:
        reason = reason or log.take_errors() or "TensorRT gave no reason"
        given = ", ".join(_describe(argument) for argument in arguments)
        return NetworkError(f"{self.op}: TensorRT refused {layer}({given}): {reason}")

    def disagreement(self, result: ITensor, operand: MLOperand) -> NetworkError:
        """TensorRT's inference has another shape than the specification's."""
        return NetworkError(
            f"{self.op}: the layers make {_describe(result)} of it by TensorRT's inference, "
            f"and the specification says {operand}"
        )

    # Constants ------------------------------------------------------------------------------------------------------

    def constant(self, array: Array, *operands: MLOperand) -> ITensor:
        """A constant of float32, float16, int32, int64 or bool; the array is referred to, not copied. int8 is made from
        int32, since TensorRT takes an INT8 constant only in front of a dequantize layer. `operands`: the constants of
        the graph that its data comes from."""
        if array.dtype == np.int8:
            return self.cast(self.constant(array.astype(np.int32), *operands), trt.int8)
        array = np.asarray(array, order="C")
        layer = self.layer("constant", array.shape, trt.Weights(array.reshape(-1)))
        self.constants.append(NetworkConstant(layer.name, array, operands))
        tensor = self.output(layer)
        if array.size == 1 and array.dtype.kind == "i" and int(np.float32(array.item())) != array.item():
            self._not_float32.add(tensor.name)
        return tensor

    def _value(self, layer: Layer, index: int, computed: Computed) -> ITensor:
        """A constant in place of a layer's output. It is no layer of the operator's, so that others keep their names."""
        array = np.asarray(computed.array, order="C")
        constant = self.network.add_constant(array.shape, trt.Weights(array.reshape(-1)))
        if constant is None:
            raise self.refusal("constant", [layer.get_output(index)], "")
        constant.name = f"{layer.name} value {index}"
        self.constants.append(NetworkConstant(constant.name, array, computed.operands))
        return self._judged(constant, 0)

    def scalar(self, value: complex | bool, like: ITensor) -> ITensor:
        """One number as a constant of the type and rank of `like`, every dimension 1. Equal ones are one constant."""
        key = (repr(value), like.dtype, len(like.shape))
        if key not in self._scalars:
            numpy = np.dtype(np.int8) if like.dtype == trt.int8 else TENSORRT_TO_NUMPY[like.dtype]
            self._scalars[key] = self.constant(np.full((1,) * len(like.shape), value, numpy))
        return self._scalars[key]

    # Layers, in TensorRT's words ------------------------------------------------------------------------------------

    def cast(self, tensor: ITensor, to: TensorType) -> ITensor:
        return tensor if tensor.dtype == to else self._same_value(tensor, self.add("cast", tensor, to))

    def unary(self, tensor: ITensor, operation: Any) -> ITensor:
        return self.add("unary", tensor, operation)

    def activation(self, tensor: ITensor, kind: Any, **parameters: float) -> ITensor:
        return self.add("activation", tensor, kind, **parameters)

    def elementwise(self, a: ITensor, operation: Any, b: ITensor | float) -> ITensor:
        """`a operation b`; tensors of one rank, or a number as the right side."""
        right = b if hasattr(b, "dtype") else self.scalar(b, a)
        if self.folds:
            a, right = self.foldable(a, right), self.foldable(right, a)
        return self.add("elementwise", a, right, operation)

    def foldable(self, tensor: ITensor, other: ITensor) -> ITensor:
        """The tensor, or it at the other's shape: where TensorRT folds an operation of a constant and one number, it
        takes the number as float32, and cannot compile what no float32 holds."""
        return self.expand(tensor, tuple(other.shape)) if tensor.name in self._not_float32 else tensor

    def _same_value(self, tensor: ITensor, result: ITensor) -> ITensor:
        if tensor.name in self._not_float32 and result.dtype in (trt.int32, trt.int64):
            self._not_float32.add(result.name)
        return result

    def select(self, condition: ITensor, then: ITensor, otherwise: ITensor) -> ITensor:
        return self.add("select", condition, then, otherwise)

    def reshape(self, tensor: ITensor, shape: Shape) -> ITensor:
        if tuple(tensor.shape) == tuple(shape):
            return tensor
        return self._same_value(tensor, self.add("shuffle", tensor, reshape_dims=tuple(shape)))

    def transpose(self, tensor: ITensor, permutation: Sequence[int]) -> ITensor:
        """Output dimension i is input dimension permutation[i]."""
        if list(permutation) == list(range(len(permutation))):
            return tensor
        return self.add("shuffle", tensor, first_transpose=tuple(permutation))

    def at_rank(self, tensor: ITensor, rank: int) -> ITensor:
        """The tensor with dimensions of 1 in front, up to `rank`: TensorRT broadcasts, but at one rank only."""
        shape = tuple(tensor.shape)
        return self.reshape(tensor, (1,) * (rank - len(shape)) + shape)

    def slice(self, tensor: ITensor, start: Shape, size: Shape, stride: Shape) -> ITensor:
        """`size` elements a dimension from `start`, `stride` apart; a stride of 0 repeats one element."""
        return self.add("slice", tensor, tuple(start), tuple(size), tuple(stride))

    def expand(self, tensor: ITensor, shape: Shape) -> ITensor:
        """The tensor broadcast to a shape."""
        tensor = self.at_rank(tensor, len(shape))
        given = tuple(tensor.shape)
        if given == tuple(shape):
            return tensor
        return self.slice(tensor, (0,) * len(shape), shape, tuple(int(size != 1) for size in given))

    def pad(self, tensor: ITensor, start: Shape, shape: Shape, fill: float) -> ITensor:
        """`shape` elements from `start`, which may lie before the tensor; what lies outside it is `fill`."""
        layer = self.layer("slice", tensor, tuple(start), tuple(shape), (1,) * len(shape), mode=trt.SampleMode.FILL)
        if fill != 0:
            numpy = np.dtype(np.int8) if tensor.dtype == trt.int8 else TENSORRT_TO_NUMPY[tensor.dtype]
            layer.set_input(4, self.constant(np.array(fill, numpy)))
        return self.output(layer)

    def concat(self, tensors: Sequence[ITensor], axis: int) -> ITensor:
        return tensors[0] if len(tensors) == 1 else self.add("concatenation", list(tensors), axis=axis)

    def matmul(self, a: ITensor, b: ITensor, *, transpose_a: bool = False, transpose_b: bool = False) -> ITensor:
        modes = [trt.MatrixOperation.TRANSPOSE if t else trt.MatrixOperation.NONE for t in (transpose_a, transpose_b)]
        return self.add("matrix_multiply", a, modes[0], b, modes[1])


def _describe(argument: Any) -> str:
    """An argument of a refused layer for its error message."""
    if isinstance(argument, MLOperand):
        return str(argument)
    if isinstance(argument, (list, tuple)):
        return f"[{', '.join(map(_describe, argument))}]"
    if not isinstance(argument, trt.ITensor):
        return str(argument)
    try:
        return f"{argument.dtype.name}{list(argument.shape)}"
    except RuntimeError:
        return str(argument.dtype.name)
