"""ISoftMaxLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, is_set, reads
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.SOFTMAX)
def softmax(layer: Layer) -> Kernel:
    mask = layer.axes

    def run(x: Array) -> Array:
        axes = is_set(mask, x.ndim)
        exponentials = np.exp(x - x.max(axes, keepdims=True))
        result: Array = exponentials / exponentials.sum(axes, keepdims=True)
        return result

    return run
