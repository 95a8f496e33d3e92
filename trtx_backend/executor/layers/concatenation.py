"""IConcatenationLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Kernel, reads
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.CONCATENATION, moves=True)
def concatenation(layer: Layer) -> Kernel:
    axis = layer.axis
    return lambda *inputs: np.concatenate(inputs, axis)
