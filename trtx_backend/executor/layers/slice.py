"""ISliceLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.SLICE, moves=True)
def slice(layer: Layer) -> Kernel:
    """`shape` elements from `start`, `stride` apart (0: the same one, negative: backwards); what lies outside the input
    depends on the mode."""
    if layer.num_inputs > 1:
        raise ExecutorError(f"{layer.name}: a slice whose window or fill value is computed is not supported")
    if layer.mode != trt.SampleMode.STRICT_BOUNDS:
        raise ExecutorError(f"{layer.name}: slice mode {layer.mode.name} is not supported")
    starts, sizes, strides = tuple(layer.start), tuple(layer.shape), tuple(layer.stride)

    def run(x: Array) -> Array:
        for axis, (start, size, stride) in enumerate(zip(starts, sizes, strides, strict=True)):
            x = np.take(x, start + stride * np.arange(size), axis=axis, mode="raise")
        return x

    return run
