"""concat, expand, reshape, slice, transpose: their sections of https://www.w3.org/TR/webnn/#api-mlgraphbuilder"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.oracle import Array, oracle


@oracle
def concat(inputs: Sequence[Array], axis: int) -> Array:
    return np.concatenate(inputs, axis)


@oracle
def expand(input: Array, new_shape: Sequence[int]) -> Array:
    return np.broadcast_to(input, new_shape)


@oracle
def reshape(input: Array, new_shape: Sequence[int]) -> Array:
    return input.reshape(new_shape)


@oracle
def shape(input: Array) -> Array:
    """An extension of ours: the sizes, int64."""
    return np.array(input.shape, np.int64)


@oracle
def slice(input: Array, starts: Sequence[int], sizes: Sequence[int], *, strides: Sequence[int] | None = None) -> Array:
    steps = strides if strides is not None else [1] * input.ndim
    for axis, (start, size, step) in enumerate(zip(starts, sizes, steps, strict=True)):
        input = np.take(input, range(start, start + size, step), axis)
    return input


@oracle
def transpose(input: Array, *, permutation: Sequence[int] | None = None) -> Array:
    return input.transpose(permutation)
