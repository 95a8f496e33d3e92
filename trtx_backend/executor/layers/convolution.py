"""IConvolutionLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.layers.windows import pad, windows
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.CONVOLUTION)
def convolution(layer: Layer) -> Kernel:
    """Cross-correlation of [N, C, spatial…] with a kernel [K, C / groups, window…], which is input 1 or the layer's
    own; likewise the bias."""
    if layer.padding_mode != trt.PaddingMode.EXPLICIT_ROUND_DOWN:
        raise ExecutorError(f"{layer.name}: padding mode {layer.padding_mode.name} is not supported")
    window, groups = tuple(layer.kernel_size_nd), layer.num_groups
    strides, dilations = tuple(layer.stride_nd), tuple(layer.dilation_nd)
    before, after = tuple(layer.pre_padding), tuple(layer.post_padding)
    own_kernel, own_bias = np.array(layer.kernel, np.float64), np.array(layer.bias, np.float64)
    maps = layer.num_output_maps

    def run(x: Array, kernel: Array | None = None, bias: Array | None = None) -> Array:
        kernel = own_kernel.reshape(maps, -1, *window) if kernel is None else kernel
        bias = own_bias if bias is None and own_bias.size else bias
        result = _convolve(pad(x, before, after), kernel, strides, dilations, groups)
        return result if bias is None else result + bias.reshape(1, -1, *(1,) * len(window))

    return run


def _convolve(x: Array, kernel: Array, strides: tuple[int, ...], dilations: tuple[int, ...], groups: int) -> Array:
    rank = len(strides)
    view = windows(x, kernel.shape[2:], strides, dilations)
    per_group, maps = x.shape[1] // groups, kernel.shape[0] // groups
    taps = tuple(range(2 + rank, 2 + 2 * rank))
    parts = [
        np.tensordot(
            view[:, g * per_group : (g + 1) * per_group],
            kernel[g * maps : (g + 1) * maps],
            axes=((1, *taps), tuple(range(1, 2 + rank))),
        )
        for g in range(groups)
    ]
    return np.moveaxis(np.concatenate(parts, axis=-1), -1, 1)
