"""erf and erfc of arrays, against Python's of numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from trtx_backend.executor.layers.error_function import erf, erfc

X = np.concatenate([
    np.linspace(-30, 30, 60_001),
    np.random.default_rng(0).uniform(-7, 7, 20_000),
    np.ldexp(1.0, np.arange(-1074, 10)),
    -np.ldexp(1.0, np.arange(-1074, 10)),
    [0.5, np.nextafter(0.5, 1), 6, 10, np.nextafter(10, 11), 27.5, np.inf, -np.inf],
])  # fmt: skip


@pytest.mark.parametrize(("mine", "exact"), [(erf, math.erf), (erfc, math.erfc)])
def test_every_number_to_a_few_steps(mine: Any, exact: Any) -> None:
    right = np.array([exact(x) for x in X])
    found = mine(X)
    steps = np.abs(found - right) / np.spacing(np.abs(right))
    assert steps.max() <= 4, X[steps.argmax()]
    assert (np.signbit(found) == np.signbit(right)).all()


def test_nan_and_zeros() -> None:
    assert np.isnan(erf(np.array([np.nan, 1.0]))).tolist() == [True, False]
    assert np.isnan(erfc(np.array([np.nan, 1.0]))).tolist() == [True, False]
    assert np.signbit(erf(np.array([-0.0, 0.0]))).tolist() == [True, False]
    assert erf(np.array(0.0)).shape == erfc(np.array(2.0)).shape == ()
