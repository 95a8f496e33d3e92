"""IDeconvolutionLayer."""

from __future__ import annotations

from itertools import product

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.layers.windows import Windows
from trtx_backend.executor.weights import values
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.DECONVOLUTION)
def deconvolution(layer: Layer) -> Kernel:
    """Transposed convolution of [N, C, spatial…] with a kernel [C, K / groups, window…], which is input 1 or the layer's
    own; likewise the bias. Padding is cut off the result."""
    window, groups, maps = tuple(layer.kernel_size_nd), layer.num_groups, layer.num_output_maps
    windows = Windows(layer, window, layer.dilation_nd)
    own_kernel, own_bias = np.array(values(layer.kernel), np.float64), np.array(values(layer.bias), np.float64)

    def run(x: Array, kernel: Array | None = None, bias: Array | None = None) -> Array:
        kernel = own_kernel.reshape(x.shape[1], maps // groups, *window).astype(x.dtype) if kernel is None else kernel
        bias = own_bias if bias is None and own_bias.size else bias
        full = _spread(x, kernel, windows.strides, windows.dilations, groups)
        before, after = windows.cut(x.shape[2:])
        cut = tuple(slice(b, size - a) for b, size, a in zip(before, full.shape[2:], after, strict=True))
        result: Array = full[(slice(None), slice(None), *cut)]
        return result if bias is None else result + bias.reshape(1, -1, *(1,) * len(window))

    return run


def _spread(x: Array, kernel: Array, strides: tuple[int, ...], dilations: tuple[int, ...], groups: int) -> Array:
    window, spatial = kernel.shape[2:], x.shape[2:]
    size = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(spatial, strides, window, dilations, strict=True)]
    grouped = x.reshape(x.shape[0], groups, -1, *spatial)
    kernels = kernel.reshape(groups, -1, *kernel.shape[1:])
    full = np.zeros((x.shape[0], groups, kernel.shape[1], *size), x.dtype)
    for tap in product(*map(range, window)):
        part = np.einsum("ngc...,gck->ngk...", grouped, kernels[(slice(None),) * 3 + tap])
        where = [
            slice(t * d, t * d + (n - 1) * s + 1, s)
            for t, d, n, s in zip(tap, dilations, spatial, strides, strict=True)
        ]
        full[(slice(None), slice(None), slice(None), *where)] += part
    return full.reshape(x.shape[0], -1, *size)
