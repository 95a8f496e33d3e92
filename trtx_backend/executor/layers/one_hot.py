"""IOneHotLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer


@reads("ONE_HOT", moves=True)
def one_hot(layer: Layer) -> Kernel:
    """values[1] where the place along the new axis is the index, values[0] elsewhere. Negative indices count from the
    end; others out of range are nowhere."""
    axis = layer.axis

    def run(indices: Array, values: Array, depth: Array) -> Array:
        size = int(depth.reshape(()))
        wrapped = np.where(indices < 0, indices + size, indices)
        places = np.expand_dims(wrapped, axis)
        along = axis if axis >= 0 else axis + places.ndim
        hot = places == np.arange(size).reshape(-1, *(1,) * (places.ndim - along - 1))
        return np.asarray(np.where(hot, values[1], values[0]))

    return run
