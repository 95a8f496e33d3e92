"""ITopKLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, is_set, reads
from trtx_backend.executor.types import storage
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.TOPK)
def topk(layer: Layer) -> Kernel:
    """Values and their indices, best first. Of equal values the one with the lower index comes first, and NaN comes
    last: NVIDIA's documentation says neither. Input 1 may be k."""
    own_k, mask, largest = layer.k, layer.axes, layer.op == trt.TopKOperation.MAX
    index_type = storage(layer.indices_type, layer.name)

    def run(x: Array, computed: Array | None = None) -> tuple[Array, Array]:
        k = own_k if computed is None else int(computed.reshape(()))
        (axis,) = is_set(mask, x.ndim)
        order = np.argsort(_descending(x) if largest else x, axis, kind="stable")  # numpy sorts NaN last
        order = np.take(order, range(k), axis)
        return np.take_along_axis(x, order, axis), order.astype(index_type)

    return run


def _descending(x: Array) -> Array:
    """Keys of the opposite order. The complement of an integer is that, and does not overflow as negation would."""
    keys: Array = -x if x.dtype.kind == "f" else ~x
    return keys
