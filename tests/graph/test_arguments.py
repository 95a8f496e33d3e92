"""Numbers, lists and words as arguments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from trtx_backend.errors import ArgumentError
from trtx_backend.graph import arguments


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (300, "uint8", 255),
        (-1, "uint8", 0),
        (-129, "int8", -128),
        (2**64, "uint64", 2**64 - 1),
        (2**53 + 1, "int64", 2**53 + 1),
        (-math.inf, "int64", -(2**63)),
        (math.inf, "uint32", 2**32 - 1),
        (math.nan, "int32", 0),
        (3.9, "int64", 3),
        (-3.9, "int64", -3),
        (0.1, "float32", float(np.float32(0.1))),
        (1e39, "float32", math.inf),
        (65520, "float16", math.inf),
        (65519, "float16", 65504.0),
        (10**400, "float32", math.inf),
        (-(10**400), "float32", -math.inf),
        (np.int64(7), "int8", 7),
    ],
)
def test_numbers_are_cast(value: Any, dtype: str, expected: float) -> None:
    assert arguments.number("n", value, dtype) == expected


@pytest.mark.parametrize("value", ["1", None, True, [1]])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(ArgumentError, match="must be a number"):
        arguments.number("n", value, "float32")


def test_axes() -> None:
    assert arguments.axes("axes", None, 3) == (0, 1, 2)
    assert arguments.axes("axes", [2, 0], 3) == (2, 0)
    assert arguments.axes("axes", [], 3) == ()
    with pytest.raises(ArgumentError, match="less than the input's rank, 3"):
        arguments.axes("axes", [3], 3)
    with pytest.raises(ArgumentError, match="named twice"):
        arguments.axes("axes", [1, 1], 3)
    with pytest.raises(ArgumentError, match="must be less than the input's rank, 2"):
        arguments.axis("axis", 2, 2)


def test_lists_have_their_length_and_least_value() -> None:
    assert arguments.unsigned_list("padding", (1, 2), length=2) == (1, 2)
    with pytest.raises(ArgumentError, match="must have 4 items"):
        arguments.unsigned_list("padding", (1, 2), length=4)
    with pytest.raises(ArgumentError, match=r"strides\[1\] is 0: must be from 1"):
        arguments.unsigned_list("strides", (1, 0), least=1)
    with pytest.raises(ArgumentError, match="must be from 0 to 4294967295"):
        arguments.unsigned("n", 2**32)


def test_words_doubles_and_truth_values() -> None:
    assert arguments.choice("layout", "nchw", ("nchw", "nhwc")) == "nchw"
    with pytest.raises(ArgumentError, match="must be one of nchw, nhwc"):
        arguments.choice("layout", "NCHW", ("nchw", "nhwc"))
    assert arguments.double("alpha", 1) == 1.0
    with pytest.raises(ArgumentError, match="must be finite"):
        arguments.double("alpha", math.nan)
    assert arguments.boolean("keep", True) is True
    with pytest.raises(ArgumentError, match="must be True or False"):
        arguments.boolean("keep", 1)
