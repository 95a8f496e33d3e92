"""ICumulativeLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.CUMULATIVE)
def cumulative(layer: Layer) -> Kernel:
    """Running sum along the axis that input 1 holds; integers wrap."""
    exclusive, reverse = layer.exclusive, layer.reverse

    def run(x: Array, axis: Array) -> Array:
        along = int(axis)
        x = np.flip(x, along) if reverse else x
        total = np.cumsum(x, along, dtype=x.dtype)
        if exclusive:
            total = np.roll(total, 1, along)
            total[(slice(None),) * along + (slice(0, 1),)] = 0
        return np.flip(total, along) if reverse else total

    return run
