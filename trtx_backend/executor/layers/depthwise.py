"""Convolution where each kernel has a channel to itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import gcd, prod
from typing import Any

import numpy as np

from trtx_backend.executor.layers import Array
from trtx_backend.executor.layers.windows import Windows
from trtx_backend.executor.shares import PIECE, in_threads, pieces

Taps = tuple[Any, ...]


def depthwise(x: Array, kernel: Array, shift: Array, windows: Windows, groups: int, result: Array) -> None:
    """Of padded channels [C, spatial…] by kernels [K, 1, window…] into a result [K, windows…], K being a multiple of C."""
    split = (groups, len(kernel) // groups)
    kernels = kernel.reshape(*split, *windows.size).astype(shift.dtype)
    shifts, results = shift.reshape(*split, *shift.shape[1:]), result.reshape(*split, *result.shape[1:])

    def some(share: slice) -> None:
        for own in pieces(share, x[0].size, PIECE):
            _channels(x[own], kernels[own], shifts[own], windows, results[own])

    in_threads(some, groups, x[0].size)


def _channels(x: Array, kernels: Array, shifts: Array, windows: Windows, results: Array) -> None:
    """What a stride leaves side by side is put into a line: the elements that a tap meets, window after window, are a part of
    it, and so the sum over taps is one of a few long rows. Sums where a row ends and the next begins are dropped."""
    counts, strides = results.shape[2:], windows.strides
    lengths = [-(-n // s) for n, s in zip(x.shape[1:], strides, strict=True)]
    apart = [prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
    reach = sum((n - 1) * far for n, far in zip(counts, apart, strict=True)) + 1
    lines: dict[tuple[int, ...], Array] = {}
    inside = tuple(slice(n) for n in counts)
    for i in range(kernels.shape[1]):
        total = np.empty((len(x), *lengths), kernels.dtype)
        sums = total.reshape(len(x), -1)[:, :reach]
        fresh = True
        for taps, first, further in _rows(windows):
            places = [divmod(t * d, s) for t, d, s in zip(first, windows.dilations, strides, strict=True)]
            phase = tuple(rest for _, rest in places)
            if phase not in lines:
                lines[phase] = _line(x, phase, strides, lengths, kernels.dtype)
            start = sum(steps * far for (steps, _), far in zip(places, apart, strict=True))
            factors = kernels[(slice(None), i, *taps)].reshape(len(x), -1)
            line = lines[phase]
            rows: Array = np.ndarray(
                (len(x), factors.shape[1], reach),
                line.dtype,
                line,
                start * line.itemsize,
                (line.strides[0], further * apart[max(len(apart) - 2, 0)] * line.itemsize, line.itemsize),
            )
            if fresh:
                np.einsum("cip,ci->cp", rows, factors, out=sums)
            else:
                sums += np.einsum("cip,ci->cp", rows, factors)
            fresh = False
        np.add(total[(slice(None), *inside)], shifts[:, i], out=results[:, i])


def _rows(windows: Windows) -> Iterator[tuple[Taps, tuple[int, ...], int]]:
    """The taps in groups that lie equally far apart along the last axis but one, on the same step of the stride: how to pick
    them from the kernel, the first of them, and how many steps of the stride they are apart."""
    rank = len(windows.size)
    if rank == 1:
        yield from (((slice(tap, tap + 1),), (tap,), 1) for tap in range(windows.size[0]))
        return
    axis = rank - 2
    stride, dilation = windows.strides[axis], windows.dilations[axis]
    every = stride // gcd(stride, dilation)
    choices = [range(taps) for taps in windows.size]
    choices[axis] = range(min(every, windows.size[axis]))
    for first in product(*choices):
        taps: list[Any] = list(first)
        taps[axis] = slice(first[axis], None, every)
        yield tuple(taps), first, every * dilation // stride


def _line(
    x: Array, phase: tuple[int, ...], strides: tuple[int, ...], lengths: list[int], dtype: np.dtype[Any]
) -> Array:
    """[C, elements] of the input that lie on one step of the strides."""
    picked = x[(slice(None), *(slice(p, None, s) for p, s in zip(phase, strides, strict=True)))]
    line = np.empty((len(x), *lengths), dtype)
    line[(slice(None), *(slice(n) for n in picked.shape[1:]))] = picked
    return line.reshape(len(x), -1)
