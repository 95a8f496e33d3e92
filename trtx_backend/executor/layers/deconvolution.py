"""IDeconvolutionLayer."""

from __future__ import annotations

from itertools import product

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, Wide, reads, rounded_type
from trtx_backend.executor.layers.windows import Sizes, Windows
from trtx_backend.executor.shares import BLOCK, PRODUCTS, in_threads, pieces, room
from trtx_backend.executor.weights import values
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.DECONVOLUTION, widens=True)
def deconvolution(layer: Layer) -> Kernel:
    """Transposed convolution of [N, C, spatial…] with a kernel [C, K / groups, window…], which is input 1 or the layer's
    own; likewise the bias. Padding is cut off the result."""
    window, groups, maps = tuple(layer.kernel_size_nd), layer.num_groups, layer.num_output_maps
    windows = Windows(layer, window, layer.dilation_nd)
    own_kernel, own_bias, rounded = values(layer.kernel), values(layer.bias), rounded_type(layer)

    def run(x: Array, kernel: Array | None = None, bias: Array | None = None, *, accumulate: Wide) -> Array:
        kernel = own_kernel if kernel is None else kernel
        kernel = kernel.reshape(groups, x.shape[1] // groups, maps // groups, -1)
        bias = own_bias if bias is None else bias
        shift = (bias if bias.size else np.zeros(maps)).astype(accumulate).reshape(groups, -1, *(1,) * len(window))
        full = [(n - 1) * s + k for n, s, k in zip(x.shape[2:], windows.strides, windows.extent, strict=True)]
        before, after = windows.cut(x.shape[2:])
        size = [n - b - a for n, b, a in zip(full, before, after, strict=True)]
        result = np.empty((len(x), groups, maps // groups, *size), rounded or accumulate)
        for item, place in zip(x, result, strict=True):
            given = item.reshape(groups, -1, *item.shape[1:]).astype(accumulate)

            def some(share: slice, given: Array = given, place: Array = place) -> None:
                """Of the groups, or of the maps of the only one."""
                count = (
                    kernel[0, 0].size // (maps // groups) * given[0, 0].size * (1 if groups == 1 else maps // groups)
                )
                for part in pieces(share, count, BLOCK):
                    own = (slice(0, 1), part) if groups == 1 else (part, slice(None))
                    factors = kernel[own[0], :, own[1]].astype(accumulate)
                    _spread(given[own[0]], factors, shift[own], windows, before, place[own])

            count = maps if groups == 1 else groups
            in_threads(some, count, item.size * kernel[0, 0].size // PRODUCTS // count)
        return result.reshape(len(x), maps, *size)

    return run


def _spread(x: Array, kernel: Array, shift: Array, windows: Windows, before: Sizes, result: Array) -> None:
    """Of [groups, C, spatial…] by [groups, C, K, taps]. What a tap gives lies a stride apart in the result, on one of the steps
    that the stride has: it is summed up for each of these, and then put in between the others."""
    groups, maps, spatial, strides = *result.shape[:2], x.shape[2:], windows.strides
    factors, flat = kernel.reshape(*kernel.shape[:2], -1).swapaxes(1, 2), x.reshape(*x.shape[:2], -1)
    given = np.matmul(factors, flat, out=room("products", (groups, factors.shape[1], flat.shape[2]), x.dtype))
    given = given.reshape(groups, maps, -1, *spatial)
    longest = [n + (k - 1) // s for n, k, s in zip(spatial, windows.extent, strides, strict=True)]
    sums = room("sums", (groups, maps, *longest), x.dtype)
    on_step: dict[Sizes, list[tuple[int, Sizes]]] = {step: [] for step in product(*map(range, strides))}
    for number, tap in enumerate(product(*map(range, windows.size))):
        places = [divmod(t * d, s) for t, d, s in zip(tap, windows.dilations, strides, strict=True)]
        on_step[tuple(rest for _, rest in places)].append((number, tuple(further for further, _ in places)))
    for step, taps in on_step.items():
        # of the sums, those behind what is cut off: the first is `skip` further, and falls on `start`
        skip = [max(0, -(-(b - r) // s)) for b, r, s in zip(before, step, strides, strict=True)]
        start = [r + s * q - b for r, s, q, b in zip(step, strides, skip, before, strict=True)]
        place = result[(slice(None), slice(None), *(slice(a, None, s) for a, s in zip(start, strides, strict=True)))]
        sums[...] = shift
        for number, further in taps:
            where = tuple(slice(first, first + n) for first, n in zip(further, spatial, strict=True))
            sums[(slice(None), slice(None), *where)] += given[:, :, number]
        place[...] = sums[
            (slice(None), slice(None), *(slice(q, q + n) for q, n in zip(skip, place.shape[2:], strict=True)))
        ]
