"""erf and erfc of arrays, to a few float64 steps: Taylor series around the nearest point of a table."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from trtx_backend.executor.layers import Array

APART = 32
"""Points between integers: none is farther than 1/64."""
ERF_TERMS, ERFC_TERMS = 9, 14
"""The terms left out are below 2^-56 of the sum."""
ERF_IS_ONE, ERFC_IS_TINY = 6, 10


def erf(x: Array) -> Array:
    return np.asarray(np.copysign(_series(np.minimum(np.abs(x), ERF_IS_ONE), _erf_table()), x))


def erfc(x: Array) -> Array:
    """Near 0 and below, 1 - erf(x) loses nothing. Above ERFC_IS_TINY numbers are few, and their terms cancel."""
    result = np.asarray(1 - erf(np.minimum(x, 0.5)))
    above = x > 0.5
    if above.any():
        result[above] = _series(np.minimum(x[above], ERFC_IS_TINY), _erfc_table())
    far = x > ERFC_IS_TINY
    if far.any():
        result[far] = [math.erfc(value) for value in x[far]]
    return result


def _series(x: Array, table: Array) -> Array:
    place = np.rint(x * APART)
    away = x - place / APART
    index = np.nan_to_num(place).astype(np.intp)
    total: Array = table[-1].take(index)
    for terms in table[-2::-1]:
        total *= away
        total += terms.take(index)
    return total


@cache
def _erf_table() -> Array:
    return _table(1.0, ERF_IS_ONE, ERF_TERMS)


@cache
def _erfc_table() -> Array:
    return _table(-1.0, ERFC_IS_TINY, ERFC_TERMS)


def _table(sign: float, last: int, terms: int) -> Array:
    """[terms, points]: the function, and the terms of its integral of 2 / sqrt(pi) * exp(-x^2), which has the derivative -2 x
    times itself."""
    table = np.empty((terms, last * APART + 1))
    for place in range(table.shape[1]):
        x = place / APART
        table[0, place] = math.erf(x) if sign > 0 else math.erfc(x)
        before, term = 0.0, sign * 2 / math.sqrt(math.pi) * math.exp(-x * x)
        for n in range(1, terms):
            table[n, place] = term / n
            before, term = term, -2 * (x * term + before) / n
    return table
