"""IPoolingLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.layers.windows import Windows, pad
from trtx_backend.trt import Layer, trt

Type = trt.PoolingType


@reads(trt.LayerType.POOLING)
def pooling(layer: Layer) -> Kernel:
    """Greatest or average element of windows of [N, C, spatial…], or both blended. Padding never is the greatest, and counts
    as 0 for the average, or not at all. What a window rounded up covers beyond the padding is treated like it."""
    kind, size, blend = layer.type, tuple(layer.window_size_nd), layer.blend_factor
    windows, excludes = Windows(layer, size, (1,) * len(size)), layer.average_count_excludes_padding

    def greatest(x: Array) -> Array:
        lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
        taps = windows.taps(pad(x, windows.padding(x.shape[2:]), lowest))
        result = next(taps)[1].copy()
        for _, elements in taps:
            np.maximum(result, elements, out=result)
        return result

    def average(x: Array) -> Array:
        padding = windows.padding(x.shape[2:])
        result = _total(windows, pad(x, padding))
        counted = pad(np.ones((1, 1, *x.shape[2:])), padding, 0 if excludes else 1)
        return np.asarray(result / _total(windows, counted)).astype(x.dtype)

    if kind == Type.MAX:
        return greatest
    if kind == Type.AVERAGE:
        return average
    return lambda x: (1 - blend) * greatest(x) + blend * average(x)


def _total(windows: Windows, x: Array) -> Array:
    taps = windows.taps(x)
    result = next(taps)[1].copy()
    for _, elements in taps:
        result += elements
    return result
