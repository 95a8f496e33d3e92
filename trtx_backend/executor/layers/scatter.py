"""IScatterLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.layers.gather import element_places, from_the_start
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.SCATTER, moves=True)
def scatter(layer: Layer) -> Kernel:
    """The data with elements (ELEMENT) or slices at coordinates (ND) replaced by updates. Of several updates of one place
    the last wins here; NVIDIA's documentation does not say which. An index out of range is an error."""
    mode, axis, name = layer.mode, layer.axis, layer.name

    def run(x: Array, indices: Array, updates: Array) -> Array:
        result = x.copy()
        element = mode == trt.ScatterMode.ELEMENT
        limits = np.array(x.shape[axis] if element else x.shape[: indices.shape[-1]])
        indices = from_the_start(indices, limits, name)
        if element:
            result[element_places(indices, axis)] = updates
        else:
            result[tuple(np.moveaxis(indices, -1, 0))] = updates
        return result

    return run
