"""IParametricReLULayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Kernel, reads
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.PARAMETRIC_RELU)
def parametric_relu(layer: Layer) -> Kernel:
    return lambda x, slope: np.where(x >= 0, x, x * slope)
