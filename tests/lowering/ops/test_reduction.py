"""Reductions, argMin, argMax and cumulativeSum where the corpus has no values: float16 on the way to its result,
unsigned order and sums, infinities, and no axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.lowering.run import graph, layers, run
from trtx_backend.lowering import lower
from trtx_backend.trt import trt

INF, NAN = np.inf, np.nan
REDUCTIONS = ("l1", "l2", "log_sum", "log_sum_exp", "max", "mean", "min", "product", "sum", "sum_square")
ACCUMULATES = tuple(name for name in REDUCTIONS if name not in ("max", "min"))


def reduce(name: str, **options: Any) -> Any:
    return lambda b, x: getattr(b, f"reduce_{name}")(x, **options)


def accumulating_types(make: Any, *inputs: Any) -> set[Any]:
    network = lower(graph(make, *inputs)).network
    each = (network.get_layer(index) for index in range(network.num_layers))
    return {one.get_input(0).dtype for one in each if one.type in (trt.LayerType.REDUCE, trt.LayerType.CUMULATIVE)}


@pytest.mark.parametrize("name", ACCUMULATES)
def test_float16_accumulates_in_float32(name: str) -> None:
    assert accumulating_types(reduce(name, axes=[1]), np.ones((2, 3), np.float16)) == {trt.float32}


def test_float16_is_compared_as_it_is() -> None:
    assert layers(reduce("max", axes=[1]), np.ones((2, 3), np.float16)) == {"REDUCE": 1}


def test_cumulative_sum_of_float16_accumulates_in_float32() -> None:
    assert accumulating_types(lambda b, x: b.cumulative_sum(x, 0), np.ones(3, np.float16)) == {trt.float32}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_without_axes_each_element_is_reduced_by_itself_in_one_layer(name: str, dtype: str) -> None:
    x = np.array([[0.5, 2], [3, 0.25]], dtype)
    expected = {"l1": np.abs, "l2": np.abs, "log_sum": np.log, "sum_square": np.square}.get(name, lambda v: v)
    assert sum(layers(reduce(name, axes=[]), x).values()) == 1
    np.testing.assert_allclose(run(reduce(name, axes=[]), x), expected(x), rtol=1e-6 if dtype == "float32" else 1e-3)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_log_sum_exp_of_infinities(dtype: str) -> None:
    x = np.array([[-INF, -INF], [INF, -INF], [-INF, 3], [NAN, -INF], [INF, NAN], [INF, INF]], dtype)
    result = run(reduce("log_sum_exp", axes=[1]), x)
    np.testing.assert_array_equal(result, np.array([-INF, INF, 3, NAN, NAN, INF], dtype))


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("constants", [False, True])
def test_unsigned(bits: int, constants: bool) -> None:
    top, half = 2**bits - 1, 2 ** (bits - 1)
    x = np.array([half, 3, top, half - 1], f"uint{bits}")
    exact = [int(value) for value in x]
    expected = {
        "max": top,
        "min": 3,
        "sum": sum(exact),
        "l1": sum(exact),
        "product": half * 3 * top * (half - 1),
        "sum_square": sum(value * value for value in exact),
    }
    for name, value in expected.items():
        result = run(reduce(name), x, constants=constants)
        assert (result.dtype, int(result)) == (x.dtype, value % 2**bits), name


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("output_dtype", ["int32", "int64"])
def test_arg_of_neighbouring_integers(dtype: str, output_dtype: str) -> None:
    """Neighbours that float32 and float64 do not tell apart, on both sides of the sign bit."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    x = np.array([high // 2, high - 1, high, low + 1, low, high // 2 + 1], dtype)
    options = {"output_dtype": output_dtype}
    assert run(lambda b, t: b.arg_max(t, 0, **options), x) == np.array(2, output_dtype)
    assert run(lambda b, t: b.arg_min(t, 0, **options), x) == np.array(4, output_dtype)
    assert run(lambda b, t: b.arg_min(t, 0, **options), x).dtype == output_dtype


@pytest.mark.parametrize("axis", range(8))
def test_arg_along_any_axis_of_rank_8(axis: int) -> None:
    x = np.array([(7 * i) % 256 for i in range(256)], np.uint8).reshape((2,) * 8)
    np.testing.assert_array_equal(run(lambda b, t: b.arg_max(t, axis), x), x.argmax(axis))
