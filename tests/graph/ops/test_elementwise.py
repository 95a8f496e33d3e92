"""Element-wise operators: which types they take, what they give."""

from __future__ import annotations

import pytest

from tests.graph.ops.shapes import operands
from trtx_backend.dtypes import ALL, ANY, FLOATS, SIGNED

BINARY = ("add", "sub", "mul", "div", "max", "min", "pow")
COMPARE = ("equal", "not_equal", "greater", "greater_or_equal", "lesser", "lesser_or_equal")
FLOAT_UNARY = ("ceil", "cos", "erf", "exp", "floor", "log", "reciprocal", "round_even", "sin", "sqrt", "tan")


@pytest.mark.parametrize("name", BINARY + COMPARE)
@pytest.mark.parametrize("dtype", ANY)
def test_binary_operators_broadcast_any_type(name: str, dtype: str) -> None:
    b, x, y = operands([2, 1, 3], [4, 1], dtype=dtype)
    result = getattr(b, name)(x, y)
    assert result.shape == (2, 4, 3)
    assert result.dtype == ("uint8" if name in COMPARE else dtype)


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_logical_operators_are_of_uint8(name: str) -> None:
    b, x, y = operands([2, 1], [3], dtype="uint8")
    result = getattr(b, name)(x, y)
    assert (result.dtype, result.shape) == ("uint8", (2, 3))
    b, x, y = operands([2], [2], dtype="int8")
    with pytest.raises(TypeError, match="the data type must be one of uint8"):
        getattr(b, name)(x, y)


@pytest.mark.parametrize(
    "name", (*FLOAT_UNARY, "abs", "neg", "sign", "relu", "identity", "is_nan", "is_infinite", "logical_not")
)
@pytest.mark.parametrize("dtype", ALL)
def test_unary_operators_keep_the_shape(name: str, dtype: str) -> None:
    allowed = {"identity": ALL, "is_nan": FLOATS, "is_infinite": FLOATS, "logical_not": ("uint8",)}.get(
        name, FLOATS if name in FLOAT_UNARY else SIGNED
    )
    b, x = operands([2, 3], dtype=dtype)
    if dtype not in allowed:
        with pytest.raises(TypeError, match="the data type must be one of"):
            getattr(b, name)(x)
        return
    result = getattr(b, name)(x)
    truth = name in ("is_nan", "is_infinite", "logical_not")
    assert (result.dtype, result.shape) == ("uint8" if truth else dtype, (2, 3))
