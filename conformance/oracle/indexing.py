"""gather*, scatter*, pad, reverse, split, tile, triangular, where: https://www.w3.org/TR/webnn/#api-mlgraphbuilder

Negative indices count from the end; what is out of range is clamped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.oracle import Array, is_float, oracle


def _inside(index: Any, size: int) -> int:
    value = max(-size, min(int(index), size - 1))
    return value + size if value < 0 else value


@oracle
def gather(input: Array, indices: Array, *, axis: int = 0) -> Array:
    flat = [_inside(index, input.shape[axis]) for index in indices.flat]
    shape = (*input.shape[:axis], *indices.shape, *input.shape[axis + 1 :])
    return np.take(input, flat, axis).reshape(shape)


@oracle
def gather_elements(input: Array, indices: Array, *, axis: int = 0) -> Array:
    result = np.empty(indices.shape, input.dtype)
    for place in np.ndindex(indices.shape):
        result[place] = input[(*place[:axis], _inside(indices[place], input.shape[axis]), *place[axis + 1 :])]
    return result


def _coordinates(indices: Array, shape: Sequence[int]) -> Any:
    for place in np.ndindex(indices.shape[:-1]):
        yield place, tuple(_inside(i, size) for i, size in zip(indices[place], shape, strict=False))


@oracle
def gather_nd(input: Array, indices: Array) -> Array:
    result = np.empty((*indices.shape[:-1], *input.shape[indices.shape[-1] :]), input.dtype)
    for place, where in _coordinates(indices, input.shape):
        result[place] = input[where]
    return result


@oracle
def scatter_elements(input: Array, indices: Array, updates: Array, *, axis: int = 0) -> Array:
    result = input.copy()
    for place in np.ndindex(indices.shape):
        result[(*place[:axis], _inside(indices[place], input.shape[axis]), *place[axis + 1 :])] = updates[place]
    return result


@oracle
def scatter_nd(input: Array, indices: Array, updates: Array) -> Array:
    result = input.copy()
    for place, where in _coordinates(indices, input.shape):
        result[where] = updates[place]
    return result


@oracle
def pad(
    input: Array,
    beginning_padding: Sequence[int],
    ending_padding: Sequence[int],
    *,
    mode: str = "constant",
    value: Any = 0,
) -> Array:
    widths = np.array([beginning_padding, ending_padding], int).T
    if not input.ndim:
        return input
    if mode == "constant":
        return np.pad(input, widths, constant_values=_filling(value, input))
    return np.pad(input, widths, mode="edge" if mode == "edge" else "reflect")


def _filling(value: Any, input: Array) -> Array:
    """A number cast to the input's type: for integers a fraction cut off, NaN 0, what is beyond clamped."""
    if is_float(input):
        return np.array(value, input.dtype)
    info = np.iinfo(input.dtype)
    whole = value if isinstance(value, int) else 0 if math.isnan(value) else value
    return np.array(info.max if whole >= info.max else info.min if whole <= info.min else int(whole), input.dtype)


@oracle
def reverse(input: Array, *, axes: Sequence[int] | None = None) -> Array:
    return np.flip(input, tuple(range(input.ndim)) if axes is None else tuple(axes))


@oracle
def split(input: Array, splits: int | Sequence[int], *, axis: int = 0) -> tuple[Array, ...]:
    if isinstance(splits, int):
        return tuple(np.split(input, splits, axis))
    return tuple(np.split(input, np.cumsum(splits)[:-1], axis))


@oracle
def tile(input: Array, repetitions: Sequence[int]) -> Array:
    return np.tile(input, repetitions)


@oracle
def triangular(input: Array, *, upper: bool = True, diagonal: int = 0) -> Array:
    rows, columns = np.indices(input.shape[-2:])
    kept = columns - rows >= diagonal if upper else columns - rows <= diagonal
    return np.where(kept, input, np.zeros((), input.dtype))


@oracle
def where(condition: Array, true_value: Array, false_value: Array) -> Array:
    return np.where(condition != 0, true_value, false_value)
