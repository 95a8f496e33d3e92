"""Reductions, argMin, argMax, cumulativeSum, softmax: their sections of https://www.w3.org/TR/webnn/#api-mlgraphbuilder"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.oracle import Array, is_float, oracle


def _log_sum_exp(x: Array, **where: Any) -> Array:
    top = np.max(x, axis=where["axis"], keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.sum(np.exp(x - top), axis=where["axis"], keepdims=True)) + top
    return total if where["keepdims"] else np.squeeze(total, where["axis"])


def _sum(x: Array, **where: Any) -> Array:
    return np.asanyarray(np.sum(x, dtype=x.dtype, **where))


FUNCTIONS: dict[str, Callable[..., Array]] = {
    "l1": lambda x, **where: _sum(np.abs(x), **where),
    "l2": lambda x, **where: np.sqrt(_sum(x * x, **where)),
    "log_sum": lambda x, **where: np.log(_sum(x, **where)),
    "log_sum_exp": _log_sum_exp,
    "max": np.max,
    "mean": np.mean,
    "min": np.min,
    "product": lambda x, **where: np.prod(x, dtype=x.dtype, **where),
    "sum": _sum,
    "sum_square": lambda x, **where: _sum(x * x, **where),
}


def _register(name: str, function: Callable[..., Array]) -> None:
    def reduce(input: Array, *, axes: Sequence[int] | None = None, keep_dimensions: bool = False) -> Array:
        where = tuple(range(input.ndim)) if axes is None else tuple(axes)
        return np.asarray(function(input, axis=where, keepdims=keep_dimensions))

    reduce.__name__ = f"reduce_{name}"
    oracle(reduce)


for _name, _function in FUNCTIONS.items():
    _register(_name, _function)


@oracle
def arg_max(input: Array, axis: int, *, keep_dimensions: bool = False, output_dtype: str = "int32") -> Array:
    return np.argmax(input, axis, keepdims=keep_dimensions).astype(output_dtype)


@oracle
def arg_min(input: Array, axis: int, *, keep_dimensions: bool = False, output_dtype: str = "int32") -> Array:
    return np.argmin(input, axis, keepdims=keep_dimensions).astype(output_dtype)


@oracle
def cumulative_sum(input: Array, axis: int, *, exclusive: bool = False, reversed: bool = False) -> Array:
    result = np.zeros_like(input)
    size = input.shape[axis]
    order = range(size - 1, -1, -1) if reversed else range(size)
    total = np.zeros_like(np.take(input, 0, axis))
    for index in order:
        place = (slice(None),) * axis + (index,)
        if exclusive:
            result[place] = total
        total = total + input[place]
        if not exclusive:
            result[place] = total
    return result


@oracle
def softmax(input: Array, axis: int) -> Array:
    assert is_float(input)
    exponentials = np.exp(input - np.max(input, axis, keepdims=True))
    return exponentials / np.sum(exponentials, axis, keepdims=True)
