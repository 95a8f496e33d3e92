"""Checks of the operators that have more rules than a type and a shape: each rule, by its message."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graph.ops.shapes import operands
from trtx_backend.errors import ArgumentError
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.operator import RULES


def shape_of(call: Any, *shapes: list[int], dtype: str = "float32") -> Any:
    b, *inputs = operands(*shapes, dtype=dtype)
    made = call(b, *inputs)
    return [operand.shape for operand in made] if isinstance(made, tuple) else made.shape


@pytest.mark.parametrize(
    ("call", "shapes", "expected"),
    [
        (lambda b, x: b.reduce_sum(x), [[2, 3]], ()),
        (lambda b, x: b.reduce_sum(x, axes=[0], keep_dimensions=True), [[2, 3]], (1, 3)),
        (lambda b, x: b.reduce_sum(x, axes=[]), [[2, 3]], (2, 3)),
        (lambda b, x: b.arg_max(x, 1), [[2, 3]], (2,)),
        (lambda b, x: b.arg_max(x, 0, keep_dimensions=True), [[2, 3]], (1, 3)),
        (lambda b, x: b.average_pool2d(x), [[1, 2, 5, 7]], (1, 2, 1, 1)),
        (lambda b, x: b.max_pool2d(x, window_dimensions=[2, 2], strides=[2, 2]), [[1, 2, 5, 7]], (1, 2, 2, 3)),
        (lambda b, x: b.max_pool2d(x, window_dimensions=[2, 2], strides=[2, 2], output_shape_rounding="ceil"), [[1, 2, 5, 7]], (1, 2, 3, 4)),
        (lambda b, x: b.max_pool2d(x, window_dimensions=[2, 2], strides=[2, 2], output_sizes=[3, 4]), [[1, 2, 5, 7]], (1, 2, 3, 4)),
        (lambda b, x: b.l2_pool2d(x, window_dimensions=[2, 2], layout="nhwc", dilations=[2, 1]), [[1, 5, 7, 2]], (1, 3, 6, 2)),
        (lambda b, x, f: b.conv_transpose2d(x, f, strides=[2, 2], output_padding=[1, 0]), [[1, 2, 3, 3], [2, 4, 3, 3]], (1, 4, 8, 7)),
        (lambda b, x, f: b.conv_transpose2d(x, f, groups=2, output_sizes=[5, 5]), [[1, 2, 3, 3], [2, 4, 3, 3]], (1, 8, 5, 5)),
        (lambda b, x: b.resample2d(x, scales=[2, 1.5]), [[1, 1, 3, 3]], (1, 1, 6, 4)),
        (lambda b, x: b.resample2d(x, sizes=[1, 9], axes=[0, 3]), [[2, 1, 3, 3]], (1, 1, 3, 9)),
        (lambda b, x: b.pad(x, [1, 0], [2, 3]), [[2, 3]], (5, 6)),
        (lambda b, x: b.split(x, 3, axis=1), [[2, 6]], [(2, 2)] * 3),
        (lambda b, x: b.split(x, [1, 5], axis=1), [[2, 6]], [(2, 1), (2, 5)]),
        (lambda b, x: b.tile(x, [2, 3]), [[2, 3]], (4, 9)),
        (lambda b, x: b.gather(x, b.constant("int32", 1), axis=1), [[2, 3, 4]], (2, 4)),
        (lambda b, x: b.gather_nd(x, b.input("i", "int32", [5, 2])), [[2, 3, 4]], (5, 4)),
        (lambda b, x: b.prelu(x, b.input("s", "float32", [3, 1])), [[2, 1, 4]], (2, 3, 4)),
        (lambda b, x, w, r: b.gru(x, w, r, 5, 2, return_sequence=True), [[5, 3, 4], [1, 6, 4], [1, 6, 2]], [(1, 3, 2), (5, 1, 3, 2)]),
        (lambda b, x, w, r: b.lstm(x, w, r, 5, 2, direction="both"), [[5, 3, 4], [2, 8, 4], [2, 8, 2]], [(2, 3, 2)] * 2),
    ],
)  # fmt: skip
def test_shapes(call: Any, shapes: list[list[int]], expected: Any) -> None:
    assert shape_of(call, *shapes) == expected


X4 = [1, 2, 5, 5]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda b, x: b.reduce_sum(x, axes=[4]), "each axis must be less than the input's rank, 4"),
        (lambda b, x: b.reduce_sum(x, axes=[1, 1]), "no axis may be named twice"),
        (lambda b, x: b.reduce_sum(x, keep_dimensions=1), "keep_dimensions is 1: must be True or False"),
        (lambda b, x: b.arg_max(x, 4), "axis is 4: must be less than the input's rank, 4"),
        (lambda b, x: b.arg_max(x, 0, output_dtype="uint32"), "output_dtype is 'uint32': must be one of int32, int64"),
        (lambda b, x: b.softmax(x, 4), "must be less than the input's rank, 4"),
        (lambda b, x: b.cumulative_sum(x, 9), "must be less than the input's rank, 4"),
        (lambda b, x: b.max_pool2d(x, window_dimensions=[6, 2]), "its effective height 6 exceeds the padded input's 5"),
        (lambda b, x: b.max_pool2d(x, window_dimensions=[2]), "must have 2 items"),
        (lambda b, x: b.max_pool2d(x, output_sizes=[2, 2]), "output_sizes is [2, 2]: must be [1, 1] or [1, 1]"),
        (lambda b, x: b.max_pool2d(x, output_shape_rounding="up"), "must be one of floor, ceil"),
        (lambda b, x: b.conv_transpose2d(x, b.input("f", "float32", [3, 1, 2, 2])), "its 3 input channels (iohw) must be the input's, 2"),
        (lambda b, x: b.conv_transpose2d(x, b.input("f", "float32", [2, 1, 2, 2]), output_padding=[1, 0]), "must be less than the stride, 1"),
        (lambda b, x: b.conv_transpose2d(x, b.input("f", "float32", [2, 1, 2, 2]), output_sizes=[6, 7]), "output_sizes[1] is 7: must be from 6 to 6"),
        (lambda b, x: b.conv_transpose2d(x, b.input("f", "float32", [2, 1, 2, 2]), groups=3), "must divide the 2 input channels"),
        (lambda b, x: b.conv_transpose2d(x, b.input("f", "float32", [2, 1, 2, 2]), padding=[3, 3, 0, 0]), "leaves the output the sizes [0, 6]"),
        (lambda b, x: b.resample2d(x, scales=[0, 1]), "must be greater than 0"),
        (lambda b, x: b.resample2d(x, scales=[0.1, 1]), "leaves the output the sizes [0, 5]"),
        (lambda b, x: b.resample2d(x, sizes=[0, 1]), "sizes[0] is 0: must be from 1"),
        (lambda b, x: b.resample2d(x, axes=[2]), "axes is [2]: must have 2 items"),
        (lambda b, x: b.resample2d(x, mode="cubic"), "must be one of nearest-neighbor, linear"),
        (lambda b, x: b.pad(x, [1], [1, 0, 0, 0]), "beginning_padding is [1]: must have 4 items"),
        (lambda b, x: b.pad(x, [0, 0, 5, 0], [0] * 4, mode="reflection"), "beginning_padding[2] is 5: must be less than the input's size, 5"),
        (lambda b, x: b.split(x, 3, axis=2), "splits is 3: must divide the input's size, 5"),
        (lambda b, x: b.split(x, [2, 2], axis=2), "their sum must be the input's size, 5"),
        (lambda b, x: b.tile(x, [1, 1, 1, 0]), "repetitions[3] is 0: must be from 1"),
        (lambda b, x: b.triangular(x, diagonal=1.5), "must be an integer of 32 bits"),
        (lambda b, x: b.triangular(b.reshape(x, [50])), "the rank must be 2 to 8"),
        (lambda b, x: b.gather(x, x), "indices is 'float32[1, 2, 5, 5]': the data type must be one of int32, uint32, int64"),
        (lambda b, x: b.gather_elements(x, b.input("i", "int32", [1, 2, 5, 4]), axis=2), "the shape must be"),
        (lambda b, x: b.gather_nd(x, b.input("i", "int32", [1, 5])), "its last dimension, 5, must not exceed the input's rank, 4"),
        (lambda b, x: b.scatter_elements(x, b.input("i", "int32", X4), b.input("u", "float32", [1])), "the shape must be that of indices"),
        (lambda b, x: b.scatter_nd(x, b.input("i", "int32", [3, 2]), b.input("u", "float32", [3, 5])), "the shape must be [3, 5, 5]"),
        (lambda b, x: b.prelu(x, b.input("s", "float32", [3])), "sizes 5 and 3 differ"),
        (lambda b, x: b.where(x, x, x), "condition is 'float32[1, 2, 5, 5]': the data type must be one of uint8"),
        (lambda b, x: b.batch_normalization(x, b.input("m", "float32", [3]), b.input("v", "float32", [2])), "mean is 'float32[3]': the shape must be [2]"),
        (lambda b, x: b.instance_normalization(x, scale=b.input("s", "float32", [5])), "scale is 'float32[5]': the shape must be [2]"),
        (lambda b, x: b.layer_normalization(x, axes=[3], bias=b.input("s", "float32", [2])), "the shape must be [5]"),
        (lambda b, x: b.gemm(b.reshape(x, [5, 10]), b.reshape(x, [5, 10])), "its rows must be as many as the columns of a"),
        (lambda b, x: b.gemm(b.reshape(x, [5, 10]), b.reshape(x, [10, 5]), c=b.input("c", "float32", [4])), "the shape must broadcast to [5, 5]"),
        (lambda b, x: b.quantize_linear(x, b.input("s", "float32", [1, 2, 2, 1]), b.input("z", "int8", [1, 2, 2, 1])), "each dimension must divide that of the input"),
        (lambda b, x: b.dequantize_linear(b.input("q", "int8", [4]), b.input("s", "float32", [2]), b.input("z", "int8", [1])), "the shape must be that of the scale, [2]"),
        (lambda b, x: b.gemm(b.reshape(x, [5, 10]), b.reshape(x, [10, 5]), beta=float("inf")), "beta is inf: must be finite"),
        (lambda b, x: b.elu(x, alpha=float("nan")), "alpha is nan: must be finite"),
        (lambda b, x: b.gru(b.input("s", "float32", [2, 3, 4]), b.input("w", "float32", [1, 6, 4]), b.input("r", "float32", [1, 6, 2]), 3, 2), "steps is 3: must be the first dimension"),
        (lambda b, x: b.gru(b.input("s", "float32", [2, 3, 4]), b.input("w", "float32", [1, 5, 4]), b.input("r", "float32", [1, 6, 2]), 2, 2), "weight is 'float32[1, 5, 4]': the shape must be [1, 6, 4]"),
        (lambda b, x: b.gru(b.input("s", "float32", [2, 3, 4]), b.input("w", "float32", [1, 6, 4]), b.input("r", "float32", [1, 6, 2]), 2, 2, activations=["relu"]), "must have 2 items"),
        (lambda b, x: b.lstm_cell(*(b.input(n, "float32", s) for n, s in (("s", [3, 4]), ("w", [8, 4]), ("r", [8, 2]), ("h", [3, 2]), ("c", [3, 1]))), 2), "cell_state is 'float32[3, 1]': the shape must be [3, 2]"),
        (lambda b, x: b.lstm_cell(*(b.input(n, "float32", s) for n, s in (("s", [3, 4]), ("w", [8, 4]), ("r", [8, 2]), ("h", [3, 2]), ("c", [3, 2]))), 2, activations=["gelu", "tanh", "tanh"]), "activations[0] is 'gelu': must be one of relu, sigmoid, tanh"),
    ],
)  # fmt: skip
def test_checks(call: Any, message: str) -> None:
    b: MLGraphBuilder
    b, x = operands(X4)
    with pytest.raises(TypeError) as error:
        call(b, x)
    assert message in str(error.value)


@pytest.mark.parametrize("wrong", [None, [], (), "x", 1])
def test_an_operand_that_is_no_operand_is_refused_by_every_operator(wrong: Any) -> None:
    for name, rule in RULES.items():
        required = [key for key, parameter in rule.signature.parameters.items() if parameter.default is parameter.empty]
        first = next(key for key in required if key in rule.limits)
        several = str(rule.signature.parameters[first].annotation).startswith("Sequence")
        with pytest.raises(ArgumentError) as error:
            rule.add_to(MLGraphBuilder(), **{key: [wrong] if several else wrong for key in required})
        assert str(error.value).startswith(rule.webnn_name), name


def test_a_list_is_no_operand_and_an_operand_is_no_list() -> None:
    b, x, y = operands([2], [2])
    for call, message in (
        (lambda: b.relu([x]), "relu: input is ["),
        (lambda: b.add(x, [y]), "add: b is ["),
        (lambda: b.concat(x, 0), "must be a list of operands"),
        (lambda: b.add(x, None), "add: b is None: must be an MLOperand"),
    ):
        with pytest.raises(ArgumentError) as error:
            call()
        assert message in str(error.value)
