"""IActivationLayer and IParametricReLULayer: NVIDIA's formulas, by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.executor.build import run, same
from trtx_backend.trt import trt

Type = trt.ActivationType
INF = math.inf


def activation(kind: Any, x: Any, **parameters: float) -> Any:
    def make(n: Any, t: Any) -> Any:
        layer = n.add_activation(t, kind)
        for name, value in parameters.items():
            setattr(layer, name, value)
        return layer

    return run(make, x)


@pytest.mark.parametrize(
    ("kind", "parameters", "x", "expected"),
    [
        (Type.RELU, {}, [-2, 3], [0, 3]),
        (Type.SIGMOID, {}, [0, 2, -1000, 1000], [0.5, 1 / (1 + math.exp(-2)), 0, 1]),
        (Type.TANH, {}, [0, 1], [0, math.tanh(1)]),
        (Type.LEAKY_RELU, {"alpha": 0.5}, [-2, 3, INF], [-1, 3, INF]),
        (Type.ELU, {"alpha": 2.0}, [-1, 3], [2 * (math.exp(-1) - 1), 3]),
        (Type.SELU, {"alpha": 2.0, "beta": 3.0}, [-1, 2], [6 * (math.exp(-1) - 1), 6]),
        (Type.SOFTSIGN, {}, [-3, 1, INF], [-0.75, 0.5, 1]),
        (
            Type.SOFTPLUS,
            {"alpha": 2.0, "beta": 0.5},
            [0, 4, 5000],
            [2 * math.log(2), 2 * math.log1p(math.exp(2)), 5000],
        ),
        (Type.CLIP, {"alpha": -1.0, "beta": 2.0}, [-5, 0.5, 7], [-1, 0.5, 2]),
        (Type.HARD_SIGMOID, {"alpha": 0.5, "beta": 0.25}, [-3, 0.5, 9], [0, 0.5, 1]),
        (Type.SCALED_TANH, {"alpha": 2.0, "beta": 0.5}, [1], [2 * math.tanh(0.5)]),
        (Type.THRESHOLDED_RELU, {"alpha": 1.0}, [0.5, 1, 1.5], [0, 0, 1.5]),
        (Type.GELU_ERF, {}, [1, -1], [0.8413447460685429, -0.15865525393145707]),
        (Type.GELU_TANH, {}, [1], [0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * 1.044715))]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_formulas(kind: Any, parameters: dict[str, float], x: list[float], expected: list[float], dtype: Any) -> None:
    result = activation(kind, np.array(x, dtype), **parameters)
    assert result.dtype == dtype
    np.testing.assert_allclose(result, np.array(expected, dtype), rtol=np.finfo(dtype).eps)


def test_elu_keeps_its_digits_near_zero() -> None:
    np.testing.assert_allclose(activation(Type.ELU, np.array([-1e-7], np.float32), alpha=1.0), [-1e-7], rtol=1e-6)


def test_integers() -> None:
    same(activation(Type.RELU, np.array([-2, 3], np.int32)), np.array([0, 3], np.int32))
    same(activation(Type.RELU, np.array([-128, 127], np.int8)), np.array([0, 127], np.int8))
    same(activation(Type.RELU, np.array([-(2**60), 2**60 + 1], np.int64)), np.array([0, 2**60 + 1], np.int64))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_parametric_relu_broadcasts_its_slope(dtype: Any) -> None:
    x = np.array([[-1, 2], [-3, -4]], dtype)
    slope = np.array([[2, math.inf]], dtype)
    same(run(lambda n, a, b: n.add_parametric_relu(a, b), x, slope), np.array([[-2, 2], [-6, -math.inf]], dtype))
