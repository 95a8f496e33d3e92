"""IResizeLayer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer, trt

Mode = trt.InterpolationMode
Coordinates = trt.ResizeCoordinateTransformation

ROUND: dict[object, Callable[[Array], Array]] = {
    trt.ResizeRoundMode.HALF_UP: lambda x: np.floor(x + 0.5),
    trt.ResizeRoundMode.HALF_DOWN: lambda x: np.ceil(x - 0.5),
    trt.ResizeRoundMode.FLOOR: np.floor,
    trt.ResizeRoundMode.CEIL: np.ceil,
}


@reads(trt.LayerType.RESIZE)
def resize(layer: Layer) -> Kernel:
    """Each resized dimension on its own: nearest or linear interpolation between the input's elements, at the edge the
    last one. Scales are output over input size where the layer has the output's shape."""
    mode, transformation, rounding = layer.resize_mode, layer.coordinate_transformation, ROUND[layer.nearest_rounding]
    if layer.num_inputs > 1 or mode not in (Mode.NEAREST, Mode.LINEAR):
        raise ExecutorError(f"{layer.name}: this resize ({mode.name}, {layer.num_inputs} inputs) is not supported")
    if layer.selector_for_single_pixel != trt.ResizeSelector.FORMULA:
        raise ExecutorError(f"{layer.name}: the selector for a single pixel is not supported")
    shape, scales = tuple(layer.get_output(0).shape), list(layer.scales or ())

    def run(x: Array) -> Array:
        for axis, size in enumerate(shape):
            scale = scales[axis] if scales else size / x.shape[axis]
            if size == x.shape[axis] and scale == 1:
                continue
            place = _place(np.arange(size, dtype=np.float64), scale, x.shape[axis], size)
            x = _nearest(x, axis, place) if mode == Mode.NEAREST else _linear(x, axis, place)
        return x

    def _place(index: Array, scale: float, old: int, new: int) -> Array:
        if transformation == Coordinates.ALIGN_CORNERS:
            return index * (old - 1) / (new - 1) if new > 1 else index * 0
        if transformation == Coordinates.HALF_PIXEL:
            return (index + 0.5) / scale - 0.5
        return index / scale

    def _nearest(x: Array, axis: int, place: Array) -> Array:
        return np.take(x, np.clip(rounding(place), 0, x.shape[axis] - 1).astype(np.int64), axis)

    return run


def _linear(x: Array, axis: int, place: Array) -> Array:
    last = x.shape[axis] - 1
    low = np.floor(place)
    weight = (place - low).reshape(-1, *(1,) * (x.ndim - axis - 1))
    first, second = (np.take(x, np.clip(low + step, 0, last).astype(np.int64), axis) for step in (0, 1))
    result: Array = first * (1 - weight) + second * weight
    return result
