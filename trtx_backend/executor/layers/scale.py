"""IScaleLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.weights import values
from trtx_backend.trt import Layer


@reads("SCALE")
def scale(layer: Layer) -> Kernel:
    """(x * scale + shift) ^ power, with one number for all (UNIFORM), for each channel, or for each element of a batch
    item; without weights these are 1, 0 and 1."""
    mode, channel = layer.mode.name, layer.channel_axis
    factor, shift, power = (np.array(values(w), np.float64) for w in (layer.scale, layer.shift, layer.power))

    def run(x: Array) -> Array:
        def spread(numbers: Array, without: float) -> Array:
            if not numbers.size:
                return np.array(without)
            if mode == "ELEMENTWISE":
                return numbers.reshape(x.shape[1:])
            return numbers.reshape(-1, *(1,) * (x.ndim - channel - 1)) if mode == "CHANNEL" else numbers.reshape(())

        raised = spread(power, 1)
        base = x * spread(factor, 1) + spread(shift, 0)
        return np.asarray(base if np.all(raised == 1) else np.power(base, raised)).astype(x.dtype)

    return run
