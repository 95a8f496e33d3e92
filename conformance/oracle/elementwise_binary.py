"""Element-wise binary operations: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary"""

from __future__ import annotations

import numpy as np

from conformance.oracle import Array, Undefined, is_float, oracle


@oracle
def add(a: Array, b: Array) -> Array:
    return a + b


@oracle
def sub(a: Array, b: Array) -> Array:
    return a - b


@oracle
def mul(a: Array, b: Array) -> Array:
    return a * b


@oracle
def div(a: Array, b: Array) -> Array:
    """Integers truncate towards zero."""
    if is_float(a):
        return a / b
    if (b == 0).any():
        raise Undefined("integer division by zero")
    a, b = np.broadcast_arrays(a, b)
    exact = [
        abs(int(x)) // abs(int(y)) * (1 if (x < 0) == (y < 0) else -1) for x, y in zip(a.flat, b.flat, strict=True)
    ]
    bits = 8 * a.dtype.itemsize
    return np.array([value % (1 << bits) for value in exact], f"u{bits // 8}").view(a.dtype).reshape(a.shape)


@oracle
def max(a: Array, b: Array) -> Array:
    return np.where(a >= b, a, b)


@oracle
def min(a: Array, b: Array) -> Array:
    return np.where(a <= b, a, b)


@oracle
def pow(a: Array, b: Array) -> Array:
    if not is_float(a) and (b < 0).any():
        raise Undefined("a negative power of an integer")
    result: Array = np.power(a, b)
    return result
