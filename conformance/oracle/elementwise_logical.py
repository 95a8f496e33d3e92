"""Element-wise logical operations, uint8: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical"""

from __future__ import annotations

import numpy as np

from conformance.oracle import Array, oracle


def truth(condition: Array) -> Array:
    return np.asarray(condition).astype(np.uint8)


@oracle
def equal(a: Array, b: Array) -> Array:
    return truth(a == b)


@oracle
def not_equal(a: Array, b: Array) -> Array:
    return truth(a != b)


@oracle
def greater(a: Array, b: Array) -> Array:
    return truth(a > b)


@oracle
def greater_or_equal(a: Array, b: Array) -> Array:
    return truth(a >= b)


@oracle
def lesser(a: Array, b: Array) -> Array:
    return truth(a < b)


@oracle
def lesser_or_equal(a: Array, b: Array) -> Array:
    return truth(a <= b)


@oracle
def logical_not(a: Array) -> Array:
    return truth(a == 0)


@oracle
def logical_and(a: Array, b: Array) -> Array:
    return truth((a != 0) & (b != 0))


@oracle
def logical_or(a: Array, b: Array) -> Array:
    return truth((a != 0) | (b != 0))


@oracle
def logical_xor(a: Array, b: Array) -> Array:
    return truth((a != 0) != (b != 0))


@oracle
def is_nan(input: Array) -> Array:
    return truth(np.isnan(input))


@oracle
def is_infinite(input: Array) -> Array:
    return truth(np.isinf(input))
