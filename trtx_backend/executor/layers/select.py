"""ISelectLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Kernel, reads
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.SELECT, moves=True)
def select(layer: Layer) -> Kernel:
    return lambda condition, then, otherwise: np.where(condition, then, otherwise)
