"""Element-wise lowerings where the corpus has few values: integers at their limits, unsigned order, special floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.lowering.run import graph, run
from trtx_backend.engine import build
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.lowering import lower

INTEGERS = ("int8", "uint8", "int32", "uint32", "int64", "uint64")
NAN, INF = np.nan, np.inf


def corners(dtype: str) -> list[int]:
    info = np.iinfo(dtype)
    top = int(info.max)
    return sorted(
        {int(info.min), int(info.min) + 1, 0, 1, 2, 3, 7, top // 2, top // 2 + 1, top - 1, top}
        | ({-1, -7} if info.min < 0 else set())
    )


def pairs(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    values = np.array(corners(dtype), dtype)
    a, b = np.meshgrid(values, values)
    return a.ravel(), b.ravel()


def wrapped(values: list[int], dtype: str) -> np.ndarray:
    bits, signed = np.iinfo(dtype).bits, np.iinfo(dtype).min < 0
    return np.array(
        [(v + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) if signed else v % (1 << bits) for v in values], dtype
    )


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


ARITHMETIC = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "max": max,
    "min": min,
}
COMPARE = {
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "greater": lambda a, b: a > b,
    "greater_or_equal": lambda a, b: a >= b,
    "lesser": lambda a, b: a < b,
    "lesser_or_equal": lambda a, b: a <= b,
}


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("constants", [False, True])
def test_integer_arithmetic_wraps(name: str, dtype: str, constants: bool) -> None:
    a, b = pairs(dtype)
    expected = wrapped([ARITHMETIC[name](int(x), int(y)) for x, y in zip(a, b, strict=True)], dtype)
    result = run(lambda builder, x, y: getattr(builder, name)(x, y), a, b, constants=constants)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", COMPARE)
def test_integer_comparison(name: str, dtype: str) -> None:
    a, b = pairs(dtype)
    expected = [COMPARE[name](int(x), int(y)) for x, y in zip(a, b, strict=True)]
    assert run(lambda builder, x, y: getattr(builder, name)(x, y), a, b).tolist() == expected


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("constants", [False, True])
def test_integer_division_truncates(dtype: str, constants: bool) -> None:
    a, b = pairs(dtype)
    a, b = a[b != 0], b[b != 0]
    expected = wrapped([truncated(int(x), int(y)) for x, y in zip(a, b, strict=True)], dtype)
    np.testing.assert_array_equal(run(lambda builder, x, y: builder.div(x, y), a, b, constants=constants), expected)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_constant_divisors_that_would_end_the_process_do_not(dtype: str) -> None:
    info = np.iinfo(dtype)
    a = np.array([info.min, info.max, 5], dtype)
    b = np.array([-1 if info.min < 0 else info.max, 0, 0], dtype)
    made = graph(
        lambda builder, x, y: builder.div(x, builder.reshape(builder.reshape(y, [3, 1]), [3])), a, b, constants=True
    )
    assert build(lower(made).network, ["SM89"])


@pytest.mark.parametrize("name", COMPARE)
def test_comparison_with_nan_is_false_but_for_not_equal(name: str) -> None:
    a = np.array([NAN, NAN, 1, INF, -INF, 0.0], np.float32)
    b = np.array([NAN, 1, NAN, INF, INF, -0.0], np.float32)
    expected = [COMPARE[name](float(x), float(y)) for x, y in zip(a, b, strict=True)]
    assert run(lambda builder, x, y: getattr(builder, name)(x, y), a, b).tolist() == expected


@pytest.mark.parametrize("dtype", INTEGERS)
def test_clamp_of_integers(dtype: str) -> None:
    values = np.array(corners(dtype), dtype)
    low, high = corners(dtype)[1], corners(dtype)[-2]
    result = run(lambda b, x: b.clamp(x, min_value=low, max_value=high), values)
    assert result.tolist() == [min(max(int(v), low), high) for v in values]


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
@pytest.mark.parametrize("name", ["abs", "neg", "sign", "relu"])
def test_signed_unary(name: str, dtype: str) -> None:
    values = corners(dtype)
    rule: Any = {"abs": abs, "neg": lambda v: -v, "sign": lambda v: (v > 0) - (v < 0), "relu": lambda v: max(v, 0)}[
        name
    ]
    result = run(lambda b, x: getattr(b, name)(x), np.array(values, dtype))
    np.testing.assert_array_equal(result, wrapped([rule(v) for v in values], dtype))


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("target", INTEGERS)
def test_casts_between_integers_keep_the_low_bits(source: str, target: str) -> None:
    values = corners(source)
    result = run(lambda b, x: b.cast(x, target), np.array(values, source))
    np.testing.assert_array_equal(result, wrapped(values, target))


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("target", ["float32", "float16"])
def test_casts_from_integers_round_once(source: str, target: str) -> None:
    values = corners(source) + ([2**24 + 1, 2**24 + 3] if np.iinfo(source).bits >= 32 else [])
    values += [2**63 + 2**39, 2**63 + 2**39 + 1, 2**64 - 2**39 - 1] if source == "uint64" else []
    result = run(lambda b, x: b.cast(x, target), np.array(values, source))
    with np.errstate(over="ignore"):
        expected = [nearest(value, target) for value in values]
    np.testing.assert_array_equal(result, np.array(expected, target))


def nearest(value: int, dtype: str) -> np.floating[Any]:
    """The float nearest to an integer, ties to even, by comparing exact integers."""
    if abs(value) >= 65520 and dtype == "float16":
        return np.float16(np.copysign(np.inf, value))
    guess = np.dtype(dtype).type(value)
    around = [guess, np.nextafter(guess, guess.dtype.type(np.inf)), np.nextafter(guess, guess.dtype.type(-np.inf))]
    bits = "uint16" if dtype == "float16" else "uint32"
    return min(around, key=lambda f: (abs(int(f) - value), int(np.array(f).view(bits)) & 1))


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", ["float32", "float16"])
def test_casts_from_floats_truncate(source: str, target: str) -> None:
    top = min(np.iinfo(target).max, 65504 if source == "float16" else np.iinfo(target).max)
    values = np.array([0, 0.99, 1.5, 100.7, top // 2 + 1], source)
    if np.iinfo(target).min < 0:
        values = np.concatenate([values, -values[:4]])
    result = run(lambda b, x: b.cast(x, target), values)
    np.testing.assert_array_equal(result, np.array([int(v) for v in values.astype(np.float64)], target))


@pytest.mark.parametrize("operator", ["logical_or", "logical_and", "logical_xor"])
@pytest.mark.parametrize("value", [0, 2])
@pytest.mark.parametrize("shape", [(), (1, 1)])
def test_a_truth_value_for_all_elements_compiles(operator: str, value: int, shape: tuple[int, ...]) -> None:
    builder = MLGraphBuilder()
    x, constant = builder.input("x", "uint8", [2, 3]), builder.constant(np.full(shape, value, np.uint8))
    method = getattr(builder, operator)
    graph = builder.finish({"y": method(x, constant), "z": method(constant, x)})
    build(lower(graph).network)
