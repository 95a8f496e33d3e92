"""IGatherLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer, trt

Mode = trt.GatherMode


@reads(trt.LayerType.GATHER, moves=True)
def gather(layer: Layer) -> Kernel:
    """DEFAULT: slices along an axis; ELEMENT: an element for each index; ND: slices at coordinates; the first
    `num_elementwise_dims` dimensions of data and indices go together. Negative indices count from the end: NVIDIA's
    parser of ONNX hands them on. An index out of range is an error here: what TensorRT does with it is not documented."""
    mode, axis, batch, name = layer.mode, layer.axis, layer.num_elementwise_dims, layer.name

    def run(x: Array, indices: Array) -> Array:
        limits = np.array(x.shape[batch : batch + indices.shape[-1]] if mode == Mode.ND else x.shape[axis])
        indices = from_the_start(indices, limits, name)
        if mode == Mode.ELEMENT:
            return np.asarray(x[element_places(indices, axis)])
        if mode == Mode.DEFAULT:
            return _slices(x, indices, axis, batch)
        return _coordinates(x, indices, batch)

    return run


def from_the_start(indices: Array, limits: Array, name: str) -> Array:
    """Indices of which none is negative. ExecutorError if one is out of range."""
    if (indices < 0).any():
        indices = np.where(indices < 0, indices + limits, indices)
    if ((indices < 0) | (indices >= limits)).any():
        raise ExecutorError(f"{name}: an index is out of range")
    return indices


def element_places(indices: Array, axis: int) -> tuple[Array, ...]:
    """Where each index points: its own place but for the axis. (Indices may have fewer places than the data.)"""
    own = np.indices(indices.shape, sparse=True)
    return (*own[:axis], indices, *own[axis + 1 :])


def _slices(x: Array, indices: Array, axis: int, batch: int) -> Array:
    if batch == 0:
        return np.asarray(np.take(x, indices, axis))
    return np.stack([_slices(part, index, axis - 1, batch - 1) for part, index in zip(x, indices, strict=True)])


def _coordinates(x: Array, indices: Array, batch: int) -> Array:
    if batch == 0:
        return np.asarray(x[tuple(np.moveaxis(indices, -1, 0))])
    return np.stack([_coordinates(part, index, batch - 1) for part, index in zip(x, indices, strict=True)])
