"""ISliceLayer."""

from __future__ import annotations

import builtins

import numpy as np

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer, trt

Mode = trt.SampleMode


@reads(trt.LayerType.SLICE, moves=True)
def slice(layer: Layer) -> Kernel:
    """`shape` elements from `start`, `stride` apart (0: the same one, negative: backwards), along the axes or along
    all; inputs 1, 2, 3 and 5 may hold these. What lies outside the input is an error, the fill value (input 4, or 0), the
    nearest element, the input again, or the input mirrored without its edge repeated."""
    mode, given = layer.mode, (layer.start, layer.shape, layer.stride)
    own_axes = None if layer.axes is None or len(layer.axes) == 0 else tuple(layer.axes)

    def window(x: Array, inputs: tuple[Array | None, ...]) -> list[tuple[int, int, int]]:
        """Start, size and stride along each axis."""
        computed = (*inputs, *(None,) * (5 - len(inputs)))
        parts = [g if c is None else c for g, c in zip(given, computed, strict=False)]
        axes = own_axes if computed[4] is None else tuple(computed[4])
        places = [(int(a), int(b), int(c)) for a, b, c in zip(*parts, strict=True)]
        if axes is None:
            return places
        whole = [(0, size, 1) for size in x.shape]
        for axis, place in zip(axes, places, strict=True):
            whole[int(axis)] = place
        return whole

    def run(x: Array, *inputs: Array | None) -> Array:
        outside = np.zeros((), bool)
        sizes = window(x, inputs)
        if mode != Mode.FILL and all(_within(n, *place) for n, place in zip(x.shape, sizes, strict=True)):
            return np.asarray(x[tuple(_python_slice(*place) for place in sizes)])
        for axis, (start, size, stride) in enumerate(sizes):
            index = start + stride * np.arange(size)
            limit = x.shape[axis]
            beyond = ((index < 0) | (index >= limit)).reshape(-1, *(1,) * (len(sizes) - axis - 1))
            outside = outside | beyond
            x = np.take(x, indices_inside(index, limit, mode), axis)
        if mode == Mode.STRICT_BOUNDS and outside.any():
            raise ExecutorError(f"{layer.name}: the slice reaches outside its input")
        if mode != Mode.FILL:
            return x
        fill = inputs[3] if len(inputs) > 3 and inputs[3] is not None else np.zeros((), x.dtype)
        return np.where(outside, fill.astype(x.dtype), x)

    return run


def _within(limit: int, start: int, size: int, stride: int) -> bool:
    """The window is in the input, and a slice of Python's."""
    return size > 0 and stride != 0 and 0 <= start < limit and 0 <= start + (size - 1) * stride < limit


def _python_slice(start: int, size: int, stride: int) -> builtins.slice:
    end = start + size * stride
    return builtins.slice(start, None if end < 0 else end, stride)


def indices_inside(index: Array, limit: int, mode: object) -> Array:
    if mode == Mode.WRAP:
        return np.asarray(np.mod(index, limit))
    if mode == Mode.REFLECT and limit > 1:
        folded = np.mod(index, 2 * limit - 2)
        return np.asarray(np.minimum(folded, 2 * limit - 2 - folded))
    return np.clip(index, 0, limit - 1)
