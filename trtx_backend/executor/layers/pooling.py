"""IPoolingLayer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, Wide, reads, rounded_type
from trtx_backend.executor.layers.windows import Sizes, Windows, pad
from trtx_backend.executor.shares import PIECE, in_threads, pieces, room
from trtx_backend.trt import Layer, trt

Type = trt.PoolingType


@reads(trt.LayerType.POOLING, widens=True)
def pooling(layer: Layer) -> Kernel:
    """Greatest or average element of windows of [N, C, spatial…], or both blended. Padding never is the greatest, and counts
    as 0 for the average, or not at all. What a window rounded up covers beyond the padding is treated like it."""
    kind, size, blend = layer.type, tuple(layer.window_size_nd), layer.blend_factor
    windows, excludes = Windows(layer, size, (1,) * len(size)), layer.average_count_excludes_padding
    rounded = rounded_type(layer)

    def run(x: Array, *, accumulate: Wide) -> Array:
        wide = accumulate if x.dtype.kind == "f" else np.float64
        padding = windows.padding(x.shape[2:])
        result = np.empty((*x.shape[:2], *windows.counts(x.shape[2:], padding)), rounded or accumulate)
        channels, results = x.reshape(-1, *x.shape[2:]), result.reshape(-1, *result.shape[2:])
        alone = windows.size == x.shape[2:] and not any((*padding[0], *padding[1]))
        ones = np.ones(channels[0].size if alone else 0, wide)
        number = _numbers(windows, x.shape[2:], padding, excludes).astype(wide)

        def pooled(part: Array) -> Array:
            if kind == Type.MAX:
                return _greatest(windows, part, padding)
            if alone:
                total = np.matmul(part.reshape(len(part), -1).astype(wide), ones).reshape(len(part), *number.shape)
            else:
                total = _slid(np.add, windows, pad(part[None], padding, dtype=wide)[0])
            mean: Array = np.divide(total, number)
            return mean if kind == Type.AVERAGE else (1 - blend) * _greatest(windows, part, padding) + blend * mean

        def some(share: slice) -> None:
            for own in pieces(share, channels[0].size, PIECE):
                results[own] = pooled(channels[own])

        if result.size:
            in_threads(some, len(channels), channels[0].size)
        return result

    return run


def _greatest(windows: Windows, part: Array, padding: tuple[Sizes, Sizes]) -> Array:
    lowest = -np.inf if part.dtype.kind == "f" else np.iinfo(part.dtype).min
    return _slid(np.maximum, windows, pad(part[None], padding, lowest)[0])


def _slid(combine: np.ufunc, windows: Windows, x: Array) -> Array:
    """Padded [C, spatial…] combined over the windows, along one axis after the other."""
    if max(windows.strides) == 1 and max(windows.size) > 1:
        return _slid_along_lines(combine, windows, x)
    for axis, (taps, stride) in enumerate(zip(windows.size, windows.strides, strict=True), 1):
        count = (x.shape[axis] - taps) // stride + 1
        before = (slice(None),) * axis
        if count == 1:
            x = combine.reduce(x[(*before, slice(taps))], axis, keepdims=True)
            continue
        some = [x[(*before, slice(tap, tap + (count - 1) * stride + 1, stride))] for tap in range(taps)]
        x = some[0] if taps == 1 else combine(some[0], some[1])
        for elements in some[2:]:
            combine(x, elements, out=x)
    return x


def _slid_along_lines(combine: np.ufunc, windows: Windows, x: Array) -> Array:
    """Where windows are one element apart, everything is one long line; what runs over the end of a row is dropped."""
    counts = tuple(slice(n - taps + 1) for n, taps in zip(x.shape[1:], windows.size, strict=True))
    line, shape = x.reshape(-1), x.shape
    results = [room(f"axis {axis}", (x.size,), x.dtype) for axis in range(len(windows.size))]
    length = line.size
    for axis, (taps, result) in enumerate(zip(windows.size, results, strict=True), 1):
        if taps == 1:
            continue
        apart = prod(shape[axis + 1 :])
        length -= (taps - 1) * apart
        combine(line[:length], line[apart : apart + length], out=result[:length])
        for tap in range(2, taps):
            combine(result[:length], line[tap * apart : tap * apart + length], out=result[:length])
        line = result
    return line.reshape(shape)[(slice(None), *counts)]


def _numbers(windows: Windows, spatial: Sequence[int], padding: tuple[Sizes, Sizes], excludes: bool) -> Array:
    """How many elements a window counts: the product of how many there are along each axis."""
    along = []
    for n, before, after, taps, stride in zip(spatial, *padding, windows.size, windows.strides, strict=True):
        line = np.ones(before + n + after)
        if excludes:
            line[:before] = line[before + n :] = 0
        along.append(np.array([line[i : i + taps].sum() for i in range(0, len(line) - taps + 1, stride)]))
    return np.asarray(reduce(np.multiply.outer, along))
