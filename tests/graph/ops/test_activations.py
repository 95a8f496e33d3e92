"""elu, gelu, hardSigmoid, hardSwish, leakyRelu, linear, sigmoid, softplus, softsign, tanh, gemm and shape: their checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.graph.ops.shapes import operands
from trtx_backend.graph.operator import RULES

OPTIONS = {
    "elu": {"alpha": 1.0},
    "hard_sigmoid": {"alpha": 0.2, "beta": 0.5},
    "leaky_relu": {"alpha": 0.01},
    "linear": {"alpha": 1.0, "beta": 0.0},
}
ACTIVATIONS = (*OPTIONS, "gelu", "hard_swish", "sigmoid", "softplus", "softsign", "tanh")


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("shape", [(), (2, 3), (1,) * 8])
def test_the_result_is_like_the_input(name: str, shape: tuple[int, ...]) -> None:
    for dtype in ("float32", "float16"):
        b, x = operands(shape, dtype=dtype)
        result = getattr(b, name)(x)
        assert (result.dtype, result.shape) == (dtype, shape)


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("dtype", ["int32", "uint8"])
def test_integers_are_refused(name: str, dtype: str) -> None:
    b, x = operands([2], dtype=dtype)
    with pytest.raises(TypeError, match=rf"^{RULES[name].webnn_name}: input is '{dtype}\[2\]': .*float32, float16"):
        getattr(b, name)(x)


@pytest.mark.parametrize(("name", "option"), [(name, option) for name in OPTIONS for option in OPTIONS[name]])
def test_options_are_finite_and_cast_to_the_type_of_the_input(name: str, option: str) -> None:
    for dtype in ("float32", "float16"):
        b, x = operands([2], dtype=dtype)
        for value, expected in ((0.1, np.dtype(dtype).type(0.1)), (-1e300, -np.inf), (3, 3)):
            made = getattr(b, name)(x, **{option: value}).operator
            assert made.attributes == {**_cast(OPTIONS[name], dtype), option: expected}
        for value, rule in ((np.inf, "must be finite"), (np.nan, "must be finite"), ("1", "must be a number")):
            with pytest.raises(TypeError, match=f"{option} is .*: {rule}"):
                getattr(b, name)(x, **{option: value})


def test_gemm_has_the_shape_of_its_product() -> None:
    b, x, y = operands([2, 3], [4, 3])
    assert b.gemm(x, y, b_transpose=True).shape == (2, 4)
    assert b.gemm(y, x, a_transpose=False, b_transpose=True).shape == (4, 2)
    assert b.gemm(x, x, a_transpose=True).shape == (3, 3)
    for shape in ([], [4], [1], [1, 4], [2, 1], [2, 4]):
        assert b.gemm(x, y, c=b.constant(np.ones(shape, np.float32)), b_transpose=True).shape == (2, 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda b, x, y: b.gemm(x, y), "b is 'float32[4, 3]': its rows must be as many as the columns of a float32[2, 3], 3"),
        (lambda b, x, y: b.gemm(x, b.reshape(y, [12])), "b is 'float32[12]': the rank must be 2"),
        (lambda b, x, y: b.gemm(x, b.cast(y, "float16")), "b is 'float16[4, 3]': the data type must be that of a, float32"),
        (lambda b, x, y: b.gemm(x, y, b_transpose=1), "b_transpose is 1: must be True or False"),
        (lambda b, x, y: b.gemm(x, y, b_transpose=True, c=b.reshape(y, [3, 4])), "c is 'float32[3, 4]': the shape must broadcast to [2, 4]"),
        (lambda b, x, y: b.gemm(x, y, b_transpose=True, c=b.reshape(y, [1, 3, 4])), "the shape must broadcast to [2, 4]"),
        (lambda b, x, y: b.gemm(x, y, b_transpose=True, alpha=float("nan")), "alpha is nan: must be finite"),
        (lambda b, x, y: b.shape(b.constant("float32", 1)), "shape: input is 'float32[]': the rank must be 1 to 8"),
    ],
)  # fmt: skip
def test_checks(call: Any, message: str) -> None:
    b, x, y = operands([2, 3], [4, 3])
    with pytest.raises(TypeError) as error:
        call(b, x, y)
    assert message in str(error.value)


def test_shape_is_of_any_type_and_gives_int64() -> None:
    for dtype in ("float32", "uint64", "int4"):
        b, x = operands([2, 3, 4], dtype=dtype)
        made = b.shape(x)
        assert (made.dtype, made.shape) == ("int64", (3,))


def _cast(options: dict[str, float], dtype: str) -> dict[str, float]:
    return {name: float(np.dtype(dtype).type(value)) for name, value in options.items()}
