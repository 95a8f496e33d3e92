"""IQuantizeLayer and IDequantizeLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.types import GRIDS, storage
from trtx_backend.trt import Layer

LIMITS = {"INT8": (-128, 127), "UINT8": (0, 255), "INT4": (-8, 7)}


@reads("QUANTIZE")
def quantize(layer: Layer) -> Kernel:
    """x / scale, rounded half to even and clamped to the integer type; input 2, the zero point, holds only zeros. To small
    floats it rounds as a cast does."""
    to, axis = layer.to_type, layer.axis
    target = storage(to, layer.name)

    def run(x: Array, scale: Array, zero: Array | None = None) -> Array:
        scaled = x / spread(scale, x, axis)
        if to in GRIDS:
            return np.asarray(scaled)
        shifted = np.rint(scaled) + (0 if zero is None else spread(zero, x, axis))
        return np.nan_to_num(np.clip(shifted, *LIMITS[to.name])).astype(target)

    return run


@reads("DEQUANTIZE")
def dequantize(layer: Layer) -> Kernel:
    axis = layer.axis

    def run(x: Array, scale: Array, zero: Array | None = None) -> Array:
        shifted = x.astype(np.float64) - (0 if zero is None else spread(zero, x, axis).astype(np.float64))
        return np.asarray(shifted * spread(scale, x, axis))

    return run


def spread(scale: Array, x: Array, axis: int) -> Array:
    """A scale for all, for each element of the axis, or for each block of elements, as it meets the input."""
    if scale.size == 1:
        return scale.reshape(())
    if scale.ndim == 1 and x.ndim != 1:
        return scale.reshape(-1, *(1,) * (x.ndim - axis - 1))
    for dimension, (blocks, size) in enumerate(zip(scale.shape, x.shape, strict=True)):
        scale = np.repeat(scale, size // blocks, dimension) if 1 < blocks < size or blocks == 1 else scale
    return scale
