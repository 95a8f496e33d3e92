"""Activations, gemm and shape where the corpus has no values: what is not finite, float16 inside, and layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.lowering.run import layers, run

INF, NAN = np.inf, np.nan
X = np.array([-INF, -1, -0.0, 0, 1, INF, NAN])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("elu", {"alpha": 2}, [-2, 2 * np.expm1(-1), 0, 0, 1, INF, NAN]),
        ("hard_sigmoid", {}, [0, 0.3, 0.5, 0.5, 0.7, 1, NAN]),
        ("hard_sigmoid", {"alpha": -1}, [1, 1, 0.5, 0.5, 0, 0, NAN]),
        ("leaky_relu", {"alpha": 0.5}, [-INF, -0.5, 0, 0, 1, INF, NAN]),
        ("leaky_relu", {"alpha": -2}, [INF, 2, 0, 0, 1, INF, NAN]),
        ("linear", {"alpha": 2, "beta": 1}, [-INF, -1, 1, 1, 3, INF, NAN]),
        ("linear", {}, X),
        ("sigmoid", {}, [0, 1 / (1 + np.e), 0.5, 0.5, 1 / (1 + 1 / np.e), 1, NAN]),
        ("softplus", {}, [0, np.log1p(1 / np.e), np.log(2), np.log(2), np.log1p(np.e), INF, NAN]),
        ("tanh", {}, np.tanh(X)),
    ],
)
def test_what_is_not_finite(name: str, options: dict[str, float], expected: Any, dtype: str) -> None:
    result = run(lambda b, x: getattr(b, name)(x, **options), X.astype(dtype))
    np.testing.assert_allclose(result, np.asarray(expected), rtol=2 * np.finfo(dtype).eps)


@pytest.mark.parametrize(
    "name", ["elu", "gelu", "hard_sigmoid", "leaky_relu", "sigmoid", "softplus", "softsign", "tanh"]
)
def test_one_layer(name: str) -> None:
    assert layers(lambda b, x: getattr(b, name)(x), X.astype(np.float16)) == {"ACTIVATION": 1}


def test_options_are_rounded_to_float16() -> None:
    result = run(lambda b, x: b.leaky_relu(x, alpha=2049), np.array([-1], np.float16))
    assert result.tolist() == [-2048]
    assert layers(lambda b, x: b.linear(x, alpha=1.0001, beta=1e-9), np.ones(2, np.float16)) == {"IDENTITY": 1}


A = np.array([[300, -300], [1, 2]], np.float16)


@pytest.mark.parametrize("beta", [0.0, 1.0, -0.5])
@pytest.mark.parametrize("shape", [(), (2,), (1, 2), (2, 1), (2, 2)])
def test_gemm_scales_a_float16_product_before_it_overflows(beta: float, shape: tuple[int, ...]) -> None:
    c = np.full(shape, 7, np.float16)
    result = run(lambda b, x, y: b.gemm(x, x, c=y, alpha=0.125, beta=beta, b_transpose=True), A, c)
    exact = 0.125 * (A.astype(float) @ A.T.astype(float)) + beta * 7
    np.testing.assert_array_equal(result, exact.astype(np.float16))
    assert np.isfinite(result).all()


def test_gemm_does_not_read_c_where_beta_is_zero() -> None:
    c = np.array([NAN, INF], np.float32)
    assert run(lambda b, x, y: b.gemm(x, x, c=y, beta=0), A.astype(np.float32), c)[1].tolist() == [302, -296]
    assert layers(lambda b, x, y: b.gemm(x, x, c=y, beta=0), A, c.astype(np.float16)) == {"MATRIX_MULTIPLY": 1}


def test_gemm_adds_no_layers_for_factors_of_one() -> None:
    assert layers(lambda b, x: b.gemm(x, x), A) == {"MATRIX_MULTIPLY": 1}
    assert layers(lambda b, x: b.gemm(x, x, c=x), A) == {"MATRIX_MULTIPLY": 1, "ELEMENTWISE": 1}


@pytest.mark.parametrize("constants", [False, True])
def test_shape_is_a_constant_that_folds(constants: bool) -> None:
    x = np.ones((2, 1, 3), np.uint8)
    sizes, total = run(lambda b, t: (y := b.shape(t), b.add(y, y)), x, constants=constants)
    assert sizes.dtype == np.int64 and sizes.tolist() == [2, 1, 3]
    assert total.tolist() == [4, 2, 6]
