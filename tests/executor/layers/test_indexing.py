"""ISliceLayer, IGatherLayer, IScatterLayer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.executor.build import run, same
from trtx_backend.errors import ExecutorError
from trtx_backend.trt import trt

Mode = trt.SampleMode
ROW = np.array([10, 20, 30], np.float32)
TYPES = [np.float32, np.float16, np.int32, np.int64, np.int8]


@pytest.mark.parametrize(
    ("mode", "start", "size", "stride", "expected"),
    [
        (Mode.STRICT_BOUNDS, 1, 2, 1, [20, 30]),
        (Mode.STRICT_BOUNDS, 2, 3, -1, [30, 20, 10]),
        (Mode.STRICT_BOUNDS, 1, 3, 0, [20, 20, 20]),
        (Mode.FILL, -2, 6, 1, [0, 0, 10, 20, 30, 0]),
        (Mode.CLAMP, -2, 7, 1, [10, 10, 10, 20, 30, 30, 30]),
        (Mode.WRAP, -1, 6, 1, [30, 10, 20, 30, 10, 20]),
        (Mode.REFLECT, -3, 9, 1, [20, 30, 20, 10, 20, 30, 20, 10, 20]),
    ],
)
@pytest.mark.parametrize("dtype", TYPES)
def test_slice_modes(mode: Any, start: int, size: int, stride: int, expected: list[float], dtype: Any) -> None:
    def make(n: Any, x: Any) -> Any:
        layer = n.add_slice(x, (start,), (size,), (stride,))
        layer.mode = mode
        return layer

    same(run(make, ROW.astype(dtype)), np.array(expected, dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_slice_fill_value_of_two_dimensions(dtype: Any) -> None:
    def make(n: Any, x: Any) -> Any:
        layer = n.add_slice(x, (-1, 1), (3, 2), (1, 1))
        layer.mode = Mode.FILL
        layer.set_input(4, n.add_constant((), np.array([7], dtype)).get_output(0))
        return layer

    same(run(make, np.array([[1, 2], [3, 4]], dtype)), np.array([[7, 7], [2, 7], [4, 7]], dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_gather_modes(dtype: Any) -> None:
    x = np.array([[0, 1, 2], [3, 4, 5]], dtype)
    columns = run(lambda n, a, i: n.add_gather(a, i, 1), x, np.array([2, 0], np.int32))
    same(columns, np.array([[2, 0], [5, 3]], dtype))
    same(run(lambda n, a, i: n.add_gather(a, i, 0), x, np.array(1, np.int32)), np.array([3, 4, 5], dtype))

    def element(n: Any, a: Any, i: Any) -> Any:
        layer = n.add_gather_v2(a, i, trt.GatherMode.ELEMENT)
        layer.axis = 1
        return layer

    same(run(element, x, np.array([[2, 1], [0, 0]], np.int64)), np.array([[2, 1], [3, 3]], dtype))
    nd = run(lambda n, a, i: n.add_gather_v2(a, i, trt.GatherMode.ND), x, np.array([[1, 2], [0, 0]], np.int32))
    same(nd, np.array([5, 0], dtype))
    rows = run(lambda n, a, i: n.add_gather_v2(a, i, trt.GatherMode.ND), x, np.array([[1], [0]], np.int32))
    same(rows, np.array([[3, 4, 5], [0, 1, 2]], dtype))


def test_gather_with_batch_dimensions() -> None:
    def make(n: Any, a: Any, i: Any) -> Any:
        layer = n.add_gather(a, i, 1)
        layer.num_elementwise_dims = 1
        return layer

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    same(run(make, x, np.array([[2, 2], [0, 1]], np.int32)), np.array([[2, 2], [3, 4]], np.float32))


@pytest.mark.parametrize("dtype", TYPES)
def test_scatter_modes(dtype: Any) -> None:
    x = np.array([[1, 2, 3], [4, 5, 6]], dtype)

    def element(n: Any, a: Any, i: Any, u: Any) -> Any:
        layer = n.add_scatter(a, i, u, trt.ScatterMode.ELEMENT)
        layer.axis = 1
        return layer

    def nd(n: Any, a: Any, i: Any, u: Any) -> Any:
        return n.add_scatter(a, i, u, trt.ScatterMode.ND)

    updates = np.array([[7, 8]], dtype)
    same(run(element, x, np.array([[2, 0]], np.int32), updates), np.array([[8, 2, 7], [4, 5, 6]], dtype))
    rows = run(nd, x, np.array([[1]], np.int32), np.array([[9, 8, 7]], dtype))
    same(rows, np.array([[1, 2, 3], [9, 8, 7]], dtype))
    places = run(nd, x, np.array([[1, 0], [0, 2]], np.int32), np.array([9, 8], dtype))
    same(places, np.array([[1, 2, 8], [9, 5, 6]], dtype))


@pytest.mark.parametrize("index", [3, -4])
def test_what_tensorrt_leaves_undefined_is_an_error(index: int) -> None:
    with pytest.raises(ExecutorError, match="an index is out of range"):
        run(lambda n, a, i: n.add_gather(a, i, 0), ROW, np.array([index], np.int32))
    with pytest.raises(ExecutorError, match="an index is out of range"):
        run(
            lambda n, a, i, u: n.add_scatter(a, i, u, trt.ScatterMode.ELEMENT),
            ROW,
            np.array([index], np.int32),
            ROW[:1],
        )


def test_negative_indices_count_from_the_end() -> None:
    same(run(lambda n, a, i: n.add_gather(a, i, 0), ROW, np.array([-1, -3], np.int32)), ROW[[2, 0]])
    scattered = run(
        lambda n, a, i, u: n.add_scatter(a, i, u, trt.ScatterMode.ELEMENT), ROW, np.array([-1], np.int32), ROW[:1]
    )
    same(scattered, np.array([10, 20, 10], np.float32))
