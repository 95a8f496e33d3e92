"""IConvolutionLayer."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, Wide, reads, rounded_type
from trtx_backend.executor.layers.depthwise import depthwise
from trtx_backend.executor.layers.windows import Windows, pad
from trtx_backend.executor.shares import BLOCK, PRODUCTS, in_threads, pieces, processors
from trtx_backend.executor.weights import values
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.CONVOLUTION, widens=True)
def convolution(layer: Layer) -> Kernel:
    """Cross-correlation of [N, C, spatial…] with a kernel [K, C / groups, window…], which is input 1 or the layer's
    own; likewise the bias."""
    window, groups, maps = tuple(layer.kernel_size_nd), layer.num_groups, layer.num_output_maps
    windows = Windows(layer, window, layer.dilation_nd)
    own_kernel, own_bias, rounded = values(layer.kernel), values(layer.bias), rounded_type(layer)

    def run(x: Array, kernel: Array | None = None, bias: Array | None = None, *, accumulate: Wide) -> Array:
        kernel = own_kernel.reshape(maps, -1, *window) if kernel is None else kernel
        bias = own_bias if bias is None else bias
        shift = (bias if bias.size else np.zeros(maps)).astype(accumulate).reshape(maps, *(1,) * len(window))
        padding = windows.padding(x.shape[2:])
        result = np.empty((len(x), maps, *windows.counts(x.shape[2:], padding)), rounded or accumulate)
        if result.size:
            convolve = depthwise if kernel.shape[1] == 1 and groups > 1 else _by_products
            for item in range(len(x)):
                convolve(pad(x[item : item + 1], padding)[0], kernel, shift, windows, groups, result[item])
        return result

    return run


def _by_products(x: Array, kernel: Array, shift: Array, windows: Windows, groups: int, result: Array) -> None:
    """Of one padded item [C, spatial…]: matrix products of the kernels and the elements under windows, for each group. Shared
    out are the groups, or the rows of the result, or the kernels where these have more elements."""
    maps, channels = len(kernel) // groups, kernel.shape[1]
    height, places = result.shape[1], result[0].size
    cost = places * kernel.size // PRODUCTS

    def compute(share: slice, axis: int) -> None:
        """Of the groups, of the maps of each, or of the rows."""
        parts = [slice(0, groups), slice(0, maps), slice(0, height)]
        parts[axis] = share
        for group in range(parts[0].start, parts[0].stop):
            own = slice(group * maps + parts[1].start, group * maps + parts[1].stop)
            given = x[group * channels : (group + 1) * channels, windows.reads(parts[2])]
            _multiply(given, kernel[own], shift[own], windows, result[own, parts[2]])

    axis = 0 if groups >= processors() else 1 if maps > places else 2
    count = (groups, maps, height)[axis]
    in_threads(partial(compute, axis=axis), count, cost // count)


def _multiply(x: Array, kernel: Array, shift: Array, windows: Windows, result: Array) -> None:
    """Some rows of the first axis at a time. The elements under the taps of the other axes are gathered. Those under the taps
    of the first lie in rows one below the other, and are gathered too, or, where that costs more than adding, are products
    of their own."""
    maps, taps = kernel.shape[0], windows.size[0]
    across = kernel[0, :, 0].size
    gather = _one_below_the_other if taps > 1 and across > maps else _all_taps
    width = result[0, 0].size
    row = across * width * (taps if gather is _all_taps else windows.strides[0])
    some_maps = pieces(slice(0, maps), kernel[0].size, 4 * BLOCK)
    weights: Array | None = None
    for part in pieces(slice(0, result.shape[1]), row, BLOCK):
        matrices = gather(x[:, windows.reads(part)], windows, shift.dtype, (part.stop - part.start) * width)
        for own in some_maps:
            if weights is None or len(some_maps) > 1:
                weights = _widened(kernel[own], len(matrices), shift.dtype)
            total = np.matmul(weights[0], matrices[0])
            for factors, matrix in zip(weights[1:], matrices[1:], strict=True):
                total += np.matmul(factors, matrix)
            place = result[own, part]
            np.add(total.reshape(place.shape), shift[own], out=place)


def _widened(kernel: Array, products: int, dtype: np.dtype[Any]) -> Array:
    """[products, maps, elements]"""
    ordered = kernel[None] if products == 1 else np.moveaxis(kernel, 2, 0)
    return _copy(ordered, dtype).reshape(products, len(kernel), -1)


def _all_taps(x: Array, windows: Windows, dtype: np.dtype[Any], count: int) -> list[Array]:
    """One matrix [elements under a window, count]."""
    rank = len(windows.size)
    seen = windows.view(x[None])[0].transpose(0, *range(1 + rank, 1 + 2 * rank), *range(1, 1 + rank))
    return [_copy(seen, dtype).reshape(-1, count)]


def _one_below_the_other(x: Array, windows: Windows, dtype: np.dtype[Any], count: int) -> list[Array]:
    """For each tap of the first axis a matrix [elements in a row of the window, count]. They share memory: the rows of the
    input that are a stride apart."""
    rank, stride = len(windows.size), windows.strides[0]
    seen = windows.view(x[None], skip=1)[0].transpose(0, *range(1 + rank, 2 * rank), *range(1, 1 + rank))
    rows: dict[int, Array] = {}
    matrices = []
    for tap in range(windows.size[0]):
        further, step = divmod(tap * windows.dilations[0], stride)
        if step not in rows:
            own = seen[(slice(None),) * rank + (slice(step, None, stride),)]
            rows[step] = _copy(own, dtype).reshape(prod(own.shape[:rank]), -1)
        start = further * prod(seen.shape[rank + 1 :])
        matrices.append(rows[step][:, start : start + count])
    return matrices


def _copy(array: Array, dtype: np.dtype[Any]) -> Array:
    """In order, whatever the array's own is."""
    copy = np.empty(array.shape, dtype)
    np.copyto(copy, array)
    return copy
