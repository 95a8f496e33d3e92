"""Checks of the normalizations: each operand's type, rank and size, by operand and rule."""

from __future__ import annotations

from typing import Any

import pytest

from trtx_backend.graph import MLGraphBuilder


def batch(b: MLGraphBuilder, shape: list[int], dtype: str = "float32", **given: Any) -> Any:
    named = {"mean": (dtype, [2]), "variance": (dtype, [2]), **given}
    operands = {name: b.input(name, *value) if isinstance(value, tuple) else value for name, value in named.items()}
    return b.batch_normalization(b.input("x", dtype, shape), **operands)


def other(name: str, b: MLGraphBuilder, shape: list[int], dtype: str = "float32", **given: Any) -> Any:
    operands = {name: b.input(name, *value) if isinstance(value, tuple) else value for name, value in given.items()}
    return getattr(b, name)(b.input("x", dtype, shape), **operands)


def instance(b: MLGraphBuilder, *arguments: Any, **given: Any) -> Any:
    return other("instance_normalization", b, *arguments, **given)


def layer(b: MLGraphBuilder, *arguments: Any, **given: Any) -> Any:
    return other("layer_normalization", b, *arguments, **given)


F32 = "float32"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda b: batch(b, []), "input is 'float32[]': the rank must be 1 to 8"),
        (lambda b: batch(b, [2, 2], "int32"), "input is 'int32[2, 2]': the data type must be one of float32, float16"),
        (lambda b: batch(b, [2]), "axis is 1: must be less than the input's rank, 1"),
        (lambda b: batch(b, [2, 2], mean=(F32, [2, 1])), "mean is 'float32[2, 1]': the rank must be 1"),
        (lambda b: batch(b, [2, 3]), "mean is 'float32[2]': the shape must be [3], the input's size at axis 1"),
        (lambda b: batch(b, [2, 2], variance=(F32, [3])), "variance is 'float32[3]': the shape must be [2]"),
        (lambda b: batch(b, [2, 2], variance=("float16", [2])), "variance is 'float16[2]'"),
        (lambda b: batch(b, [2, 2], scale=(F32, [1])), "scale is 'float32[1]': the shape must be [2]"),
        (lambda b: batch(b, [2, 2], bias=(F32, [1])), "bias is 'float32[1]': the shape must be [2]"),
        (lambda b: batch(b, [2, 2], epsilon=float("inf")), "epsilon is inf: must be finite"),
        (lambda b: instance(b, [1, 2, 3, 4], epsilon=float("nan")), "epsilon is nan: must be finite"),
        (lambda b: layer(b, [2, 3], epsilon=float("-inf")), "epsilon is -inf: must be finite"),
        (lambda b: instance(b, [2, 2, 2]), "input is 'float32[2, 2, 2]': the rank must be 4"),
        (lambda b: instance(b, [1, 2, 3, 4], layout="chwn"), "layout is 'chwn': must be one of nchw, nhwc"),
        (lambda b: instance(b, [1, 2, 3, 4], layout="nhwc", scale=(F32, [2])), "the shape must be [4]"),
        (lambda b: instance(b, [1, 2, 3, 4], bias=(F32, [4])), "bias is 'float32[4]': the shape must be [2]"),
        (lambda b: layer(b, [2, 3], axes=[2]), "axes is [2]: each axis must be less than the input's rank, 2"),
        (lambda b: layer(b, [2, 3], axes=[0, 0]), "no axis may be named twice"),
        (lambda b: layer(b, [2, 3], axes=[1, 0], scale=(F32, [2, 3])), "'float32[2, 3]': the shape must be [3, 2]"),
        (lambda b: layer(b, [2, 3], bias=(F32, [1, 3])), "bias is 'float32[1, 3]': the shape must be [3]"),
        (lambda b: layer(b, [3], scale=(F32, [3])), "scale is 'float32[3]': the shape must be []"),
    ],
)  # fmt: skip
def test_checks(call: Any, message: str) -> None:
    with pytest.raises(TypeError) as error:
        call(MLGraphBuilder())
    assert message in str(error.value)
    assert str(error.value).split(":")[0].endswith("Normalization")


def test_shapes() -> None:
    b = MLGraphBuilder()
    assert batch(b, [3, 4, 2], axis=2).shape == (3, 4, 2)
    b = MLGraphBuilder()
    assert instance(b, [1, 2, 3, 4], layout="nhwc", scale=(F32, [4]), bias=(F32, [4])).shape == (1, 2, 3, 4)
    b = MLGraphBuilder()
    assert layer(b, [2, 3, 4], axes=[2, 0], scale=(F32, [4, 2])).shape == (2, 3, 4)
    b = MLGraphBuilder()
    assert layer(b, [], scale=(F32, []), bias=(F32, [])).shape == ()
