"""Normalizations where the corpus has no values: variances that epsilon decides, float16 inside, no axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.lowering.run import run

SMALL = np.array([0, 1e-7, 1e-5, 1], np.float64)
EPSILONS = (1e-5, 1e-3, 0.25)


def expected(x: Any, axes: tuple[int, ...], epsilon: float) -> Any:
    x = x.astype(np.float64)
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axes, keepdims=True) + epsilon)


def close(actual: Any, exact: Any) -> None:
    np.testing.assert_allclose(actual.astype(np.float64), exact, rtol=1e-5 if actual.dtype == np.float32 else 1e-3)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_epsilon_is_added_to_the_variance(dtype: str, epsilon: float) -> None:
    x, variance, mean = np.full((1, 4), 2, dtype), SMALL.astype(dtype), np.full(4, 1.5, dtype)
    rounded = float(np.dtype(dtype).type(epsilon))
    result = run(lambda b, *inputs: b.batch_normalization(*inputs, epsilon=epsilon), x, mean, variance)
    close(result, 0.5 / np.sqrt(variance.astype(np.float64)[None] + rounded))
    spread = (np.array([1, -1, 2, -3]) * 2.0**-9).astype(dtype).reshape(1, 1, 2, 2)
    instance = run(lambda b, t: b.instance_normalization(t, epsilon=epsilon), spread)
    close(instance, expected(spread, (2, 3), rounded))
    close(run(lambda b, t: b.layer_normalization(t, epsilon=epsilon), spread), expected(spread, (1, 2, 3), rounded))


def test_float16_does_not_overflow_inside() -> None:
    x = np.array([60000, -60000, 30000, 50000], np.float16).reshape(1, 1, 2, 2)
    close(run(lambda b, t: b.instance_normalization(t), x), expected(x, (2, 3), 1e-5))
    close(run(lambda b, t: b.layer_normalization(t, axes=[3]), x), expected(x, (3,), 1e-5))
    far = [np.full((1, 1), 60000, np.float16), np.full(1, -60000, np.float16), np.full(1, 60000, np.float16)]
    close(run(lambda b, *inputs: b.batch_normalization(*inputs), *far), np.full((1, 1), 120000 / np.sqrt(60000)))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("shape", [(), (3,)])
def test_layer_normalization_without_axes_is_that_of_single_elements(dtype: str, shape: tuple[int, ...]) -> None:
    x, scale, bias = np.full(shape, 3, dtype), np.array(2, dtype), np.array(-0.5, dtype)
    result = run(lambda b, t, s, c: b.layer_normalization(t, axes=[], scale=s, bias=c), x, scale, bias)
    np.testing.assert_array_equal(result, np.full(shape, -0.5, dtype))


@pytest.mark.parametrize("axes", [[], [1]])
def test_no_variance_and_no_epsilon_is_nan(axes: list[int]) -> None:
    x = np.ones((2, 1), np.float32)
    assert np.isnan(run(lambda b, t: b.layer_normalization(t, axes=axes, epsilon=0.0), x)).all()


def test_layer_normalization_has_scale_and_bias_in_the_order_of_the_axes() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4) ** 2
    scale, bias = np.arange(8, dtype=np.float32).reshape(4, 2), np.arange(8, dtype=np.float32).reshape(4, 2) - 5
    result = run(lambda b, t, s, c: b.layer_normalization(t, axes=[2, 0], scale=s, bias=c), x, scale, bias)
    exact = expected(x, (0, 2), 1e-5) * scale.T[:, None, :] + bias.T[:, None, :]
    np.testing.assert_allclose(result, exact, rtol=1e-5, atol=1e-5)
