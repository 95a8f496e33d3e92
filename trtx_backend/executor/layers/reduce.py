"""IReduceLayer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, is_set, reads
from trtx_backend.trt import Layer, trt

Op = trt.ReduceOperation


def average(x: Array, **where: Any) -> Array:
    """Integers truncate: NVIDIA's documentation does not say, and their division layer does."""
    total = np.sum(x, **where, dtype=x.dtype)
    count = x.size // max(total.size, 1)
    if x.dtype.kind == "f":
        mean: Array = total / count
        return mean
    # not by float64, which does not hold every int64
    quotient, rest = np.divmod(total.astype(np.int64), count)
    truncated: Array = (quotient + ((rest != 0) & (total < 0))).astype(x.dtype)
    return truncated


FUNCTIONS: dict[object, Callable[..., Array]] = {
    Op.SUM: lambda x, **where: np.sum(x, **where, dtype=x.dtype),
    Op.PROD: lambda x, **where: np.prod(x, **where, dtype=x.dtype),
    Op.MAX: np.max,
    Op.MIN: np.min,
    Op.AVG: average,
}


@reads(trt.LayerType.REDUCE)
def reduce(layer: Layer) -> Kernel:
    """Integer sums and products wrap in their own type."""
    function, axes, keep = FUNCTIONS[layer.op], layer.axes, layer.keep_dims

    def run(x: Array) -> Array:
        return np.asarray(function(x, axis=is_set(axes, x.ndim), keepdims=keep))

    return run
