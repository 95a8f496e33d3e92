"""IActivationLayer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer, trt

Type = trt.ActivationType


def relu(x: Array, alpha: float, beta: float) -> Array:
    return np.maximum(x, np.zeros((), x.dtype))


FUNCTIONS: dict[object, Callable[[Array, float, float], Array]] = {
    Type.RELU: relu,
}


@reads(trt.LayerType.ACTIVATION)
def activation(layer: Layer) -> Kernel:
    kind, alpha, beta = layer.type, layer.alpha, layer.beta  # on this class `type` is the ActivationType
    if kind not in FUNCTIONS:
        raise ExecutorError(f"{layer.name}: activation {kind.name} is not supported")
    function = FUNCTIONS[kind]
    return lambda x: function(x, alpha, beta)
