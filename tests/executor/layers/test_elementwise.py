"""IElementWiseLayer, IUnaryLayer, ISelectLayer, ICastLayer: values computed by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.executor.build import TYPES, run, same
from trtx_backend.trt import trt

Op = trt.ElementWiseOperation
Unary = trt.UnaryOperation
NAN, INF = np.nan, np.inf


def elementwise(op: Any, a: Any, b: Any) -> Any:
    return run(lambda n, x, y: n.add_elementwise(x, y, op), a, b)


@pytest.mark.parametrize(
    ("op", "a", "b", "expected"),
    [
        (Op.SUM, [1.5, -2], [2, 0.5], [3.5, -1.5]),
        (Op.SUB, [1.5, -2], [2, 0.5], [-0.5, -2.5]),
        (Op.PROD, [1.5, -2], [2, 0.5], [3, -1]),
        (Op.DIV, [1, -3, 1], [2, 2, 0], [0.5, -1.5, INF]),
        (Op.MAX, [1, -3], [2, -4], [2, -3]),
        (Op.MIN, [1, -3], [2, -4], [1, -4]),
        (Op.POW, [2, 4, -1], [3, 0.5, 3], [8, 2, -1]),
        (Op.FLOOR_DIV, [7, -7], [2, 2], [3, -4]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_floats(op: Any, a: list[float], b: list[float], expected: list[float], dtype: Any) -> None:
    same(elementwise(op, np.array(a, dtype), np.array(b, dtype)), np.array(expected, dtype))


@pytest.mark.parametrize(
    ("op", "a", "b", "expected"),
    [
        (Op.SUM, [2**31 - 1], [1], [-(2**31)]),
        (Op.PROD, [65536, 3], [65536, -4], [0, -12]),
        (Op.DIV, [7, -7, 7, -7], [2, 2, -2, -2], [3, -3, -3, 3]),
        (Op.DIV, [-6, 6], [3, -3], [-2, -2]),
        (Op.FLOOR_DIV, [7, -7, 7, -7], [2, 2, -2, -2], [3, -4, -4, 3]),
        (Op.POW, [2, -3, -1, 2], [10, 3, -3, -1], [1024, -27, -1, 0]),
        (Op.MAX, [-5, 5], [3, 3], [3, 5]),
    ],
)
def test_integers(op: Any, a: list[int], b: list[int], expected: list[int]) -> None:
    same(elementwise(op, np.array(a, np.int32), np.array(b, np.int32)), np.array(expected, np.int32))


def test_int64_is_exact() -> None:
    big = 2**62 + 1
    result = elementwise(Op.DIV, np.array([big, -big], np.int64), np.array([3, 3], np.int64))
    same(result, np.array([big // 3, -(big // 3)], np.int64))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64])
def test_comparisons(dtype: Any) -> None:
    a, b = np.array([1, 2, 3], dtype), np.array([2, 2, 2], dtype)
    same(elementwise(Op.LESS, a, b), [True, False, False])
    same(elementwise(Op.EQUAL, a, b), [False, True, False])
    same(elementwise(Op.GREATER, a, b), [False, False, True])


def test_comparisons_give_bool() -> None:
    a, b = np.array([1, NAN, -0.0], np.float32), np.array([1, NAN, 0.0], np.float32)
    same(elementwise(Op.EQUAL, a, b), [True, False, True])
    same(elementwise(Op.LESS, a, b), [False, False, False])
    same(elementwise(Op.GREATER, np.array([2], np.int64), np.array([1], np.int64)), [True])


@pytest.mark.parametrize(("op", "expected"), [(Op.AND, [0, 0, 0, 1]), (Op.OR, [0, 1, 1, 1]), (Op.XOR, [0, 1, 1, 0])])
def test_logic(op: Any, expected: list[int]) -> None:
    a, b = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    same(elementwise(op, a, b), np.array(expected, bool))


def test_dimensions_of_one_broadcast() -> None:
    result = elementwise(Op.SUM, np.array([[1], [2]], np.float32), np.array([[10, 20]], np.float32))
    same(result, np.array([[11, 21], [12, 22]], np.float32))


@pytest.mark.parametrize(
    ("op", "values", "expected"),
    [
        (Unary.EXP, [0, 1], [1, math.e]),
        (Unary.LOG, [1, math.e, 0], [0, 1, -INF]),
        (Unary.SQRT, [4, 2], [2, math.sqrt(2)]),
        (Unary.RECIP, [4, -0.0], [0.25, -INF]),
        (Unary.ABS, [-4, -0.0], [4, 0]),
        (Unary.NEG, [-4, 0.0], [4, -0.0]),
        (Unary.SIN, [0, 1], [0, 0.8414709848078965]),
        (Unary.COS, [0, 1], [1, 0.5403023058681398]),
        (Unary.TAN, [0, 1], [0, 1.5574077246549023]),
        (Unary.SINH, [1], [1.1752011936438014]),
        (Unary.COSH, [1], [1.5430806348152437]),
        (Unary.ASIN, [1], [math.pi / 2]),
        (Unary.ACOS, [-1], [math.pi]),
        (Unary.ATAN, [1], [math.pi / 4]),
        (Unary.ASINH, [1], [0.881373587019543]),
        (Unary.ACOSH, [2], [1.3169578969248166]),
        (Unary.ATANH, [0.5], [0.5493061443340548]),
        (Unary.CEIL, [1.2, -1.2], [2, -1]),
        (Unary.FLOOR, [1.2, -1.2], [1, -2]),
        (Unary.ERF, [0, 1], [0, 0.8427007929497149]),
        (Unary.SIGN, [-3, 0, 5], [-1, 0, 1]),
        (Unary.ROUND, [0.5, 1.5, 2.5, -0.5, -1.5], [0, 2, 2, -0.0, -2]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_unary(op: Any, values: list[float], expected: list[float], dtype: Any) -> None:
    result = run(lambda n, x: n.add_unary(x, op), np.array(values, dtype))
    assert result.dtype == dtype
    np.testing.assert_allclose(result, np.array(expected, dtype), rtol=np.finfo(dtype).eps, atol=0)
    np.testing.assert_array_equal(np.signbit(result), np.signbit(np.array(expected)))


def test_unary_of_other_types() -> None:
    same(run(lambda n, x: n.add_unary(x, Unary.NOT), np.array([True, False])), [False, True])
    same(run(lambda n, x: n.add_unary(x, Unary.ISNAN), np.array([NAN, INF, 1], np.float32)), [True, False, False])
    same(run(lambda n, x: n.add_unary(x, Unary.ISINF), np.array([NAN, -INF, 1], np.float32)), [False, True, False])


@pytest.mark.parametrize(
    ("op", "expected"), [(Unary.ABS, [3, 0, 5, 7]), (Unary.NEG, [3, 0, -5, 7]), (Unary.SIGN, [-1, 0, 1, -1])]
)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_unary_of_integers(op: Any, expected: list[int], dtype: Any) -> None:
    same(run(lambda n, x: n.add_unary(x, op), np.array([-3, 0, 5, -7], dtype)), np.array(expected, dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64])
def test_select_broadcasts_all_three(dtype: Any) -> None:
    inputs = np.array([[True], [False]]), np.array([[1, 2]], dtype), np.array([[3]], dtype)
    same(run(lambda n, c, a, b: n.add_select(c, a, b), *inputs), np.array([[1, 2], [3, 3]], dtype))


def test_select_leaves_nan_where_it_is() -> None:
    inputs = np.array([True, False]), np.array([1, NAN], np.float32), np.array([NAN, 2], np.float32)
    same(run(lambda n, c, a, b: n.add_select(c, a, b), *inputs), np.array([1, 2], np.float32))


@pytest.mark.parametrize(
    ("values", "source", "target", "expected"),
    [
        ([1.9, -1.9, 0.4], np.float32, np.int32, [1, -1, 0]),
        ([3e9, -3e9, NAN], np.float32, np.int32, [2**31 - 1, -(2**31), 0]),
        ([3e9, 1e30, -INF], np.float32, np.int64, [3_000_000_000, 2**63 - 1, -(2**63)]),
        ([2**31 + 5, -1], np.int64, np.int32, [-(2**31) + 5, -1]),
        ([2**24 + 1, 2**24 + 3], np.int32, np.float32, [2**24, 2**24 + 4]),
        ([2**53 + 2**29 + 1], np.int64, np.float32, [2**53 + 2**30]),
        ([0.1], np.float32, np.float16, [0.1]),
        ([70000], np.float32, np.float16, [INF]),
        ([0, 0.5, -2], np.float32, np.bool_, [False, True, True]),
        ([True, False], np.bool_, np.float32, [1, 0]),
        ([True, False], np.bool_, np.int32, [1, 0]),
        ([200, 255], np.uint8, np.int32, [200, 255]),
        ([0, 255], np.int32, np.uint8, [0, 255]),
        ([True, False], np.bool_, np.uint8, [1, 0]),
        ([True, False], np.bool_, np.int64, [1, 0]),
        ([True, False], np.bool_, np.float16, [1, 0]),
        ([0, 1, 200], np.uint8, np.bool_, [False, True, True]),
        ([0, 3, 200], np.uint8, np.float16, [0, 3, 200]),
        ([-128, 127], np.int8, np.float32, [-128, 127]),
        ([-128, 127], np.int8, np.float16, [-128, 127]),
        ([-128, 127], np.int8, np.int32, [-128, 127]),
        ([-128, 127], np.int32, np.int8, [-128, 127]),
        ([-7, 2049, 2051], np.int32, np.float16, [-7, 2048, 2052]),  # ties go to even
        ([-7, 2049, 2051], np.int64, np.float16, [-7, 2048, 2052]),
        ([2049, 2049.5, -0.125], np.float32, np.float16, [2048, 2050, -0.125]),
        ([1.5, -0.25, 60000], np.float16, np.float32, [1.5, -0.25, 60000]),
        ([1.9, -1.9, 60000], np.float16, np.int32, [1, -1, 60000]),
        ([1.9, -1.9, 60000], np.float16, np.int64, [1, -1, 60000]),
        ([1.9, -1.9, -128], np.float32, np.int8, [1, -1, -128]),
        ([1.9, -1.9, -128], np.float16, np.int8, [1, -1, -128]),
        ([0, 0.5, -2], np.float16, np.bool_, [False, True, True]),
    ],
)
def test_cast(values: list[Any], source: Any, target: Any, expected: list[Any]) -> None:
    result = run(lambda n, x: n.add_cast(x, TYPES[np.dtype(target)]), np.array(values, source))
    with np.errstate(over="ignore"):
        same(result, np.array(expected, target))
