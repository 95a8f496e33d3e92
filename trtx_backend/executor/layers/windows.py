"""Geometry that convolution, deconvolution and pooling share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from trtx_backend.executor.layers import Array


def windows(x: Array, size: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> Array:
    """View of [N, C, spatial…] as [N, C, windows…, taps…]."""
    rank = len(size)
    extent = tuple((taps - 1) * step + 1 for taps, step in zip(size, dilations, strict=True))
    view = sliding_window_view(x, extent, axis=tuple(range(2, 2 + rank)))
    steps = (*strides, *dilations)
    picked: Array = view[(slice(None), slice(None), *(slice(None, None, step) for step in steps))]
    return picked


def pad(x: Array, before: Sequence[int], after: Sequence[int], value: float = 0) -> Array:
    """[N, C, spatial…] with padding."""
    return np.pad(x, ((0, 0), (0, 0), *zip(before, after, strict=True)), constant_values=value)
