"""IReverseSequenceLayer, IPaddingLayer, INonZeroLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.layers.slice import Mode, indices_inside
from trtx_backend.executor.types import storage
from trtx_backend.trt import Layer


@reads("REVERSE_SEQUENCE", moves=True)
def reverse_sequence(layer: Layer) -> Kernel:
    """The first elements of each batch item backwards, as many as input 1 says."""
    batch, along = layer.batch_axis, layer.sequence_axis

    def run(x: Array, lengths: Array) -> Array:
        moved = np.moveaxis(x, (batch, along), (0, 1))
        result = moved.copy()
        for item, length in enumerate(lengths):
            result[item, :length] = moved[item, :length][::-1]
        return np.moveaxis(result, (0, 1), (batch, along))

    return run


@reads("PADDING", moves=True)
def padding(layer: Layer) -> Kernel:
    """Zeros around the last two dimensions; negative padding cuts off."""
    before, after = tuple(layer.pre_padding_nd), tuple(layer.post_padding_nd)

    def run(x: Array) -> Array:
        outside = np.zeros((), bool)
        for axis, front, back in zip((x.ndim - 2, x.ndim - 1), before, after, strict=True):
            index = np.arange(-front, x.shape[axis] + back)
            beyond = ((index < 0) | (index >= x.shape[axis])).reshape(-1, *(1,) * (x.ndim - axis - 1))
            outside = outside | beyond
            x = np.take(x, indices_inside(index, x.shape[axis], Mode.CLAMP), axis)
        return np.where(outside, np.zeros((), x.dtype), x)

    return run


@reads("NON_ZERO", moves=True)
def non_zero(layer: Layer) -> Kernel:
    """Coordinates [rank, how many], in the order of the elements."""
    target = storage(layer.indices_type, layer.name)
    return lambda x: np.array(np.nonzero(x)).reshape(x.ndim, -1).astype(target)
