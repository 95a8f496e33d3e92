"""Geometry that convolution, deconvolution and pooling share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from trtx_backend.executor.layers import Array
from trtx_backend.trt import Layer, trt

Sizes = tuple[int, ...]


class Windows:
    """Where a layer's windows lie: strides, dilations and padding, which its padding mode may choose."""

    def __init__(self, layer: Layer, size: Sequence[int], dilations: Sequence[int]) -> None:
        self.size, self.dilations = tuple(size), tuple(dilations)
        self.strides = tuple(layer.stride_nd)
        self.extent = tuple((taps - 1) * step + 1 for taps, step in zip(self.size, self.dilations, strict=True))
        self._mode, self._before, self._after = layer.padding_mode, tuple(layer.pre_padding), tuple(layer.post_padding)

    def padding(self, spatial: Sequence[int]) -> tuple[Sizes, Sizes]:
        """In front and behind. Rounded up, the last window may reach beyond the padding; SAME makes as many windows as
        steps fit into the input, and UPPER puts the odd element of padding behind."""
        mode = trt.PaddingMode
        if self._mode == mode.EXPLICIT_ROUND_DOWN:
            return self._before, self._after
        places = zip(spatial, self.extent, self.strides, self._before, self._after, strict=True)
        if self._mode == mode.EXPLICIT_ROUND_UP:
            return self._before, tuple(a + -(n + b + a - k) % s for n, k, s, b, a in places)
        total = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s, _, _ in places]
        small, large = tuple(t // 2 for t in total), tuple(t - t // 2 for t in total)
        return (small, large) if self._mode == mode.SAME_UPPER else (large, small)

    def cut(self, spatial: Sequence[int]) -> tuple[Sizes, Sizes]:
        """What a deconvolution leaves out of its full result: the padding of the convolution that undoes it. Nothing is rounded."""
        if self._mode in (trt.PaddingMode.EXPLICIT_ROUND_DOWN, trt.PaddingMode.EXPLICIT_ROUND_UP):
            return self._before, self._after
        total = [max(k - s, 0) for k, s in zip(self.extent, self.strides, strict=True)]
        small, large = tuple(t // 2 for t in total), tuple(t - t // 2 for t in total)
        return (small, large) if self._mode == trt.PaddingMode.SAME_UPPER else (large, small)

    def counts(self, spatial: Sequence[int], padding: tuple[Sizes, Sizes]) -> Sizes:
        """How many windows there are."""
        places = zip(spatial, *padding, self.extent, self.strides, strict=True)
        return tuple((b + n + a - k) // s + 1 for n, b, a, k, s in places)

    def reads(self, rows: slice) -> slice:
        """What windows read of the first axis."""
        return slice(rows.start * self.strides[0], (rows.stop - 1) * self.strides[0] + self.extent[0])

    def view(self, x: Array, skip: int = 0) -> Array:
        """Padded [N, C, spatial…] as [N, C, windows…, taps…], without a copy. The first `skip` axes stay as they are, and have
        no taps."""
        rank = len(self.size)
        seen = sliding_window_view(x, self.extent[skip:], axis=tuple(range(2 + skip, 2 + rank))) if skip < rank else x
        steps = ((1,) * skip, self.strides[skip:], self.dilations[skip:])
        picked: Array = seen[(slice(None), slice(None), *(slice(None, None, step) for part in steps for step in part))]
        return picked


def pad(x: Array, padding: tuple[Sizes, Sizes], value: float = 0, dtype: Any = None) -> Array:
    """[N, C, spatial…] with padding, in another type if one is given."""
    before, after = padding
    dtype = x.dtype if dtype is None else dtype
    if not any((*before, *after)):
        return x.astype(dtype, copy=False)
    padded = np.empty((*x.shape[:2], *(b + n + a for b, n, a in zip(before, x.shape[2:], after, strict=True))), dtype)
    inside: tuple[slice, ...] = (slice(None), slice(None))
    for b, n, a in zip(before, x.shape[2:], after, strict=True):
        padded[(*inside, slice(b))] = value
        padded[(*inside, slice(b + n, b + n + a))] = value
        inside = (*inside, slice(b, b + n))
    padded[inside] = x
    return padded
