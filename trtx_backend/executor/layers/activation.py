"""IActivationLayer."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, as_stored, reads
from trtx_backend.executor.layers.error_function import erfc
from trtx_backend.trt import Layer, trt

Type = trt.ActivationType


def relu(x: Array) -> Array:
    positive: Array = np.maximum(x, np.zeros((), x.dtype))
    return positive


def clip(x: Array, alpha: float, beta: float) -> Array:
    low, high = np.array([alpha, beta]).astype(x.dtype)
    clipped: Array = np.maximum(low, np.minimum(high, x))
    return clipped


def softplus(x: Array, alpha: float, beta: float) -> Array:
    """alpha * log(exp(beta * x) + 1) without overflow."""
    scaled = beta * x
    result: Array = alpha * (np.maximum(scaled, 0) + np.log1p(np.exp(-np.abs(scaled))))
    return result


def sigmoid(x: Array, alpha: float, beta: float) -> Array:
    small = np.exp(-np.abs(x))
    result: Array = np.where(x >= 0, 1, small) / (1 + small)
    return result


def elu(x: Array, alpha: float, beta: float) -> Array:
    return np.where(x >= 0, x, alpha * np.expm1(np.minimum(x, 0)))


def gelu_erf(x: Array, alpha: float, beta: float) -> Array:
    """0.5 * x * (1 + erf(x / sqrt(2))); far below 0 the sum would cancel: 1 + erf(y) is erfc(-y)."""
    return 0.5 * x * erfc(x * -math.sqrt(0.5))


def gelu_tanh(x: Array, alpha: float, beta: float) -> Array:
    inner = math.sqrt(2 / math.pi) * (0.044715 * np.power(x, 3) + x)
    result: Array = 0.5 * x * (1 + np.tanh(inner))
    return result


FUNCTIONS: dict[object, Callable[[Array, float, float], Array]] = {
    Type.SIGMOID: sigmoid,
    Type.TANH: lambda x, alpha, beta: np.tanh(x),
    Type.LEAKY_RELU: lambda x, alpha, beta: np.where(x >= 0, x, alpha * x),
    Type.ELU: elu,
    Type.SELU: lambda x, alpha, beta: beta * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0))),
    Type.SOFTSIGN: lambda x, alpha, beta: np.where(np.isinf(x), np.sign(x), x / (1 + np.abs(x))),
    Type.SOFTPLUS: softplus,
    Type.CLIP: clip,
    Type.HARD_SIGMOID: lambda x, alpha, beta: np.clip(alpha * x + beta, 0, 1),
    Type.SCALED_TANH: lambda x, alpha, beta: alpha * np.tanh(beta * x),
    Type.THRESHOLDED_RELU: lambda x, alpha, beta: np.where(x > alpha, x, 0),
    Type.GELU_ERF: gelu_erf,
    Type.GELU_TANH: gelu_tanh,
}
"""By NVIDIA's formulas, with the layer's alpha and beta. These are silent about what is not finite. Chosen: NaN stays NaN
where the formula computes with it, and the softsign of an infinity is its limit. The GELU of minus infinity is NaN, as
its formula has it."""


as_stored(relu)


@reads(trt.LayerType.ACTIVATION, pointwise=True)
def activation(layer: Layer) -> Kernel:
    if layer.type == Type.RELU:
        return relu
    function, alpha, beta = FUNCTIONS[layer.type], layer.alpha, layer.beta  # on this class `type` is the ActivationType

    def run(x: Array) -> Array:
        return np.asarray(function(x, alpha, beta)).astype(x.dtype, copy=False)

    return run
