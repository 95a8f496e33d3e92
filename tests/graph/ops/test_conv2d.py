"""conv2d: output shapes and checks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graph.ops.shapes import operands


@pytest.mark.parametrize(
    ("input", "filter", "options", "expected"),
    [
        ([1, 1, 5, 5], [1, 1, 3, 3], {}, (1, 1, 3, 3)),
        ([2, 3, 7, 9], [4, 3, 3, 2], {"strides": [2, 3], "padding": [1, 0, 2, 1]}, (2, 4, 3, 4)),
        ([1, 7, 9, 3], [3, 2, 3, 4], {"input_layout": "nhwc", "filter_layout": "hwio"}, (1, 5, 8, 4)),
        ([1, 7, 9, 3], [4, 3, 2, 3], {"input_layout": "nhwc", "filter_layout": "ohwi"}, (1, 5, 8, 4)),
        ([1, 3, 7, 9], [3, 3, 2, 4], {"filter_layout": "ihwo"}, (1, 4, 5, 8)),
        ([1, 4, 5, 5], [8, 2, 3, 3], {"groups": 2, "dilations": [2, 1]}, (1, 8, 1, 3)),
        ([1, 4, 5, 5], [4, 1, 5, 5], {"groups": 4}, (1, 4, 1, 1)),
    ],
)
def test_shapes(input: list[int], filter: list[int], options: dict[str, Any], expected: tuple[int, ...]) -> None:
    b, x, f = operands(input, filter)
    assert b.conv2d(x, f, **options).shape == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"padding": [0, 0]}, "padding is [0, 0]: must have 4 items"),
        ({"strides": [0, 1]}, "strides[0] is 0: must be from 1"),
        ({"strides": [1]}, "strides is [1]: must have 2 items"),
        ({"dilations": [1, 0]}, "dilations[1] is 0: must be from 1"),
        ({"groups": 0}, "groups is 0: must be from 1"),
        ({"groups": 3}, "groups is 3: must divide the 4 input channels"),
        ({"groups": 2}, "its 4 input channels (oihw) must be the input's 4 / groups 2"),
        ({"input_layout": "nchwx"}, "input_layout is 'nchwx': must be one of nchw, nhwc"),
        ({"filter_layout": "iohw"}, "filter_layout is 'iohw': must be one of oihw, hwio, ohwi, ihwo"),
        ({"dilations": [3, 1]}, "its effective height 7 exceeds the padded input's 5"),
        ({"bias": "wrong"}, "the shape must be [6], one value an output channel"),
    ],
)
def test_checks(options: dict[str, Any], message: str) -> None:
    b, x, f, bias = operands([1, 4, 5, 5], [6, 4, 3, 3], [4])
    if "bias" in options:
        options = {"bias": bias}
    with pytest.raises(TypeError) as error:
        b.conv2d(x, f, **options)
    assert str(error.value).startswith("conv2d: ")
    assert message in str(error.value)


def test_output_channels_divide_by_groups() -> None:
    b, x, f = operands([1, 4, 5, 5], [3, 2, 1, 1])
    with pytest.raises(TypeError, match="must divide the filter's 3 output channels"):
        b.conv2d(x, f, groups=2)


def test_types_and_ranks() -> None:
    b, x, f = operands([4, 5, 5], [6, 4, 3, 3])
    with pytest.raises(TypeError, match="the rank must be 4"):
        b.conv2d(x, f)
    b, x, f = operands([1, 4, 5, 5], [6, 4, 3, 3], dtype="int32")
    with pytest.raises(TypeError, match="the data type must be one of float32, float16"):
        b.conv2d(x, f)
