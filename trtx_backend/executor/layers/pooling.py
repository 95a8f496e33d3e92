"""IPoolingLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.layers.windows import pad, windows
from trtx_backend.trt import Layer, trt

Type = trt.PoolingType


@reads(trt.LayerType.POOLING)
def pooling(layer: Layer) -> Kernel:
    """Greatest or average element of windows of [N, C, spatial…]. Padding never is the greatest, and counts as 0 for the
    average, or not at all. Rounded up, the last window may reach beyond the padding."""
    kind, size, strides = layer.type, tuple(layer.window_size_nd), tuple(layer.stride_nd)
    before, after = tuple(layer.pre_padding), tuple(layer.post_padding)
    round_up = layer.padding_mode == trt.PaddingMode.EXPLICIT_ROUND_UP
    if kind not in (Type.MAX, Type.AVERAGE):
        raise ExecutorError(f"{layer.name}: pooling {kind.name} is not supported")
    if not round_up and layer.padding_mode != trt.PaddingMode.EXPLICIT_ROUND_DOWN:
        raise ExecutorError(f"{layer.name}: padding mode {layer.padding_mode.name} is not supported")
    excludes = layer.average_count_excludes_padding

    def run(x: Array) -> Array:
        behind = _rounded_up(x, size, strides, before, after) if round_up else after
        ones = (1,) * len(size)
        taps = tuple(range(-len(size), 0))
        if kind == Type.MAX:
            lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
            return np.asarray(windows(pad(x, before, behind, lowest), size, strides, ones).max(taps))
        total = windows(pad(x, before, behind), size, strides, ones).sum(taps)
        counted = pad(np.ones((1, 1, *x.shape[2:])), before, behind, 0 if excludes else 1)
        result: Array = total / windows(counted, size, strides, ones).sum(taps)
        return result

    return run


def _rounded_up(
    x: Array, size: tuple[int, ...], strides: tuple[int, ...], before: tuple[int, ...], after: tuple[int, ...]
) -> tuple[int, ...]:
    behind = []
    for n, k, s, b, a in zip(x.shape[2:], size, strides, before, after, strict=True):
        missing = -(n + b + a - k) % s
        behind.append(a + missing)
    return tuple(behind)
