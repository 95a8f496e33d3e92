"""Wrong results: what a test of a layer should notice. Each changes the values, and keeps type and shape: a result of another
type or shape than TensorRT inferred is an error of the executor's own, whatever a test says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Change = Callable[[Any, str], Any]
"""`change(array, TensorRT's name of its type) -> array`."""

DIGITS = {"FLOAT": 24, "HALF": 11, "BF16": 8, "FP8": 4, "FP4": 2}
NARROWER = {"int64": np.int32, "int32": np.int16}


def everywhere(x: Any, dtype: str) -> Any:
    """Floats times 1 + 2^-10, or four steps of a narrow type; integers 1 more; truth values the opposite."""
    if x.dtype.kind == "b":
        return ~x
    if x.dtype.kind == "f":
        return x * x.dtype.type(1 + max(2.0**-10, 4 * 2.0 ** (1 - DIGITS[dtype])))
    return (x + x.dtype.type(9)) % 16 - 8 if dtype == "INT4" else x + x.dtype.type(1)


def first_element(x: Any, dtype: str) -> Any:
    return _one(x, dtype, 0)


def last_element(x: Any, dtype: str) -> Any:
    return _one(x, dtype, -1)


def _one(x: Any, dtype: str, place: int) -> Any:
    """As everywhere; a zero becomes 2^-10, and what is no finite number 0."""
    changed = np.array(x)
    if changed.size:
        flat = changed.reshape(-1)
        old = flat[place]
        new = everywhere(flat[place : place + 1 or None], dtype)[0]
        if x.dtype.kind == "f" and not np.isfinite(old):
            new = x.dtype.type(0)
        flat[place] = x.dtype.type(2.0**-10 if x.dtype.kind == "f" and old == 0 else new)
    return changed


def transposed(x: Any, dtype: str) -> Any:
    """The first two axes of the same size, but for 1, change places."""
    for one in range(x.ndim):
        for other in range(one + 1, x.ndim):
            if x.shape[one] == x.shape[other] > 1:
                return np.array(x.swapaxes(one, other))
    return x


def reversed_(x: Any, dtype: str) -> Any:
    """The last axis with more than one element, backwards."""
    axes = [axis for axis in range(x.ndim) if x.shape[axis] > 1]
    return np.array(np.flip(x, axes[-1])) if axes else x


def narrowed(x: Any, dtype: str) -> Any:
    """Floats with half their digits; integers that went through the next narrower type."""
    if x.dtype.kind == "f":
        significand, exponent = np.frexp(x)
        scale = x.dtype.type(2.0 ** (DIGITS[dtype] // 2))
        return np.ldexp(np.rint(significand * scale) / scale, exponent).astype(x.dtype)
    if x.dtype.name in NARROWER:
        return x.astype(NARROWER[x.dtype.name]).astype(x.dtype)
    return x


PERTURBATIONS: dict[str, Change] = {
    "every element": everywhere,
    "the first": first_element,
    "the last": last_element,
    "transposed": transposed,
    "reversed": reversed_,
    "narrowed": narrowed,
}
