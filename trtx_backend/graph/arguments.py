"""Arguments that are not operands: lists of sizes, numbers, words. Each function checks the form and returns the value.

Spec: the WebIDL types, `[EnforceRange] unsigned long`, `double`, `MLNumber` and the enumerations.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from trtx_backend.dtypes import DATA_TYPES, Array
from trtx_backend.errors import ArgumentError, check
from trtx_backend.graph.ir import MLOperandDescriptor

UNSIGNED_LONG_MAX = 2**32 - 1


def array(name: str, value: Any) -> Array:
    """An array in the machine's byte order. A masked one is refused: WebNN has no mask, and its data would be taken."""
    check(not isinstance(value, np.ma.MaskedArray), name, "a masked array", "fill in what is masked: use its filled()")
    made = np.asarray(value)
    return made if made.dtype.isnative else made.astype(made.dtype.newbyteorder("="))


def kind(value: Any) -> str:
    """What was given in place of an array, in few words: `an array of float64[2, 3]`, `a list`."""
    if isinstance(value, (np.ndarray, np.generic)):
        return f"an array of {value.dtype.name}{list(value.shape)}"
    return "None" if value is None else f"a {type(value).__name__}"


def check_fits(name: str, array: Array, descriptor: MLOperandDescriptor, given: Any) -> None:
    """Whether an array is of the descriptor's shape, or its elements in one dimension. Another shape of as many is a slip.
    `given`: what the array was made of."""
    fits = array.shape == descriptor.shape or (array.ndim <= 1 and array.size == descriptor.element_count)
    rule = f"{descriptor} takes that shape, or its {descriptor.element_count} elements in one dimension"
    check(fits, name, kind(given), rule)


def unsigned(name: str, value: Any, *, least: int = 0) -> int:
    """An `[EnforceRange] unsigned long` that is at least `least`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise ArgumentError(name, value, "must be an integer")
    result = int(value)
    check(least <= result <= UNSIGNED_LONG_MAX, name, value, f"must be from {least} to {UNSIGNED_LONG_MAX}")
    return result


def unsigned_list(name: str, value: Any, *, length: int | None = None, least: int = 0) -> tuple[int, ...]:
    """A `sequence<[EnforceRange] unsigned long>`, of `length` items where the specification asks for that."""
    if isinstance(value, (str, bytes, Set, Mapping)) or not isinstance(value, Iterable):
        raise ArgumentError(name, value, "must be a list of integers")
    items = tuple(unsigned(f"{name}[{i}]", item, least=least) for i, item in enumerate(value))
    check(length is None or len(items) == length, name, items, f"must have {length} items")
    return items


def axis(name: str, value: Any, rank: int) -> int:
    """An axis of a tensor of `rank` dimensions."""
    result = unsigned(name, value)
    check(result < rank, name, result, f"must be less than the input's rank, {rank}")
    return result


def axes(name: str, value: Any, rank: int) -> tuple[int, ...]:
    """A list of different axes; None means all of them."""
    if value is None:
        return tuple(range(rank))
    items = unsigned_list(name, value)
    check(all(item < rank for item in items), name, items, f"each axis must be less than the input's rank, {rank}")
    check(len(set(items)) == len(items), name, items, "no axis may be named twice")
    return items


def number(name: str, value: Any, dtype: str) -> int | float:
    """An `MLNumber`, cast to a data type: for a float type rounded to it; for an integer type clamped to its range, a
    fraction cut off, NaN made 0. (The specification's `cast` of a number rounds the fraction, half to even; WPT's
    mlNumber "cast fractional float to integer" cuts it off, and the cases decide.)"""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise ArgumentError(name, value, "must be a number")
    row = DATA_TYPES[dtype]
    if row.is_float:
        with np.errstate(over="ignore"):
            return float(np.float64(_as_double(value)).astype(row.numpy))
    if isinstance(value, numbers.Integral):
        return min(max(int(value), int(row.min)), int(row.max))
    if math.isnan(value):
        return 0
    return int(min(max(_as_double(value), int(row.min)), int(row.max)))


def double(name: str, value: Any, dtype: str | None = None) -> float:
    """A finite `double`, cast to a float type if one is given: infinite then where that has no number so large."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise ArgumentError(name, value, "must be a number")
    result = _finite(name, value)
    return result if dtype is None else float(number(name, result, dtype))


def boolean(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentError(name, value, "must be True or False")
    return bool(value)


def choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """A word of an enumeration."""
    check(isinstance(value, str) and value in allowed, name, value, f"must be one of {', '.join(allowed)}")
    return str(value)


def _as_double(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _finite(name: str, value: Any) -> float:
    result = _as_double(value)
    check(math.isfinite(result), name, value, "must be finite")
    return result
