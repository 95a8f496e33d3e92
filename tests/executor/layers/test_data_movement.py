"""IShuffleLayer, IConcatenationLayer, IConstantLayer, IIdentityLayer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.executor.build import run, same
from trtx_backend.trt import trt

X = np.arange(6, dtype=np.float32).reshape(2, 3)


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


def test_shuffle_dimensions_of_zero_and_minus_one() -> None:
    same(shuffled(X, reshape_dims=(0, 3)), X)
    same(shuffled(X, reshape_dims=(3, -1)), X.reshape(3, 2))
    same(shuffled(np.array([[5]], np.int32), reshape_dims=()), np.array(5, np.int32))


def test_concatenation() -> None:
    def make(axis: int) -> Any:
        def layer(n: Any, a: Any, b: Any) -> Any:
            made = n.add_concatenation([a, b])
            made.axis = axis
            return made

        return layer

    same(run(make(0), X, X), np.concatenate([X, X]))
    same(run(make(1), X, X[:, :1]), np.array([[0, 1, 2, 0], [3, 4, 5, 3]], np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64, np.bool_])
def test_constant_and_identity(dtype: Any) -> None:
    data = np.array([[1, 0], [0, 1]], dtype)
    result = run(lambda n: n.add_identity(n.add_constant((2, 2), trt.Weights(data.reshape(-1))).get_output(0)))
    same(result, data)
