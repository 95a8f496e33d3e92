"""quantizeLinear and dequantizeLinear: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-quantizelinear"""

from __future__ import annotations

import numpy as np

from conformance.oracle import Array, oracle


def blocks(array: Array, shape: tuple[int, ...]) -> Array:
    """A scale or zero point at the shape of the input: each element for its block."""
    for axis, size in enumerate(shape):
        array = np.repeat(array, size // array.shape[axis], axis)
    return array


@oracle
def quantize_linear(input: Array, scale: Array, zero_point: Array, *, dtype: str | None = None) -> Array:
    """`dtype` names the zero point's type where its array does not: int4, uint4."""
    zero = blocks(zero_point, input.shape)
    info = np.iinfo(zero_point.dtype)
    low, high = {"int4": (-8, 7), "uint4": (0, 15)}.get(dtype or "", (info.min, info.max))
    steps = np.rint(input / blocks(scale, input.shape)) + zero.astype(np.float64)
    return np.clip(steps, low, high).astype(zero_point.dtype)


@oracle
def dequantize_linear(input: Array, scale: Array, zero_point: Array) -> Array:
    distance = input.astype(np.int64) - blocks(zero_point, input.shape).astype(np.int64)
    return distance * blocks(scale, input.shape)
