"""IPoolingLayer, IDeconvolutionLayer, IResizeLayer: small inputs, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.executor.build import run, same
from trtx_backend.trt import trt

X = np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3)


def layer(make: Any, **properties: Any) -> Any:
    def made(n: Any, *tensors: Any) -> Any:
        result = make(n, *tensors)
        for name, value in properties.items():
            setattr(result, name, value)
        return result

    return made


def pooled(kind: Any, x: Any = X, window: Any = (2, 2), **properties: Any) -> Any:
    return run(layer(lambda n, t: n.add_pooling_nd(t, kind, window), **properties), x)[0, 0].tolist()


FLOATS = pytest.mark.parametrize("dtype", [np.float32, np.float16])


@FLOATS
@pytest.mark.parametrize(("kind", "expected"), [("MAX", [[5, 6], [8, 9]]), ("AVERAGE", [[3, 4], [6, 7]])])
def test_pooling_of_either_float(kind: str, expected: Any, dtype: Any) -> None:
    pooling = getattr(trt.PoolingType, kind)
    same(run(lambda n, t: n.add_pooling_nd(t, pooling, (2, 2)), X.astype(dtype)), np.array([[expected]], dtype))


def test_max_pooling() -> None:
    kind = trt.PoolingType.MAX
    assert pooled(kind) == [[5, 6], [8, 9]]
    assert pooled(kind, stride_nd=(2, 1), pre_padding=(1, 0)) == [[2, 3], [8, 9]]
    assert pooled(kind, -X, pre_padding=(1, 1), stride_nd=(3, 3)) == [[-1]]  # padding is never the greatest
    assert pooled(kind, stride_nd=(2, 2), padding_mode=trt.PaddingMode.EXPLICIT_ROUND_UP) == [[5, 6], [8, 9]]


def test_average_pooling() -> None:
    kind = trt.PoolingType.AVERAGE
    assert pooled(kind) == [[3, 4], [6, 7]]
    padded = {"pre_padding": (1, 1), "stride_nd": (2, 2)}
    assert pooled(kind, **padded, average_count_excludes_padding=True) == [[1, 2.5], [5.5, 7]]
    assert pooled(kind, **padded, average_count_excludes_padding=False) == [[0.25, 1.25], [2.75, 7]]


def test_blended_pooling() -> None:
    assert pooled(trt.PoolingType.MAX_AVERAGE_BLEND, blend_factor=0.25) == [[4.5, 5.5], [7.5, 8.5]]


def test_padding_that_the_mode_chooses() -> None:
    kind, mode = trt.PoolingType.AVERAGE, trt.PaddingMode
    assert pooled(kind, padding_mode=mode.SAME_UPPER) == [[3, 4, 4.5], [6, 7, 7.5], [7.5, 8.5, 9]]
    assert pooled(kind, padding_mode=mode.SAME_LOWER) == [[1, 1.5, 2.5], [2.5, 3, 4], [5.5, 6, 7]]


def test_windows_rounded_up_begin_in_the_padding_in_front() -> None:
    kind, mode = trt.PoolingType.MAX, trt.PaddingMode.EXPLICIT_ROUND_UP
    assert pooled(kind, stride_nd=(2, 2), pre_padding=(1, 0), padding_mode=mode) == [[2, 3], [8, 9]]


def deconvolved(x: Any, kernel: Any, bias: Any = None, maps: int = 1, **properties: Any) -> Any:
    weights = [kernel] if bias is None else [kernel, bias]
    return run(layer(lambda n, t: n.add_deconvolution_nd(t, maps, kernel.shape[2:], *weights), **properties), x)


def test_deconvolution_adds_the_kernel_where_each_element_stands() -> None:
    x = np.array([[[[1, 2]]]], np.float32)
    kernel = np.array([[[[1, 10, 100]]]], np.float32)
    assert deconvolved(x, kernel)[0, 0].tolist() == [[1, 12, 120, 200]]
    assert deconvolved(x, kernel, stride_nd=(1, 2))[0, 0].tolist() == [[1, 10, 102, 20, 200]]
    assert deconvolved(x, kernel, dilation_nd=(1, 2))[0, 0].tolist() == [[1, 2, 10, 20, 100, 200]]
    cut = {"pre_padding": (0, 1), "post_padding": (0, 2)}
    assert deconvolved(x, kernel, np.array([5], np.float32), **cut)[0, 0].tolist() == [[17]]


@pytest.mark.parametrize(
    ("mode", "padding", "expected"),
    [
        ("EXPLICIT_ROUND_DOWN", {"post_padding": (0, 1)}, [1, 12]),
        ("EXPLICIT_ROUND_DOWN", {"pre_padding": (0, 1)}, [12, 20]),
        ("EXPLICIT_ROUND_UP", {"post_padding": (0, 1)}, [1, 12]),
        ("EXPLICIT_ROUND_UP", {"pre_padding": (0, 1)}, [12, 20]),
        ("SAME_UPPER", {}, [1, 12]),
        ("SAME_LOWER", {}, [12, 20]),
    ],
)
def test_deconvolution_cuts_what_the_mode_says(mode: str, padding: Any, expected: list[float]) -> None:
    """Of [1, 12, 20]: what a convolution would have padded is cut off."""
    x, kernel = np.array([[[[1, 2]]]], np.float32), np.array([[[[1, 10]]]], np.float32)
    result = deconvolved(x, kernel, padding_mode=getattr(trt.PaddingMode, mode), **padding)
    same(result, np.array([[[expected]]], np.float32))


@FLOATS
def test_deconvolution_of_either_float(dtype: Any) -> None:
    x, kernel = np.array([[[[1, 2], [3, 4]]]], dtype), np.array([[[[1, 10]]]], dtype)
    same(deconvolved(x, kernel), np.array([[[[1, 12, 20], [3, 34, 40]]]], dtype))


def test_deconvolution_in_groups_and_with_a_kernel_from_an_input() -> None:
    x = np.array([[[[1]], [[2]]]], np.float32)
    kernel = np.array([[[[1]], [[2]]], [[[3]], [[4]]]], np.float32)  # [channels, maps / groups, 1, 1]
    assert deconvolved(x, kernel, maps=4, num_groups=2)[0, :, 0, 0].tolist() == [1, 2, 6, 8]
    assert deconvolved(x, kernel, maps=2)[0, :, 0, 0].tolist() == [7, 10]

    def fed(n: Any, t: Any, k: Any) -> Any:
        made = n.add_deconvolution_nd(t, 2, (1, 1), trt.Weights(trt.float32), trt.Weights(trt.float32))
        made.set_input(1, k)
        return made

    assert run(fed, x, kernel)[0, :, 0, 0].tolist() == [7, 10]


def resized(x: Any, **properties: Any) -> Any:
    return run(layer(lambda n, t: n.add_resize(t), **properties), x)[0, 0, 0].tolist()


ROW = np.array([[[[0, 10, 20]]]], np.float32)
Coordinates = trt.ResizeCoordinateTransformation
Round = trt.ResizeRoundMode


@pytest.mark.parametrize(
    ("transformation", "rounding", "expected"),
    [
        (Coordinates.HALF_PIXEL, Round.HALF_DOWN, [0, 0, 10, 10, 20, 20]),
        (Coordinates.ASYMMETRIC, Round.FLOOR, [0, 0, 10, 10, 20, 20]),
        (Coordinates.ASYMMETRIC, Round.CEIL, [0, 10, 10, 20, 20, 20]),
        (Coordinates.ASYMMETRIC, Round.HALF_UP, [0, 10, 10, 20, 20, 20]),
        (Coordinates.ASYMMETRIC, Round.HALF_DOWN, [0, 0, 10, 10, 20, 20]),
    ],
)
def test_nearest(transformation: Any, rounding: Any, expected: list[float]) -> None:
    options = {"coordinate_transformation": transformation, "nearest_rounding": rounding}
    assert resized(ROW, shape=(1, 1, 1, 6), resize_mode=trt.InterpolationMode.NEAREST, **options) == expected


def test_half_up_is_not_up() -> None:
    """The places are thirds."""
    options = {"coordinate_transformation": Coordinates.ASYMMETRIC, "resize_mode": trt.InterpolationMode.NEAREST}
    for rounding, expected in (
        (Round.HALF_UP, [0, 0, 10, 10, 10, 20, 20, 20, 20]),
        (Round.HALF_DOWN, [0, 0, 10, 10, 10, 20, 20, 20, 20]),
        (Round.CEIL, [0, 10, 10, 10, 20, 20, 20, 20, 20]),
        (Round.FLOOR, [0, 0, 0, 10, 10, 10, 20, 20, 20]),
    ):
        assert resized(ROW, shape=(1, 1, 1, 9), nearest_rounding=rounding, **options) == expected


@pytest.mark.parametrize(
    ("transformation", "expected"),
    [
        (Coordinates.HALF_PIXEL, [0, 2.5, 7.5, 12.5, 17.5, 20]),
        (Coordinates.ASYMMETRIC, [0, 5, 10, 15, 20, 20]),
        (Coordinates.ALIGN_CORNERS, [0, 4, 8, 12, 16, 20]),
    ],
)
def test_linear(transformation: Any, expected: list[float]) -> None:
    options = {"coordinate_transformation": transformation, "resize_mode": trt.InterpolationMode.LINEAR}
    assert resized(ROW, shape=(1, 1, 1, 6), **options) == expected
    assert resized(ROW, scales=(1, 1, 1, 2), **options) == expected


@FLOATS
@pytest.mark.parametrize(
    ("mode", "expected"), [("NEAREST", [0, 0, 10, 10, 20, 20]), ("LINEAR", [0, 2.5, 7.5, 12.5, 17.5, 20])]
)
def test_resize_of_either_float(mode: str, expected: list[float], dtype: Any) -> None:
    options = {"coordinate_transformation": Coordinates.HALF_PIXEL, "resize_mode": getattr(trt.InterpolationMode, mode)}
    if mode == "NEAREST":
        options["nearest_rounding"] = Round.HALF_DOWN
    made = layer(lambda n, t: n.add_resize(t), shape=(1, 1, 1, 6), **options)
    same(run(made, ROW.astype(dtype)), np.array([[[expected]]], dtype))
