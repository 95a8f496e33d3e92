"""Compares a case's outputs with what it expects, by WPT's rule, and says in about ten lines what differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.tolerance import Tolerance
from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.graph.serial import read_array

Array = NDArray[Any]

MAX_FILLED = 1000
"""Where the expected data is one number, upstream compares this many elements."""

MAX_ROWS = 5
INCOMPARABLE = float("inf")
"""Distance between NaN or an infinity and anything else."""


@dataclass(frozen=True)
class Comparison:
    """`worst` is the greatest distance of any element, in the tolerance's metric; None where nothing was compared."""

    passed: bool
    cause: str | None
    worst: float | None
    message: str


def compare(
    expected: Mapping[str, Any], actual: Mapping[str, Array], dtypes: Mapping[str, str], tolerance: Tolerance
) -> Comparison:
    """Compare every expected output (resources as in a case) with the array computed for it and its WebNN data type.
    The first output that is of another type or shape, or else the worst one, decides."""
    worst: float = 0
    failure: Comparison | None = None
    for name, resource in expected.items():
        shape, dtype = tuple(resource["descriptor"]["shape"]), resource["descriptor"]["dataType"]
        if actual.get(name) is None:
            given = ", ".join(f'"{other}"' for other in actual) or "none"
            return Comparison(False, "MISMATCH", None, f'output "{name}" was not computed; outputs: {given}')
        for cause, what, got, want in (
            ("DTYPE", "data type", dtypes.get(name), dtype),
            ("DTYPE", "array type", actual[name].dtype.name, DATA_TYPES[dtype].numpy.name),
            ("SHAPE", "shape", list(actual[name].shape), list(shape)),
        ):
            if got != want:
                return Comparison(False, cause, None, f'output "{name}": the {what} is {got}, expected {want}')
        result = _compare_output(name, resource["data"], dtype, shape, actual[name], tolerance)
        if not result.passed and (failure is None or (result.worst or 0) > (failure.worst or 0)):
            failure = result
        worst = max(worst, result.worst or 0)
    return failure or Comparison(True, None, worst, "")


def _compare_output(
    name: str, data: Any, dtype: str, shape: tuple[int, ...], actual: Array, tolerance: Tolerance
) -> Comparison:
    if not isinstance(data, list) and actual.size > 1:
        actual = actual.reshape(-1)[:MAX_FILLED]
        shape = actual.shape
    wanted = read_array(data, dtype, shape)
    distances = distance(actual, wanted, tolerance.metric)
    outside = distances > tolerance.value
    worst = float(distances.max(initial=0))
    if not outside.any():
        return Comparison(True, None, worst, "")
    return Comparison(False, "MISMATCH", worst, _report(name, dtype, actual, wanted, distances, outside, tolerance))


def distance(actual: Array, expected: Array, metric: str) -> Array:
    """Distance element by element, as float64: in ULP the difference of positions among the representable values (+0 and
    -0 are one), for integers the difference; in ATOL the absolute difference. Equal values, and NaN and NaN, are 0
    apart; NaN or an infinity and anything else are infinitely far.

    Upstream subtracts the raw bits of float16, so that there two values of opposite sign are at least 1,025 and, near
    zero, 32,768 apart: it fails -2^-24 where 0 is expected, which is 1 ULP off here as it is for float32. And its
    infinities are the neighbours of the largest finite values.
    """
    if actual.dtype.kind != "f":
        return _integer_distance(actual, expected)
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    comparable = np.isfinite(actual) & np.isfinite(expected)
    if metric == "ULP":
        apart = np.abs(_position(actual) - _position(expected)).astype(np.float64)
    else:
        with np.errstate(invalid="ignore", over="ignore"):
            apart = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
    return np.where(same, 0.0, np.where(comparable, apart, INCOMPARABLE))


def _position(array: Array) -> Array:
    """Number of a float among all floats of its type, counted from zero: neighbours are 1 apart, -0 is 0."""
    bits = array.view(f"i{array.dtype.itemsize}").astype(np.int64)
    magnitude = bits & ((1 << (8 * array.dtype.itemsize - 1)) - 1)
    position: Array = np.where(bits < 0, -magnitude, magnitude)
    return position


def _integer_distance(actual: Array, expected: Array) -> Array:
    low, high = np.minimum(actual, expected), np.maximum(actual, expected)
    unsigned = f"u{actual.dtype.itemsize}"
    with np.errstate(over="ignore"):  # of which numpy warns for arrays without dimensions
        apart: Array = high.view(unsigned) - low.view(unsigned)  # modulo 2^bits, in which it fits
    return apart.astype(np.float64)


def _report(
    name: str, dtype: str, actual: Array, expected: Array, distances: Array, outside: Array, tolerance: Tolerance
) -> str:
    metric = tolerance.metric if actual.dtype.kind == "f" else "difference"
    lines = [
        f"{outside.sum()} of {actual.size} elements outside {tolerance} (worst {_text(float(distances.max()))})",
        f'  output "{name}" {dtype}{list(actual.shape)}',
    ]
    order = np.argsort(-distances, axis=None, kind="stable")[: min(MAX_ROWS, int(outside.sum()))]
    rows = [("index", "actual", "expected", metric, "abs", "actual bits", "expected bits")]
    for flat in order:
        index = np.unravel_index(flat, actual.shape)
        got, want = actual[index], expected[index]
        gap = abs(float(got) - float(want)) if actual.dtype.kind == "f" else abs(int(got) - int(want))
        place = "[" + ",".join(str(int(i)) for i in index) + "]"
        rows.append((place, str(got), str(want), _text(float(distances[index])), f"{gap:.3g}", _bits(got), _bits(want)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines += ["  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    if actual.dtype.kind == "f":
        lines.append(f"  {_spread(distances)}; {_specials(actual, expected)}")
    return "\n".join(lines)


def _spread(distances: Array) -> str:
    """How many elements are how far off."""
    edges = ((0, 0), (1, 2), (3, 6), (7, 15), (16, 100), (101, 1e30), (INCOMPARABLE, INCOMPARABLE))
    parts = []
    for low, high in edges:
        count = int(((distances >= low) & (distances <= high)).sum())
        label = f"{low:g}" if low == high else f"{low:g}-{high:g}" if high < 1e30 else f">{low - 1:g}"
        parts += [f"{label}: {count}"] if count else []
    return "spread of all " + ", ".join(parts)


def _specials(actual: Array, expected: Array) -> str:
    unlike = int((np.isnan(actual) != np.isnan(expected)).sum() + (np.isinf(actual) != np.isinf(expected)).sum())
    signs = int(((actual == 0) & (expected == 0) & (np.signbit(actual) != np.signbit(expected))).sum())
    return f"NaN or infinity on one side only: {unlike}; zeros of another sign (allowed): {signs}"


def _text(distance: float) -> str:
    return "incomparable" if distance == INCOMPARABLE else f"{distance:g}"


def _bits(value: Any) -> str:
    size: int = value.dtype.itemsize
    return f"0x{int(np.asarray(value).view(f'u{size}')):0{2 * size}x}"
