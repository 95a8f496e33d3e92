"""ISqueezeLayer, IUnsqueezeLayer, IShapeLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer


@reads("SQUEEZE", moves=True)
def squeeze(layer: Layer) -> Kernel:
    return lambda x, axes: np.squeeze(x, _axes(axes))


@reads("UNSQUEEZE", moves=True)
def unsqueeze(layer: Layer) -> Kernel:
    """The axes are those of the output."""
    return lambda x, axes: np.expand_dims(x, _axes(axes))


def _axes(axes: Array) -> tuple[int, ...]:
    return tuple(int(axis) for axis in axes.reshape(-1))


@reads("SHAPE", moves=True)
def shape(layer: Layer) -> Kernel:
    return lambda x: np.array(x.shape, np.int64)
