"""Convolution where each kernel has a channel to itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import gcd, prod
from typing import Any

import numpy as np

from trtx_backend.executor.layers import Array
from trtx_backend.executor.layers.windows import Sizes, Windows
from trtx_backend.executor.shares import PIECE, in_threads, pieces, room

Padding = tuple[Sizes, Sizes]


def depthwise(
    x: Array, padding: Padding, kernel: Array, shift: Array, windows: Windows, groups: int, result: Array
) -> None:
    """Of channels [C, spatial…] by kernels [K, 1, window…] into a result [K, windows…], K being a multiple of C."""
    split = (groups, len(kernel) // groups)
    kernels = kernel.reshape(*split, *windows.size).astype(shift.dtype)
    shifts, results = shift.reshape(*split, *shift.shape[1:]), result.reshape(*split, *result.shape[1:])

    def some(share: slice) -> None:
        for own in pieces(share, x[0].size, PIECE):
            _channels(x[own], padding, kernels[own], shifts[own], windows, results[own])

    in_threads(some, groups, x[0].size)


def _channels(x: Array, padding: Padding, kernels: Array, shifts: Array, windows: Windows, results: Array) -> None:
    """What a stride leaves side by side is put into a line: the elements that a tap meets, window after window, are a part of
    it, and so the sum over taps is one of a few long rows. Sums where a row ends and the next begins are dropped."""
    counts, strides, dtype = results.shape[2:], windows.strides, kernels.dtype
    lengths = [-(-(b + n + a) // s) for b, n, a, s in zip(padding[0], x.shape[1:], padding[1], strides, strict=True)]
    apart = [prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
    reach = sum((n - 1) * far for n, far in zip(counts, apart, strict=True)) + 1
    below = apart[max(len(apart) - 2, 0)]
    lines: dict[tuple[int, ...], Array] = {}
    total, more = (room(what, (len(x), *lengths), dtype) for what in ("sum", "more"))
    sums, others = (array.reshape(len(x), -1)[:, :reach] for array in (total, more))
    for i in range(kernels.shape[1]):
        for number, (taps, first, further) in enumerate(_rows_of_taps(windows)):
            places = [divmod(t * d, s) for t, d, s in zip(first, windows.dilations, strides, strict=True)]
            phase = tuple(rest for _, rest in places)
            if phase not in lines:
                lines[phase] = _line(x, padding[0], phase, strides, lengths, dtype)
            line, factors = lines[phase], kernels[(slice(None), i, *taps)].reshape(len(x), -1)
            start = sum(steps * far for (steps, _), far in zip(places, apart, strict=True))
            size, spacing = (*factors.shape, reach), (line.strides[0], further * below * line.itemsize, line.itemsize)
            met: Array = np.ndarray(size, dtype, line.data, start * line.itemsize, spacing)
            np.einsum("cip,ci->cp", met, factors, out=others if number else sums)
            if number:
                np.add(sums, others, out=sums)
        sums += shifts[:, i].reshape(-1, 1)
        results[:, i] = total[(slice(None), *(slice(n) for n in counts))]


def _rows_of_taps(windows: Windows) -> Iterator[tuple[tuple[Any, ...], Sizes, int]]:
    """The taps in groups that lie equally far apart along the last axis but one, on the same step of the stride: how to pick
    them from the kernel, the first of them, and how many strides they are apart. (Along the last axis it would do as
    well, but numpy would then sum up short rows.)"""
    axis = len(windows.size) - 2
    choices: list[range] = [range(taps) for taps in windows.size]
    every = further = 1
    if axis >= 0:
        stride, dilation = windows.strides[axis], windows.dilations[axis]
        every, further = stride // gcd(stride, dilation), dilation // gcd(stride, dilation)
        choices[axis] = range(min(every, windows.size[axis]))
    for first in product(*choices):
        taps = tuple(slice(tap, None, every) if i == axis else tap for i, tap in enumerate(first))
        yield taps, first, further


def _line(x: Array, before: Sizes, phase: Sizes, strides: Sizes, lengths: list[int], dtype: np.dtype[Any]) -> Array:
    """[C, elements] of the padded input that lie on one step of the strides."""
    skip = [max(0, -(-(b - p) // s)) for b, p, s in zip(before, phase, strides, strict=True)]
    start = [p + s * n - b for p, s, n, b in zip(phase, strides, skip, before, strict=True)]
    picked = x[(slice(None), *(slice(first, None, s) for first, s in zip(start, strides, strict=True)))]
    line = room(f"line {phase}", (len(x), *lengths), dtype)
    inside: tuple[slice, ...] = (slice(None),)
    for n, m in zip(skip, picked.shape[1:], strict=True):
        line[(*inside, slice(n))] = 0
        line[(*inside, slice(n + m, None))] = 0
        inside = (*inside, slice(n, n + m))
    line[inside] = picked
    return line.reshape(len(x), -1)
