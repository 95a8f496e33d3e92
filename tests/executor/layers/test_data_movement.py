"""IShuffleLayer, IConcatenationLayer, IConstantLayer, IIdentityLayer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.executor.build import run, same
from trtx_backend.trt import trt

X = np.arange(6, dtype=np.float32).reshape(2, 3)
TYPES = [np.float32, np.float16, np.int32, np.int64, np.int8]


def shuffled(x: Any, **properties: Any) -> Any:
    def make(n: Any, t: Any) -> Any:
        layer = n.add_shuffle(t)
        for name, value in properties.items():
            setattr(layer, name, value)
        return layer

    return run(make, x)


def test_shuffle_transposes_reshapes_and_transposes() -> None:
    same(shuffled(X), X)
    same(shuffled(X, first_transpose=(1, 0)), X.T)
    same(shuffled(X, reshape_dims=(3, 2)), X.reshape(3, 2))
    same(shuffled(X, first_transpose=(1, 0), reshape_dims=(2, 3)), X.T.reshape(2, 3))
    same(shuffled(X, reshape_dims=(3, 2), second_transpose=(1, 0)), X.reshape(3, 2).T)
    same(shuffled(X, reshape_dims=()[:0] or (1, 6), first_transpose=(1, 0)), X.T.reshape(1, 6))


@pytest.mark.parametrize("dtype", TYPES)
def test_shuffle_of_any_type(dtype: Any) -> None:
    x = X.astype(dtype)
    same(shuffled(x, first_transpose=(1, 0)), np.array([[0, 3], [1, 4], [2, 5]], dtype))
    same(shuffled(x, reshape_dims=(3, 2)), np.array([[0, 1], [2, 3], [4, 5]], dtype))
    turned = shuffled(x, first_transpose=(1, 0), reshape_dims=(2, 3))
    same(turned, np.array([[0, 3, 1], [4, 2, 5]], dtype))


def test_shuffle_dimensions_of_zero_and_minus_one() -> None:
    same(shuffled(X, reshape_dims=(0, 3)), X)
    same(shuffled(X, reshape_dims=(3, -1)), X.reshape(3, 2))
    same(shuffled(np.array([[5]], np.int32), reshape_dims=()), np.array(5, np.int32))


@pytest.mark.parametrize("dtype", [*TYPES, np.bool_])
def test_concatenation(dtype: Any) -> None:
    def make(axis: int) -> Any:
        def layer(n: Any, a: Any, b: Any) -> Any:
            made = n.add_concatenation([a, b])
            made.axis = axis
            return made

        return layer

    x = X.astype(dtype)
    same(run(make(0), x, x[:1]), np.array([[0, 1, 2], [3, 4, 5], [0, 1, 2]], dtype))
    same(run(make(1), x, x[:, :1]), np.array([[0, 1, 2, 0], [3, 4, 5, 3]], dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64, np.bool_])
def test_constant_and_identity(dtype: Any) -> None:
    data = np.array([[1, 0], [0, 1]], dtype)
    result = run(lambda n: n.add_identity(n.add_constant((2, 2), trt.Weights(data.reshape(-1))).get_output(0)))
    same(result, data)


def test_identity_hands_on_bytes() -> None:
    """Of uint8 TensorRT has inputs and outputs, and few layers."""
    x = np.array([[0, 1], [128, 255]], np.uint8)
    same(run(lambda n, t: n.add_identity(t), x), x)
