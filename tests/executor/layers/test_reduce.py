"""IReduceLayer, ITopKLayer, ISoftMaxLayer, ICumulativeLayer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.executor.build import run, same
from trtx_backend.trt import trt

Op = trt.ReduceOperation
X = np.array([[1, 2, 3], [4, 5, 7]], np.float32)


@pytest.mark.parametrize(
    ("op", "axes", "expected"),
    [
        (Op.SUM, 0b10, [6, 16]),
        (Op.SUM, 0b01, [5, 7, 10]),
        (Op.SUM, 0b11, 22),
        (Op.PROD, 0b10, [6, 140]),
        (Op.MAX, 0b01, [4, 5, 7]),
        (Op.MAX, 0b10, [3, 7]),
        (Op.MAX, 0b11, 7),
        (Op.MIN, 0b10, [1, 4]),
        (Op.MIN, 0b01, [1, 2, 3]),
        (Op.AVG, 0b01, [2.5, 3.5, 5]),
    ],
)
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64])
def test_reduce(op: Any, axes: int, expected: Any, keep: bool, dtype: Any) -> None:
    x = 2 * X.astype(dtype) if op == Op.AVG else X.astype(dtype)  # integers do not hold the halves
    expected = np.array(2 * np.array(expected) if op == Op.AVG else expected, dtype)
    result = run(lambda n, t: n.add_reduce(t, op, axes, keep), x)
    assert result.ndim == (2 if keep else expected.ndim)
    same(result.reshape(expected.shape), expected)


def test_reduce_accumulates_exactly_and_integers_wrap() -> None:
    x = np.array([[2**24, 1, 1]], np.float32)
    same(run(lambda n, t: n.add_reduce(t, Op.SUM, 2, False), x), np.array([2**24 + 2], np.float32))
    x = np.array([[2**31 - 1, 2]], np.int32)
    same(run(lambda n, t: n.add_reduce(t, Op.SUM, 2, False), x), np.array([-(2**31) + 1], np.int32))
    x = np.array([[2**62, 3]], np.int64)
    same(run(lambda n, t: n.add_reduce(t, Op.PROD, 2, False), x), np.array([-(2**62)], np.int64))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_average_of_integers_truncates_and_is_exact(dtype: Any) -> None:
    top = int(np.iinfo(dtype).max) - 1
    x = np.array([[-3, -4], [3, 4], [top, 1], [-2, -4]], dtype)
    expected = np.array([-3, 3, (top + 1) // 2, -3], dtype)
    same(run(lambda n, t: n.add_reduce(t, Op.AVG, 2, False), x), expected)


@pytest.mark.parametrize(
    ("op", "k", "values", "indices"),
    [
        (trt.TopKOperation.MAX, 3, [5, 5, 4], [1, 3, 4]),
        (trt.TopKOperation.MIN, 2, [1, 1], [0, 2]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64])
def test_topk_of_ties_takes_the_first(op: Any, k: int, values: list[int], indices: list[int], dtype: Any) -> None:
    def make(n: Any, x: Any) -> Any:
        layer = n.add_topk(x, op, k, 2)
        return [layer.get_output(0), layer.get_output(1)]

    got = run(make, np.array([[1, 5, 1, 5, 4]], dtype))
    same(got[0], np.array([values], dtype))
    same(got[1], np.array([indices], np.int32))


@pytest.mark.parametrize(("op", "worst"), [(trt.TopKOperation.MAX, -math.inf), (trt.TopKOperation.MIN, math.inf)])
def test_topk_takes_nan_last(op: Any, worst: float) -> None:
    def make(n: Any, x: Any) -> Any:
        return n.add_topk(x, op, 3, 2).get_output(1)

    same(run(make, np.array([[math.nan, worst, 1]], np.float32)), np.array([[2, 1, 0]], np.int32))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_topk_of_the_least_integer(dtype: Any) -> None:
    def make(n: Any, x: Any) -> Any:
        return n.add_topk(x, trt.TopKOperation.MAX, 3, 2).get_output(1)

    least = np.iinfo(dtype).min
    same(run(make, np.array([[least, 0, least + 1]], dtype)), np.array([[1, 2, 0]], np.int32))


def test_topk_of_integers_along_another_axis_with_int64_indices() -> None:
    def make(n: Any, x: Any) -> Any:
        return n.add_topk(x, trt.TopKOperation.MAX, 1, 1, trt.int64).get_output(1)

    same(run(make, np.array([[2**60, 0], [2**60 + 1, -5]], np.int64)), np.array([[1, 0]], np.int64))


def test_softmax() -> None:
    def make(n: Any, x: Any) -> Any:
        layer = n.add_softmax(x)
        layer.axes = 1
        return layer

    result = run(make, np.array([[1000, 0], [999, math.log(3)]], np.float32))
    expected = [[1 / (1 + math.exp(-1)), 0.25], [1 / (1 + math.e), 0.75]]
    np.testing.assert_allclose(result, np.array(expected, np.float32), rtol=1e-6)


@pytest.mark.parametrize(
    ("exclusive", "reverse", "expected"),
    [
        (False, False, [[1, 3, 6], [4, 9, 16]]),
        (True, False, [[0, 1, 3], [0, 4, 9]]),
        (False, True, [[6, 5, 3], [16, 12, 7]]),
        (True, True, [[5, 3, 0], [12, 7, 0]]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64])
def test_cumulative(exclusive: bool, reverse: bool, expected: Any, dtype: Any) -> None:
    def make(n: Any, x: Any) -> Any:
        axis = n.add_constant((), np.array([1], np.int32)).get_output(0)
        return n.add_cumulative(x, axis, trt.CumulativeOperation.SUM, exclusive, reverse)

    same(run(make, X.astype(dtype)), np.array(expected, dtype))
