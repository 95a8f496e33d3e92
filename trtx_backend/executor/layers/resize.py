"""IResizeLayer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.layers.grid_sample import cubic_weight
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
    """Each resized dimension on its own: nearest, linear or cubic interpolation between the input's elements, at the edge the
    last one. Scales are output over input size where the layer has the output's shape, which input 1 may hold."""
    mode, transformation, rounding = layer.resize_mode, layer.coordinate_transformation, ROUND[layer.nearest_rounding]
    first_pixel = layer.selector_for_single_pixel != trt.ResizeSelector.FORMULA
    coefficient, exclude = layer.cubic_coeff, layer.exclude_outside
    shape, scales = tuple(layer.get_output(0).shape), list(layer.scales or ())

    def run(x: Array, computed: Array | None = None) -> Array:
        for axis, size in enumerate(shape if computed is None else (int(n) for n in computed)):
            scale = scales[axis] if scales else size / x.shape[axis]
            if size == x.shape[axis] and scale == 1:
                continue
            place = _place(np.arange(size, dtype=np.float64), scale, x.shape[axis], size)
            if mode == Mode.NEAREST:
                x = np.take(x, np.clip(rounding(place), 0, x.shape[axis] - 1).astype(np.int64), axis)
            else:
                x = _weighted(x, axis, place, None if mode == Mode.LINEAR else coefficient, exclude)
        return x

    def _place(index: Array, scale: float, old: int, new: int) -> Array:
        if new == 1 and first_pixel:  # UPPER: the first element, whatever the transformation
            return index * 0
        if transformation == Coordinates.ALIGN_CORNERS:
            return index * (old - 1) / (new - 1) if new > 1 else index * 0
        if transformation == Coordinates.HALF_PIXEL:
            return (index + 0.5) / scale - 0.5
        return index / scale

    return run


def _weighted(x: Array, axis: int, place: Array, coefficient: float | None, exclude: bool) -> Array:
    """The sum of the elements around each place: of two (linear) or of four (cubic); those outside may be left out, and the
    weights of the others grow."""
    limit = x.shape[axis]
    low = np.floor(place)
    indices = [low + step for step in ((0, 1) if coefficient is None else (-1, 0, 1, 2))]
    if coefficient is None:
        weights = [1 - (place - low), place - low]
    else:
        weights = [cubic_weight(place - index, coefficient) for index in indices]
        if exclude:
            weights = [np.where((i >= 0) & (i < limit), w, 0) for i, w in zip(indices, weights, strict=True)]
            total = sum(weights)
            weights = [w / total for w in weights]
    sides = (-1, *(1,) * (x.ndim - axis - 1))
    taps = [np.take(x, np.clip(index, 0, limit - 1).astype(np.int64), axis) for index in indices]
    return np.asarray(sum(tap * weight.reshape(sides) for tap, weight in zip(taps, weights, strict=True)))
