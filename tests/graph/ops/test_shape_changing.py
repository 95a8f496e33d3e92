"""reshape, transpose, concat, expand, slice, matmul, clamp, cast: shapes and checks."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.graph.ops.shapes import operands


@pytest.mark.parametrize(
    ("name", "shapes", "arguments", "expected"),
    [
        ("reshape", [[2, 3]], [[3, 2]], (3, 2)),
        ("reshape", [[1, 1]], [[]], ()),
        ("transpose", [[2, 3, 4]], [], (4, 3, 2)),
        ("expand", [[1, 3]], [[5, 2, 3]], (5, 2, 3)),
        ("expand", [[]], [[2]], (2,)),
        ("slice", [[5, 6]], [[1, 2], [3, 4]], (3, 4)),
        ("slice", [[]], [[], []], ()),
        ("matmul", [[2, 3], [3, 4]], [], (2, 4)),
        ("matmul", [[5, 1, 2, 3], [7, 3, 4]], [], (5, 7, 2, 4)),
        ("cast", [[2]], ["int8"], (2,)),
    ],
)
def test_shapes(name: str, shapes: list[list[int]], arguments: list[Any], expected: tuple[int, ...]) -> None:
    b, *inputs = operands(*shapes)
    assert getattr(b, name)(*inputs, *arguments).shape == expected


def test_options() -> None:
    b, x, y = operands([2, 3, 4], [2, 5, 4])
    assert b.transpose(x, permutation=[1, 2, 0]).shape == (3, 4, 2)
    assert b.slice(x, [0, 0, 0], [2, 3, 4], strides=[2, 2, 3]).shape == (1, 2, 2)
    assert b.concat([x, y, x], 1).shape == (2, 11, 4)
    assert b.cast(x, "uint4").dtype == "uint4"
    clamped = b.clamp(x, min_value=math.nan, max_value=2)
    assert clamped.operator is not None
    assert clamped.operator.attributes == {"min_value": None, "max_value": 2.0}
    assert b.clamp(x, min_value=2, max_value=2).shape == (2, 3, 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda b, x, y: b.reshape(x, [5]), "must hold as many elements as the input float32[2, 3], 6"),
        (lambda b, x, y: b.reshape(x, [0]), "each dimension must be from 1"),
        (lambda b, x, y: b.transpose(x, permutation=[0]), "must have 2 items, the input's rank"),
        (lambda b, x, y: b.transpose(x, permutation=[0, 0]), "no axis may be named twice"),
        (lambda b, x, y: b.transpose(x, permutation=[0, 2]), "less than the input's rank, 2"),
        (lambda b, x, y: b.concat([], 0), "their number must be 1 to 8192"),
        (lambda b, x, y: b.concat([x, y], 1), "inputs[1] is 'float32[4, 3]': the shape must be that of inputs[0]"),
        (lambda b, x, y: b.concat([x, b.cast(x, "int8")], 1), "the data type must be that of inputs[0]"),
        (lambda b, x, y: b.concat([x], 2), "axis is 2: must be less than the input's rank, 2"),
        (lambda b, x, y: b.concat([b.reshape(x, [6]), x], 0), "the shape must be that of inputs[0]"),
        (lambda b, x, y: b.expand(x, [3]), "the input float32[2, 3] must broadcast to it"),
        (lambda b, x, y: b.expand(x, [4, 3]), "the input float32[2, 3] must broadcast to it"),
        (lambda b, x, y: b.slice(x, [0], [1, 1]), "starts is [0]: must have 2 items"),
        (lambda b, x, y: b.slice(x, [0, 0], [1, 0]), "sizes[1] is 0: must be from 1"),
        (lambda b, x, y: b.slice(x, [1, 0], [2, 1]), "with starts[0] 1 it reaches beyond the input's 2 elements"),
        (lambda b, x, y: b.slice(x, [0, 0], [1, 1], strides=[1, 0]), "strides[1] is 0: must be from 1"),
        (lambda b, x, y: b.matmul(x, y), "its rows must be as many as the columns of a float32[2, 3], 3"),
        (lambda b, x, y: b.matmul(x, b.reshape(x, [6])), "the rank must be 2 to 8"),
        (lambda b, x, y: b.clamp(x, min_value=2, max_value=1), "min_value is 2.0: must not exceed max_value, 1.0"),
        (lambda b, x, y: b.cast(x, "bool"), "dtype is 'bool': must be one of float32"),
    ],
)
def test_checks(call: Any, message: str) -> None:
    b, x, y = operands([2, 3], [4, 3])
    with pytest.raises(TypeError) as error:
        call(b, x, y)
    assert message in str(error.value)
