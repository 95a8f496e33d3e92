"""Values of a tensor by class: from a class and a seed, so that a whole tensor is two draws and shrinks as such."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trtx_backend.dtypes import DATA_TYPES, Array

Generator = np.random.Generator

LARGEST = {"float32": float(np.finfo(np.float32).max), "float16": 65504.0}
LEAST = {"float32": 2.0**-149, "float16": 2.0**-24}
"""The least subnormal."""


def _plain(rng: Generator, dtype: str, count: int) -> Array:
    return rng.integers(-64, 65, count) / 16


def _digits(rng: Generator, dtype: str, count: int) -> Array:
    """All bits of the significand in use."""
    return rng.uniform(-3, 3, count)


def _special(rng: Generator, dtype: str, count: int) -> Array:
    return rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.5], count)


def _infinite(rng: Generator, dtype: str, count: int) -> Array:
    return rng.choice([np.inf, -np.inf, 0.0, -0.0, 1.0, -3.0], count)


def _subnormal(rng: Generator, dtype: str, count: int) -> Array:
    return np.asarray(rng.integers(-1000, 1001, count) * LEAST[dtype])


def _huge(rng: Generator, dtype: str, count: int) -> Array:
    return rng.choice([1, -1, 0.5, -0.25, 0.75], count) * LARGEST[dtype]


def _ties(rng: Generator, dtype: str, count: int) -> Array:
    return rng.integers(-8, 8, count) + 0.5


def _wide(rng: Generator, dtype: str, count: int) -> Array:
    exponents = rng.integers(-12, 13, count) * (1 if dtype == "float16" else 8)
    return np.asarray(rng.choice([1, -1], count) * 2.0**exponents * rng.uniform(1, 2, count))


FLOAT_CLASSES: dict[str, Callable[[Generator, str, int], Array]] = {
    "plain": _plain,
    "digits": _digits,
    "ties": _ties,
    "wide": _wide,
    "infinite": _infinite,
    "subnormal": _subnormal,
    "huge": _huge,
    "special": _special,
}

INTEGER_CLASSES = ("small", "extreme", "bits", "powers")


def floats(dtype: str, name: str, seed: int, count: int) -> Array:
    """`count` values of a class, as the type holds them."""
    with np.errstate(over="ignore"):
        made = FLOAT_CLASSES[name](np.random.default_rng(seed), dtype, count)
        return np.asarray(made).astype(DATA_TYPES[dtype].numpy)


def integers(dtype: str, name: str, seed: int, count: int) -> Array:
    row = DATA_TYPES[dtype]
    low, high = int(row.min), int(row.max)
    rng = np.random.default_rng(seed)
    if name == "small":
        values = [int(v) for v in rng.integers(max(low, -5), min(high, 5) + 1, count)]
    elif name == "extreme":
        corners = (low, low + 1, high, high - 1, high // 2, high // 2 + 1, 0, 1, 2, max(low, -1))
        values = [corners[i] for i in rng.integers(0, len(corners), count)]
    elif name == "bits":
        values = [low + int(rng.integers(0, 2**32)) * 2**32 % (high - low + 1) for _ in range(count)]
        values = [low + (v - low + int(rng.integers(0, 2**32))) % (high - low + 1) for v in values]
    else:
        values = [
            min(high, max(low, 2 ** int(e) + int(d)))
            for e, d in zip(rng.integers(0, row.bits, count), rng.integers(-1, 2, count), strict=True)
        ]
    return np.array(values, row.numpy)
