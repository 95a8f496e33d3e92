"""Distances and verdicts, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.compare import compare, distance
from conformance.tolerance import Tolerance

NAN, INF = float("nan"), float("inf")


def ulp(actual: list[Any], expected: list[Any], dtype: str = "float32") -> list[float]:
    with np.errstate(over="ignore"):
        return list(distance(np.array(actual, dtype), np.array(expected, dtype), "ULP"))


def test_ulp_of_floats() -> None:
    one = np.float32(1)
    assert ulp([one, np.nextafter(one, np.float32(2)), 2], [1, 1, 1]) == [0, 1, 2**23]
    assert ulp([np.nextafter(one, np.float32(0))], [1]) == [1]
    assert ulp([-1, np.nextafter(-one, np.float32(-2))], [-1, -1]) == [0, 1]
    assert ulp([0.0, -0.0], [-0.0, 0.0]) == [0, 0]
    tiny = np.float32(2**-149)
    assert ulp([tiny, -tiny, tiny], [0, 0, -tiny]) == [1, 1, 2]
    assert ulp([1 + 2**-10, 2**-24, -(2**-24)], [1, 0, 2**-24], "float16") == [1, 1, 2]


def test_nan_and_infinities() -> None:
    assert ulp([NAN, INF, -INF], [NAN, INF, -INF]) == [0, 0, 0]
    assert ulp([NAN, 1, INF, 3.4e38, INF, NAN], [1, NAN, 3.4e38, INF, -INF, INF]) == [INF] * 6
    assert ulp([INF], [65504], "float16") == [INF]


def test_signs_of_float16_count_as_those_of_float32_not_as_raw_bits() -> None:
    assert ulp([-(2**-24)], [0.0], "float16") == [1]  # the raw bits are 0x8001 and 0x0000
    assert ulp([-0.0], [2**-24], "float16") == [1]
    assert ulp([65504], [-(2**-24)], "float16") == [0x7BFF + 1]  # raw bits: only 0x8001 - 0x7bff


@pytest.mark.parametrize(
    ("dtype", "actual", "expected", "apart"),
    [
        ("int8", 127, -128, 255),
        ("uint8", 3, 5, 2),
        ("int64", 2**63 - 1, 2**63 - 2, 1),
        ("uint64", 2**64 - 1, 2**64 - 3, 2),
        ("int64", -(2**63), 2**63 - 1, float(2**64 - 1)),
    ],
)
def test_integers_differ_by_their_difference(dtype: str, actual: int, expected: int, apart: float) -> None:
    assert distance(np.array([actual], dtype), np.array([expected], dtype), "ULP").tolist() == [apart]


def test_atol() -> None:
    assert distance(np.array([1.5], np.float16), np.array([1.25], np.float16), "ATOL").tolist() == [0.25]


def verdict(data: Any, actual: Any, allowed: float = 0, dtype: str = "float32", shape: Any = None) -> Any:
    array = np.array(actual, {"int4": "int8", "uint4": "uint8"}.get(dtype, dtype))
    shape = list(array.shape) if shape is None else shape
    expected = {"y": {"data": data, "descriptor": {"shape": shape, "dataType": dtype}}}
    return compare(expected, {"y": array}, {"y": dtype}, Tolerance("ULP", allowed))


def test_a_limit_is_inclusive() -> None:
    off_by_two = [1 + 2 * 2**-23]
    assert verdict([1.0], off_by_two, 2).passed
    failed = verdict([1.0], off_by_two, 1)
    assert (failed.passed, failed.cause, failed.worst) == (False, "MISMATCH", 2)


def test_the_report_says_what_differs() -> None:
    actual = np.ones((2, 2), np.float32)
    actual[1, 0] = np.float32(1.5)
    text = verdict([1, 1, 1, "NaN"], actual, 3).message
    lines = text.splitlines()
    assert lines[0] == "2 of 4 elements outside ULP <= 3 (worst incomparable)"
    assert lines[1] == '  output "y" float32[2, 2]'
    assert lines[2].split() == ["index", "actual", "expected", "ULP", "abs", "actual", "bits", "expected", "bits"]
    assert lines[3].split() == ["[1,1]", "1.0", "nan", "incomparable", "nan", "0x3f800000", "0x7fc00000"]
    assert lines[4].split() == ["[1,0]", "1.5", "1.0", "4.1943e+06", "0.5", "0x3fc00000", "0x3f800000"]
    assert "NaN or infinity on one side only: 1" in lines[5]
    assert len(lines) == 6


def test_the_report_shows_five_rows_at_most() -> None:
    assert len(verdict([0] * 50, [1] * 50).message.splitlines()) == 9


def test_where_one_number_is_expected_the_first_thousand_elements_count() -> None:
    actual = np.zeros((2, 1000), np.float32)
    actual[1] = 5
    assert verdict(0, actual).passed
    actual[0, 999] = 5
    assert not verdict(0, actual).passed
    assert not verdict(0, np.float32(5), shape=[]).passed


def test_type_and_shape_must_be_as_described() -> None:
    expected = {"y": {"data": [1, 1], "descriptor": {"shape": [2], "dataType": "float32"}}}
    good = np.ones(2, np.float32)
    for array, dtype, cause in (
        (good, "float16", "DTYPE"),
        (good.astype(np.float16), "float32", "DTYPE"),
        (good[None], "float32", "SHAPE"),
    ):
        result = compare(expected, {"y": array}, {"y": dtype}, Tolerance("ULP", 100))
        assert (result.passed, result.cause) == (False, cause)
        assert 'output "y"' in result.message


def test_every_output_counts_and_the_worst_is_reported() -> None:
    resource = {"data": [1.0], "descriptor": {"shape": [1], "dataType": "float32"}}
    outputs = {"a": np.array([1 + 2**-23], np.float32), "b": np.array([1 + 3 * 2**-23], np.float32)}
    dtypes = dict.fromkeys("ab", "float32")
    result = compare({"a": resource, "b": resource}, outputs, dtypes, Tolerance("ULP", 0))
    assert (result.worst, '"b"' in result.message) == (3, True)
    assert compare({"a": resource, "b": resource}, outputs, dtypes, Tolerance("ULP", 3)).worst == 3


@pytest.mark.parametrize("given", [{}, {"y": None}, {"z": np.ones(1, np.float32)}])
def test_an_output_that_is_not_there_fails(given: Any) -> None:
    expected = {"y": {"data": [1.0], "descriptor": {"shape": [1], "dataType": "float32"}}}
    result = compare(expected, given, {"y": "float32"}, Tolerance("ULP", 100))
    assert (result.passed, result.cause, result.worst) == (False, "MISMATCH", None)
    assert result.message.startswith('output "y" was not computed; outputs: ')


def test_sub_byte_types() -> None:
    assert verdict([-8, 7], [-8, 7], dtype="int4").passed
    assert not verdict([0, 15], [0, 14], dtype="uint4").passed
