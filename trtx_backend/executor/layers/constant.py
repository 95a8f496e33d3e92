"""IConstantLayer."""

from __future__ import annotations

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.weights import values
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.CONSTANT, moves=True)
def constant(layer: Layer) -> Kernel:
    data: Array = values(layer.weights).reshape(tuple(layer.shape))
    return lambda: data
