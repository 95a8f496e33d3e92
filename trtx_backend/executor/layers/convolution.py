"""IConvolutionLayer."""

from __future__ import annotations

from typing import Any

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.layers.windows import Windows, pad
from trtx_backend.executor.weights import values
from trtx_backend.trt import Layer, trt

CACHE = 2**15
"""Elements that numpy adds up at a time, so that they stay in the processor's cache."""


@reads(trt.LayerType.CONVOLUTION)
def convolution(layer: Layer) -> Kernel:
    """Cross-correlation of [N, C, spatial…] with a kernel [K, C / groups, window…], which is input 1 or the layer's
    own; likewise the bias."""
    window, groups = tuple(layer.kernel_size_nd), layer.num_groups
    windows = Windows(layer, window, layer.dilation_nd)
    own_kernel, own_bias = np.array(values(layer.kernel), np.float64), np.array(values(layer.bias), np.float64)
    maps = layer.num_output_maps

    def run(x: Array, kernel: Array | None = None, bias: Array | None = None) -> Array:
        kernel = own_kernel.reshape(maps, -1, *window).astype(x.dtype, copy=False) if kernel is None else kernel
        bias = own_bias.astype(x.dtype) if bias is None and own_bias.size else bias
        convolve = _by_taps if kernel.shape[1] == 1 and maps == groups else _by_products
        result = convolve(pad(x, windows.padding(x.shape[2:])), kernel, windows, groups)
        if bias is not None:
            result += bias.reshape(1, -1, *(1,) * len(window))
        return result

    return run


def _by_products(x: Array, kernel: Array, windows: Windows, groups: int) -> Array:
    """A matrix product of the kernels and the windows' elements, for each batch item and group."""
    maps, per_group = kernel.shape[0] // groups, kernel.shape[1]
    rank = len(windows.size)
    weights = kernel.reshape(groups, maps, -1)
    view = windows.view(x)
    spatial = view.shape[2 : 2 + rank]
    result = np.empty((len(x), groups, maps, int(np.prod(spatial))), x.dtype)
    order = (0, *range(1 + rank, 1 + 2 * rank), *range(1, 1 + rank))  # channel, taps, windows
    for item, group in np.ndindex(len(x), groups):
        part = view[item, group * per_group : (group + 1) * per_group].transpose(order)
        np.matmul(weights[group], part.reshape(weights.shape[2], -1), out=result[item, group])
    return result.reshape(len(x), -1, *spatial)


def _by_taps(x: Array, kernel: Array, windows: Windows, groups: int) -> Array:
    """A kernel for each channel (depthwise): tap by tap, some channels at a time."""
    at_once = max(1, CACHE * len(x) // max(1, x[:, :1].size * len(x)))
    parts = []
    for first in range(0, groups, at_once):
        total: Array | None = None
        some = kernel[first : first + at_once, 0]
        for tap, elements in windows.taps(x[:, first : first + at_once]):
            place: Any = (slice(None), *tap)
            product = elements * some[place].reshape(-1, *(1,) * (x.ndim - 2))
            if total is None:
                total = product
            else:
                total += product
        parts.append(total)
    return np.concatenate([part for part in parts if part is not None], 1)
