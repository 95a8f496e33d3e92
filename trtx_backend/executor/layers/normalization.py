"""INormalizationLayer and ILRNLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, is_set, reads
from trtx_backend.trt import Layer


@reads("NORMALIZATION")
def normalization(layer: Layer) -> Kernel:
    """(x - mean) / sqrt(variance + epsilon) * scale + bias over the axes; with groups also over each group of channels.
    Scale and bias broadcast; in the first version of the layer they have an element a group, not a channel."""
    mask, epsilon, groups, per_group = layer.axes, layer.epsilon, layer.num_groups, not layer.is_v2

    def run(x: Array, scale: Array, bias: Array) -> Array:
        axes = is_set(mask, x.ndim)
        if groups > 1:
            parts = x.reshape(x.shape[0], groups, -1, *x.shape[2:])
            axes = tuple(sorted({2, *(axis + (axis > 0) for axis in axes if axis != 1)}))
        else:
            parts = x
        centred = parts - parts.mean(axes, keepdims=True)
        normal = centred / np.sqrt((centred * centred).mean(axes, keepdims=True) + epsilon)
        if groups > 1 and per_group:
            repeats = x.shape[1] // groups
            scale, bias = np.repeat(scale, repeats, 1), np.repeat(bias, repeats, 1)
        return np.asarray(normal.reshape(x.shape) * scale + bias)

    return run


@reads("LRN")
def local_response_normalization(layer: Layer) -> Kernel:
    """x / (k + alpha / window * sum of squares in a window of channels) ^ beta."""
    window, alpha, beta, k = layer.window_size, layer.alpha, layer.beta, layer.k

    def run(x: Array) -> Array:
        reach = window // 2
        squares = np.pad(x * x, ((0, 0), (reach, reach), *((0, 0),) * (x.ndim - 2)))
        total = sum(squares[:, i : i + x.shape[1]] for i in range(window))
        return np.asarray(x / (k + alpha / window * total) ** beta)

    return run
