"""Convolution where each kernel has a channel to itself."""

from __future__ import annotations

from math import gcd, prod

import numpy as np

from trtx_backend.executor.layers import Array
from trtx_backend.executor.layers.windows import Sizes, Windows, pad
from trtx_backend.executor.shares import PIECE, in_threads, pieces, room


def depthwise(
    x: Array, padding: tuple[Sizes, Sizes], kernel: Array, shift: Array, windows: Windows, groups: int, result: Array
) -> None:
    """Of channels [C, spatial…] by kernels [K, 1, window…] into a result [K, windows…], K being a multiple of C."""
    kernels = kernel.reshape(groups, len(kernel) // groups, *windows.size).astype(shift.dtype)
    shifts, results = shift.reshape(*kernels.shape[:2], 1), result.reshape(*kernels.shape[:2], *result.shape[1:])
    size = x[0].size * prod(windows.size[1:])

    def some(share: slice) -> None:
        for own in pieces(share, size, 2 * PIECE):
            _channels(pad(x[None, own], padding), kernels[own], shifts[own], windows, results[own])

    in_threads(some, groups, size)


def _channels(x: Array, kernels: Array, shifts: Array, windows: Windows, results: Array) -> None:
    """Of padded channels [1, C, spatial…]. The elements under the taps of all axes but the first are gathered. Those that a tap of
    the first meets, window after window, then lie in one long row; taps that a whole number of strides is between have
    their rows equally far apart, and are summed up by numpy at once."""
    count, rank, dtype = x.shape[1], len(windows.size), kernels.dtype
    stride, dilation = windows.strides[0], windows.dilations[0]
    every, further = stride // gcd(stride, dilation), dilation // gcd(stride, dilation)
    seen = windows.view(x, skip=1)[0].transpose(0, *range(1 + rank, 2 * rank), *range(1, 1 + rank))
    width, reach = prod(seen.shape[1 + rank :]), prod(results.shape[2:])
    total, more = (room(what, (*kernels.shape[:2], reach), dtype) for what in ("sum", "more"))
    for first in range(min(every, windows.size[0])):
        below, step = divmod(first * dilation, stride)
        own = seen[(slice(None),) * rank + (slice(step, None, stride),)]
        rows = room("rows", own.shape, dtype)
        rows[...] = own
        taps = kernels[:, :, first::every]
        factors = np.moveaxis(taps.reshape(*taps.shape[:3], -1), 3, 2)  # the rows' order
        row, line = width * rows.itemsize, prod(rows.shape[rank:]) * rows.itemsize
        spacing = (line * factors.shape[2], line, further * row, rows.itemsize)
        met: Array = np.ndarray((count, *factors.shape[2:], reach), dtype, rows.data, below * row, spacing)
        for i in range(kernels.shape[1]):
            np.einsum("cjip,cji->cp", met, factors[:, i], out=(more if first else total)[:, i])
        if first:
            total += more
    total += shifts
    results[...] = total.reshape(results.shape)
