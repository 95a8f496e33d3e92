"""cast: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cast"""

from __future__ import annotations

import numpy as np

from conformance.oracle import Array, Undefined, is_float, oracle
from trtx_backend.dtypes import DATA_TYPES


@oracle
def cast(input: Array, dtype: str) -> Array:
    row = DATA_TYPES[dtype]
    if row.is_float:
        return _nearest(input, row.numpy) if is_float(input) else _integers_to_float(input, row.numpy)
    values = [int(v) for v in (_truncated(input, row.min, row.max) if is_float(input) else input).flat]
    wrapped = [(value - int(row.min)) % (1 << row.bits) + int(row.min) for value in values]
    return np.array(wrapped, row.numpy).reshape(input.shape)


def _nearest(array: Array, to: np.dtype) -> Array:
    return array.astype(to).astype(np.float64)


def _integers_to_float(array: Array, to: np.dtype) -> Array:
    """Rounded once: through float64, whose own rounding would be a second, only where float64 holds the integer."""
    return np.array([_round_integer(int(v), to) for v in array.flat], np.float64).reshape(array.shape)


def _round_integer(value: int, to: np.dtype) -> float:
    precision = {2: 11, 4: 24}[to.itemsize]
    drop = max(value.bit_length() - precision, 0)
    half, rest = 1 << drop >> 1, abs(value) & ((1 << drop) - 1)
    kept = abs(value) >> drop
    if rest > half or (rest == half and drop and kept & 1):
        kept += 1
    result = float(kept << drop)
    return (1 if value >= 0 else -1) * (result if result <= float(np.finfo(to).max) else float("inf"))


def _truncated(array: Array, low: float, high: float) -> Array:
    whole = np.trunc(array)
    if not (np.isfinite(array).all() and (whole >= low).all() and (whole <= high).all()):
        raise Undefined("a float out of the integer's range")
    return whole
