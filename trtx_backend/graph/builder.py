"""MLGraphBuilder: the specification's operators as methods, in its order. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np

from trtx_backend.dtypes import Array, data_type
from trtx_backend.errors import ArgumentError, InvalidStateError, check
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import Graph, MLOperand, MLOperandDescriptor, Operator
from trtx_backend.graph.limits import check_shape
from trtx_backend.graph.ops.arg_min_max import ARG
from trtx_backend.graph.ops.batch_normalization import batch_normalization
from trtx_backend.graph.ops.cast import cast
from trtx_backend.graph.ops.clamp import clamp
from trtx_backend.graph.ops.concat import concat
from trtx_backend.graph.ops.conv2d import conv2d
from trtx_backend.graph.ops.conv_transpose2d import conv_transpose2d
from trtx_backend.graph.ops.cumulative_sum import cumulative_sum
from trtx_backend.graph.ops.dequantize_linear import dequantize_linear
from trtx_backend.graph.ops.elementwise_binary import BINARY
from trtx_backend.graph.ops.elementwise_logical import CLASSIFY, COMPARE, LOGICAL, logical_not
from trtx_backend.graph.ops.elementwise_unary import FLOAT_UNARY, SIGNED_UNARY, identity
from trtx_backend.graph.ops.elu import elu
from trtx_backend.graph.ops.expand import expand
from trtx_backend.graph.ops.gather import gather
from trtx_backend.graph.ops.gather_elements import gather_elements
from trtx_backend.graph.ops.gather_nd import gather_nd
from trtx_backend.graph.ops.gelu import gelu
from trtx_backend.graph.ops.gemm import gemm
from trtx_backend.graph.ops.gru import gru
from trtx_backend.graph.ops.gru_cell import gru_cell
from trtx_backend.graph.ops.hard_sigmoid import hard_sigmoid
from trtx_backend.graph.ops.hard_swish import hard_swish
from trtx_backend.graph.ops.instance_normalization import instance_normalization
from trtx_backend.graph.ops.layer_normalization import layer_normalization
from trtx_backend.graph.ops.leaky_relu import leaky_relu
from trtx_backend.graph.ops.linear import linear
from trtx_backend.graph.ops.lstm import lstm
from trtx_backend.graph.ops.lstm_cell import lstm_cell
from trtx_backend.graph.ops.matmul import matmul
from trtx_backend.graph.ops.pad import pad
from trtx_backend.graph.ops.pool2d import POOL
from trtx_backend.graph.ops.prelu import prelu
from trtx_backend.graph.ops.quantize_linear import quantize_linear
from trtx_backend.graph.ops.reduction import REDUCE
from trtx_backend.graph.ops.relu import relu
from trtx_backend.graph.ops.resample2d import resample2d
from trtx_backend.graph.ops.reshape import reshape
from trtx_backend.graph.ops.reverse import reverse
from trtx_backend.graph.ops.scatter_elements import scatter_elements
from trtx_backend.graph.ops.scatter_nd import scatter_nd
from trtx_backend.graph.ops.shape import shape
from trtx_backend.graph.ops.sigmoid import sigmoid
from trtx_backend.graph.ops.slice import slice
from trtx_backend.graph.ops.softmax import softmax
from trtx_backend.graph.ops.softplus import softplus
from trtx_backend.graph.ops.softsign import softsign
from trtx_backend.graph.ops.split import split
from trtx_backend.graph.ops.tanh import tanh
from trtx_backend.graph.ops.tile import tile
from trtx_backend.graph.ops.transpose import transpose
from trtx_backend.graph.ops.triangular import triangular
from trtx_backend.graph.ops.where import where


class MLGraphBuilder:
    """Builds one graph. Every method checks its arguments as the specification says and raises TypeError with the
    operator, the operand, its value and the rule.

    `context` is the MLContext that compiles the graph; without one, `finish` gives the graph itself.
    """

    def __init__(self, context: Any = None) -> None:
        rule = "must be an MLContext, or None for a graph that nothing compiles"
        check(context is None or hasattr(context, "op_support_limits"), "MLGraphBuilder: context", context, rule)
        self.context = context
        self._inputs: dict[str, MLOperand] = {}
        self._has_built = False

    arg_max = ARG["arg_max"]
    arg_min = ARG["arg_min"]
    batch_normalization = batch_normalization
    cast = cast
    clamp = clamp
    concat = concat
    conv2d = conv2d
    conv_transpose2d = conv_transpose2d
    cumulative_sum = cumulative_sum

    add = BINARY["add"]
    sub = BINARY["sub"]
    mul = BINARY["mul"]
    div = BINARY["div"]
    max = BINARY["max"]
    min = BINARY["min"]
    pow = BINARY["pow"]

    equal = COMPARE["equal"]
    not_equal = COMPARE["not_equal"]
    greater = COMPARE["greater"]
    greater_or_equal = COMPARE["greater_or_equal"]
    lesser = COMPARE["lesser"]
    lesser_or_equal = COMPARE["lesser_or_equal"]
    logical_not = logical_not
    logical_and = LOGICAL["logical_and"]
    logical_or = LOGICAL["logical_or"]
    logical_xor = LOGICAL["logical_xor"]
    is_nan = CLASSIFY["is_nan"]
    is_infinite = CLASSIFY["is_infinite"]

    abs = SIGNED_UNARY["abs"]
    ceil = FLOAT_UNARY["ceil"]
    cos = FLOAT_UNARY["cos"]
    erf = FLOAT_UNARY["erf"]
    exp = FLOAT_UNARY["exp"]
    floor = FLOAT_UNARY["floor"]
    identity = identity
    log = FLOAT_UNARY["log"]
    neg = SIGNED_UNARY["neg"]
    reciprocal = FLOAT_UNARY["reciprocal"]
    round_even = FLOAT_UNARY["round_even"]
    sign = SIGNED_UNARY["sign"]
    sin = FLOAT_UNARY["sin"]
    sqrt = FLOAT_UNARY["sqrt"]
    tan = FLOAT_UNARY["tan"]

    dequantize_linear = dequantize_linear
    quantize_linear = quantize_linear
    elu = elu
    expand = expand
    gather = gather
    gather_elements = gather_elements
    gather_nd = gather_nd
    gelu = gelu
    gemm = gemm
    gru = gru
    gru_cell = gru_cell
    hard_sigmoid = hard_sigmoid
    hard_swish = hard_swish
    instance_normalization = instance_normalization
    layer_normalization = layer_normalization
    leaky_relu = leaky_relu
    linear = linear
    lstm = lstm
    lstm_cell = lstm_cell
    matmul = matmul
    pad = pad
    average_pool2d = POOL["average_pool2d"]
    l2_pool2d = POOL["l2_pool2d"]
    max_pool2d = POOL["max_pool2d"]
    prelu = prelu

    reduce_l1 = REDUCE["reduce_l1"]
    reduce_l2 = REDUCE["reduce_l2"]
    reduce_log_sum = REDUCE["reduce_log_sum"]
    reduce_log_sum_exp = REDUCE["reduce_log_sum_exp"]
    reduce_max = REDUCE["reduce_max"]
    reduce_mean = REDUCE["reduce_mean"]
    reduce_min = REDUCE["reduce_min"]
    reduce_product = REDUCE["reduce_product"]
    reduce_sum = REDUCE["reduce_sum"]
    reduce_sum_square = REDUCE["reduce_sum_square"]

    relu = relu
    resample2d = resample2d
    reshape = reshape
    reverse = reverse
    scatter_elements = scatter_elements
    scatter_nd = scatter_nd
    sigmoid = sigmoid
    slice = slice
    softmax = softmax
    softplus = softplus
    softsign = softsign
    split = split
    tanh = tanh
    tile = tile
    transpose = transpose
    triangular = triangular
    where = where

    shape = shape  # an extension

    def input(self, name: str, dtype: str, shape: Sequence[int] = ()) -> MLOperand:
        """A named input of the graph. `dtype` is a WebNN data type, `shape` its sizes, () for a scalar."""
        self.check_can_build()
        check(isinstance(name, str) and name != "", "input: name", name, "must be a string that is not empty")
        check(name not in self._inputs, "input: name", name, "another input has this name")
        self._inputs[name] = MLOperand(self, self._descriptor(f"input {name!r}", dtype, shape), name=name)
        return self._inputs[name]

    @overload
    def constant(self, dtype: str, value: float, /) -> MLOperand: ...
    @overload
    def constant(self, dtype: str, value: Array, shape: Sequence[int], /) -> MLOperand: ...
    @overload
    def constant(self, value: Array, /) -> MLOperand: ...
    def constant(self, *args: Any) -> MLOperand:
        """A constant: `constant(dtype, number)` a scalar, `constant(array)` of the array's own type and shape, or
        `constant(dtype, array, shape)`, where int4 and uint4 are one element a byte. The data is copied, unless it is
        a view of `bytes`, as `numpy.frombuffer` gives of a file that was read, which nobody can change.

        A number is cast as the specification casts an MLNumber: for an integer type it is clamped to the type's range
        and its fraction is cut off, so that `constant("int8", 300)` is 127."""
        self.check_can_build()
        array: Any
        if len(args) == 1:
            array = arguments.array("constant: array", args[0])
            dtype, shape = array.dtype.name, array.shape
        elif len(args) == 2:
            dtype, shape = args[0], ()
            array = np.asarray(arguments.number("constant: value", args[1], data_type(dtype).name))
            array = array.astype(data_type(dtype).numpy)
        elif len(args) == 3:
            dtype, array, shape = args[0], arguments.array("constant: array", args[1]), args[2]
        else:
            raise TypeError("constant takes (dtype, number), (array) or (dtype, array, shape)")
        descriptor = self._descriptor("constant", dtype, shape)
        row = data_type(dtype)
        rule = f"the data must be {row.numpy.name}, as {dtype} is"
        check(array.dtype == row.numpy, "constant: array", array.dtype.name, rule)
        arguments.check_fits("constant: array", array, descriptor, array)
        if row.bits < 8 and array.size:
            rule = f"{dtype} values must be from {row.min} to {row.max}"
            check(bool((array >= row.min).all() and (array <= row.max).all()), "constant: array", "out of range", rule)
        copy = None if _cannot_change(array) else True
        return MLOperand(self, descriptor, value=np.array(array, order="C", copy=copy).reshape(descriptor.shape))

    def build(self, outputs: Mapping[str, MLOperand]) -> Any:
        """Compile the graph that computes `outputs` on this builder's context. Spec: build(). Gives an MLGraph."""
        if self.context is None:
            raise InvalidStateError("this MLGraphBuilder has no context to build for; use MLGraphBuilder(context)")
        return self.context.compile(self.finish(outputs))

    def finish(self, outputs: Mapping[str, MLOperand]) -> Graph:
        """The graph that computes `outputs`, without compiling it. The builder can make no more operands then."""
        self.check_can_build()
        rule = "must be a mapping of names to operands, with at least one"
        check(isinstance(outputs, Mapping) and bool(outputs), "build: outputs", outputs, rule)
        for name, operand in outputs.items():
            where = f"build: output {name!r}"
            check(isinstance(name, str) and name != "", where, name, "the name must be a string that is not empty")
            check(isinstance(operand, MLOperand), where, operand, "must be an MLOperand")
            check(operand.builder is self, where, str(operand), "must be an operand of this builder")
            rule = "must be computed by an operator; pass an input or constant through identity"
            check(operand.operator is not None, where, str(operand), rule)
        graph = _reachable(outputs)
        self._has_built = True
        return graph

    def check_can_build(self) -> None:
        if self._has_built:
            raise InvalidStateError("this MLGraphBuilder has built its graph; make a new one for another graph")

    def connect(self, operator: Operator, descriptors: tuple[MLOperandDescriptor, ...]) -> tuple[MLOperand, ...]:
        """Add an operator whose arguments have been checked; gives the operands that it computes."""
        operator.outputs = tuple(MLOperand(self, descriptor, operator=operator) for descriptor in descriptors)
        return operator.outputs

    def _descriptor(self, what: str, dtype: Any, shape: Sequence[int]) -> MLOperandDescriptor:
        sizes = arguments.unsigned_list(f"{what}: shape", shape)
        check_shape(f"{what}: shape", sizes)
        try:
            return MLOperandDescriptor(data_type(dtype).name, sizes)
        except TypeError as error:
            raise ArgumentError(f"{what}: data type", dtype, str(error)) from None


def _reachable(outputs: Mapping[str, MLOperand]) -> Graph:
    """What the outputs need, operators after those that they depend on (depth first, without recursion)."""
    inputs: dict[str, MLOperand] = {}
    constants: dict[MLOperand, None] = {}
    operators: dict[Operator, None] = {}
    stack = [operand.operator for operand in reversed(list(outputs.values())) if operand.operator is not None]
    while stack:
        operator = stack[-1]
        missing = []
        for operand in operator.inputs() if operator not in operators else ():
            if operand.operator is not None:
                if operand.operator not in operators:
                    missing.append(operand.operator)
            elif operand.value is not None:
                constants[operand] = None
            else:
                inputs[operand.name] = operand
        if missing:
            stack.extend(reversed(missing))
        else:
            operators[stack.pop()] = None
    return Graph(inputs, dict(outputs), tuple(constants), tuple(operators))


def _cannot_change(array: Array) -> bool:
    """The array's memory is that of a `bytes`. (One that is merely read-only can be made writable again.)"""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return isinstance(owner, bytes) and array.flags.aligned
