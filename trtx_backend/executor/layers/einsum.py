"""IEinsumLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Kernel, reads
from trtx_backend.trt import Layer


@reads("EINSUM")
def einsum(layer: Layer) -> Kernel:
    equation = layer.equation
    return lambda *inputs: np.asarray(np.einsum(equation, *inputs))
