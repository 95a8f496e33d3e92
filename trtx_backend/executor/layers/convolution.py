"""IConvolutionLayer."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, Wide, reads, rounded_type
from trtx_backend.executor.layers.depthwise import depthwise
from trtx_backend.executor.layers.windows import Windows, pad
from trtx_backend.executor.shares import BLOCK, PRODUCTS, in_threads, pieces, processors, room
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
            for item in range(len(x)):
                if kernel.shape[1] == 1 and groups > 1:
                    depthwise(x[item], padding, kernel, shift, windows, groups, result[item])
                else:
                    _by_products(pad(x[item : item + 1], padding)[0], kernel, shift, windows, groups, result[item])
        return result

    return run


def _by_products(x: Array, kernel: Array, shift: Array, windows: Windows, groups: int, result: Array) -> None:
    """Of one padded item [C, spatial…]: matrix products of the kernels and the elements under windows, for each group. Shared
    out are the groups, or the rows of the result, or the kernels where these have more elements."""
    maps, channels = len(kernel) // groups, kernel.shape[1]
    height, places = result.shape[1], result[0].size
    taps, across = windows.size[0], kernel[0, :, 0].size
    # adding up rows of taps costs less than gathering them; but to reorder the kernels costs, too
    split = taps > 1 and across > maps and places > 4 * maps

    def compute(share: slice, axis: int) -> None:
        """Of the groups, of the maps of each, or of the rows."""
        parts = [slice(0, groups), slice(0, maps), slice(0, height)]
        parts[axis] = share
        for group in range(parts[0].start, parts[0].stop):
            own = slice(group * maps + parts[1].start, group * maps + parts[1].stop)
            given = x[group * channels : (group + 1) * channels, windows.reads(parts[2])]
            _multiply(given, kernel[own], shift[own], windows, split, result[own, parts[2]])

    axis = 0 if groups >= processors() else 1 if maps > places else 2
    count = (groups, maps, height)[axis]
    in_threads(partial(compute, axis=axis), count, places * kernel.size // PRODUCTS // count)


def _multiply(x: Array, kernel: Array, shift: Array, windows: Windows, split: bool, result: Array) -> None:
    """Some rows of the first axis at a time. The elements under the taps of the other axes are gathered. Those under the taps
    of the first lie in rows one below the other, and are gathered too or, split, are products of their own."""
    maps, width = kernel.shape[0], result[0, 0].size
    gather = _RowsOfTaps(x, windows, shift.dtype) if split else _AllTaps(x, windows, shift.dtype)
    some_maps = pieces(slice(0, maps), kernel[0].size, 2 * BLOCK)
    weights: Array | None = None
    for part in pieces(slice(0, result.shape[1]), gather.row + maps * width, BLOCK):
        matrices = gather(part)
        for own in some_maps:
            if weights is None or len(some_maps) > 1:
                weights = _widened(kernel[own], shift[own], split)
            size = (own.stop - own.start, matrices[0].shape[1])
            total = np.matmul(weights[0], matrices[0], out=room("sum", size, shift.dtype))
            for factors, matrix in zip(weights[1:], matrices[1:], strict=True):
                total += np.matmul(factors, matrix, out=room("more", size, shift.dtype))
            place = result[own, part]
            place[...] = total.reshape(place.shape)


def _widened(kernel: Array, shift: Array, split: bool) -> Array:
    """[products, maps, elements and the bias, which meets a row of ones]"""
    ordered = np.moveaxis(kernel, 2, 0) if split else kernel[None]
    weights = room("weights", (*ordered.shape[:2], prod(ordered.shape[2:]) + 1), shift.dtype)
    weights[:, :, :-1].reshape(ordered.shape, copy=False)[...] = ordered
    weights[:, :, -1] = 0
    weights[0, :, -1] = shift.reshape(-1)
    return weights


class _AllTaps:
    """For rows of the result one matrix [elements under a window and 1, windows]."""

    def __init__(self, x: Array, windows: Windows, dtype: np.dtype[Any]) -> None:
        rank = len(windows.size)
        self.seen = windows.view(x[None])[0].transpose(0, *range(1 + rank, 1 + 2 * rank), *range(1, 1 + rank))
        self.dtype, self.rank = dtype, rank
        self.elements, self.width = prod(self.seen.shape[: 1 + rank]), prod(self.seen.shape[2 + rank :])
        self.row = self.elements * self.width

    def __call__(self, rows: slice) -> list[Array]:
        seen = self.seen[(slice(None),) * (1 + self.rank) + (rows,)]
        return [_with_ones(seen, self.elements, "gathered", self.dtype)]


class _RowsOfTaps:
    """For rows of the result and each tap of the first axis a matrix [elements in a row of the window and 1, windows]. They
    share memory: the rows of the input that are a stride apart."""

    def __init__(self, x: Array, windows: Windows, dtype: np.dtype[Any]) -> None:
        rank = len(windows.size)
        self.seen = windows.view(x[None], skip=1)[0].transpose(0, *range(1 + rank, 2 * rank), *range(1, 1 + rank))
        self.windows, self.dtype, self.rank = windows, dtype, rank
        self.elements, self.width = prod(self.seen.shape[:rank]), prod(self.seen.shape[1 + rank :])
        self.row = self.elements * self.width * windows.strides[0]

    def __call__(self, rows: slice) -> list[Array]:
        stride, count = self.windows.strides[0], (rows.stop - rows.start) * self.width
        needed = self.windows.reads(rows)
        steps: dict[int, Array] = {}
        matrices = []
        for tap in range(self.windows.size[0]):
            further, step = divmod(tap * self.windows.dilations[0], stride)
            if step not in steps:
                own = self.seen[(slice(None),) * self.rank + (slice(needed.start + step, needed.stop, stride),)]
                steps[step] = _with_ones(own, self.elements, f"gathered {step}", self.dtype)
            matrices.append(steps[step][:, further * self.width : further * self.width + count])
        return matrices


def _with_ones(seen: Array, elements: int, purpose: str, dtype: np.dtype[Any]) -> Array:
    matrix = room(purpose, (elements + 1, seen.size // elements), dtype)
    matrix[:-1].reshape(seen.shape)[...] = seen
    matrix[-1] = 1
    return matrix
