"""ISliceLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer, trt

Mode = trt.SampleMode


@reads(trt.LayerType.SLICE, moves=True)
def slice(layer: Layer) -> Kernel:
    """`shape` elements from `start`, `stride` apart (0: the same one, negative: backwards). What lies outside the input
    is an error, the fill value (input 4, or 0), the nearest element, the input again, or the input mirrored without its
    edge repeated."""
    if any(layer.get_input(index) is not None for index in range(1, layer.num_inputs) if index != 4):
        raise ExecutorError(f"{layer.name}: a slice whose window is computed is not supported")
    mode, starts, sizes, strides = layer.mode, tuple(layer.start), tuple(layer.shape), tuple(layer.stride)

    def run(x: Array, *inputs: Array | None) -> Array:
        outside = np.zeros((), bool)
        for axis, (start, size, stride) in enumerate(zip(starts, sizes, strides, strict=True)):
            index = start + stride * np.arange(size)
            limit = x.shape[axis]
            beyond = ((index < 0) | (index >= limit)).reshape(-1, *(1,) * (len(sizes) - axis - 1))
            outside = outside | beyond
            x = np.take(x, _inside(index, limit, mode), axis)
        if mode == Mode.STRICT_BOUNDS and outside.any():
            raise ExecutorError(f"{layer.name}: the slice reaches outside its input")
        if mode != Mode.FILL:
            return x
        fill = inputs[3] if len(inputs) > 3 and inputs[3] is not None else np.zeros((), x.dtype)
        return np.where(outside, fill.astype(x.dtype), x)

    return run


def _inside(index: Array, limit: int, mode: object) -> Array:
    if mode == Mode.WRAP:
        return np.asarray(np.mod(index, limit))
    if mode == Mode.REFLECT and limit > 1:
        folded = np.mod(index, 2 * limit - 2)
        return np.asarray(np.minimum(folded, 2 * limit - 2 - folded))
    return np.clip(index, 0, limit - 1)
