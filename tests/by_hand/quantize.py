"""quantizeLinear and dequantizeLinear. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-quantizelinear, #…-dequantizelinear

Scales are powers of two or divide exactly, so that no result depends on how a quotient is rounded.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.by_hand.form import INF, Case, Tensor, count, f16, f32, fill, flat, i32, one, refused, tensor, u8

RANGE = {
    "int4": (-8, 7),
    "uint4": (0, 15),
    "int8": (-128, 127),
    "uint8": (0, 255),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
}


def _block(given: Tensor, shape: tuple[int, ...], index: tuple[int, ...]) -> Any:
    """Each element of the smaller tensor stands for a block of the larger one."""
    return given[tuple(p * small // size for p, small, size in zip(index, given.shape, shape, strict=True))]


def _quantize(name: str, x: Tensor, scale: Tensor, zero_point: Tensor) -> Case:
    """roundEven(input / scale) + zeroPoint, kept within the type. round() of a fraction is to even."""
    low, high = RANGE[zero_point.dtype]

    def element(index: tuple[int, ...]) -> int:
        step = Fraction(_block(scale, x.shape, index))
        return min(max(round(Fraction(x[index]) / step) + _block(zero_point, x.shape, index), low), high)

    expected = fill(zero_point.dtype, x.shape, element)
    return one(name, "quantizeLinear", expected, input=x, scale=scale, zeroPoint=zero_point)


def _dequantize(name: str, x: Tensor, scale: Tensor, zero_point: Tensor, ulp: int = 0) -> Case:
    """(input - zeroPoint) * scale"""

    def element(index: tuple[int, ...]) -> Fraction:
        return (x[index] - _block(zero_point, x.shape, index)) * Fraction(_block(scale, x.shape, index))

    expected = fill(scale.dtype, x.shape, element)
    return one(name, "dequantizeLinear", expected, input=x, scale=scale, zeroPoint=zero_point, ulp=ulp)


CASES: dict[str, list[Case]] = {
    "quantizeLinear": [
        one(
            "by hand: ties, both limits",
            "quantizeLinear",
            u8([128, 130, 130, 126, 0, 255]),
            input=f32([0.25, 0.75, 1.25, -0.75, -100, 100]),
            scale=f32([0.5]),
            zeroPoint=u8([128]),
        ),
        _quantize("int8, ties", f32([0.5, 1.5, 2.5, -0.5, -1.5, -2.5]), f32([1]), tensor("int8", [0])),
        # The zero point comes after the rounding: 0.5 + 1 would be 1.5 and then 2.
        _quantize("an odd zero point, ties", f32([0.5, 1.5, -0.5, 2.5]), f32([1]), tensor("int8", [1])),
        _quantize("scalar", f32(-3.25), f32(0.5), tensor("int8", -5)),
        _quantize("by column", f32([[1, 10, -7], [3, -4, 127]]), f32([[1, 2, 0.5]]), u8([[3, 0, 255]])),
        _quantize("by row", f16([[1, 10, -7], [3, -4, 127]]), f16([[4], [0.25]]), tensor("int8", [[-100], [100]])),
        _quantize(
            "blocks along both",
            count("float32", (4, 6), -12),
            f32([[1, 0.5, 4], [2, 8, 0.25]]),
            u8([[10, 20, 30], [40, 50, 60]]),
        ),
        _quantize(
            "blocks in the middle, rank 3",
            count("float32", (2, 4, 3), -11),
            f32([[[0.5], [2]]]),
            tensor("int8", [[[-3], [4]]]),
        ),
        _quantize(
            "a scale for each element",
            f16([[5, -6], [7, 8]]),
            f16([[1, 2], [4, 0.5]]),
            tensor("int8", [[1, 2], [3, 4]]),
        ),
        _quantize("uint4, both limits", f32([-9, 0.5, 3, 30]), f32([1, 1, 2, 2]), tensor("uint4", [7, 3, 0, 15])),
        _quantize("int4, blocks", f32([-9, 2.5, 3.5, 30, -1, 1]), f32([1, 2]), tensor("int4", [-1, 2])),
        _quantize("int32", f32([2.0**20, -5, 2.5]), f32([0.5]), i32([-7])),
        _quantize("uint32 above the signed range", f32([2.0**31, 5, -3]), f32([1]), tensor("uint32", [2])),
        _quantize("uint32, zero point above the signed range", f32([256, -512]), f32([1]), tensor("uint32", [2**31])),
        one("infinities", "quantizeLinear", u8([255, 0]), input=f32([INF, -INF]), scale=f32([2]), zeroPoint=u8([7])),
        _quantize(
            "constants", f32([[1, -2], [3, -4]]), f32([[0.5], [0.25]]).const(), tensor("int8", [[1], [-1]]).const()
        ),
        _quantize(
            "rank 5",
            count("float32", (1, 2, 1, 2, 3), -6),
            flat("float32", (1, 2, 1, 1, 3), [1, 2, 0.5, 4, 0.25, 1]),
            flat("uint8", (1, 2, 1, 1, 3), [1, 2, 3, 4, 5, 6]),
        ),
    ],
    "dequantizeLinear": [
        one(
            "by hand",
            "dequantizeLinear",
            f32([-64, 63.5, 0]),
            input=u8([0, 255, 128]),
            scale=f32([0.5]),
            zeroPoint=u8([128]),
        ),
        _dequantize(
            "the difference leaves the type", tensor("int8", [-128, 127]), f32([2, 0.5]), tensor("int8", [127, -128])
        ),
        _dequantize("uint8 below the zero point", u8([0, 5]), f32([1]), u8([255])),
        _dequantize("scalar, float16", tensor("int8", -5), f16(0.25), tensor("int8", 7)),
        _dequantize("by column", u8([[1, 10, 200], [255, 0, 3]]), f32([[1, 2, 0.5]]), u8([[3, 0, 255]])),
        _dequantize(
            "blocks along both",
            count("uint8", (4, 6)),
            f32([[1, 0.5, 4], [2, 8, 0.25]]),
            u8([[10, 20, 30], [40, 50, 60]]),
        ),
        _dequantize(
            "blocks in the middle, rank 3",
            count("int8", (2, 4, 3), -11),
            f16([[[0.5], [2]]]),
            tensor("int8", [[[-3], [4]]]),
        ),
        _dequantize("uint4", tensor("uint4", [0, 15, 7]), f32([0.5]), tensor("uint4", [8])),
        _dequantize(
            "int4, blocks, an odd number",
            tensor("int4", [[-8, 7, 1], [2, -3, 0], [5, -6, 4], [-1, 3, 2]]),
            f16([[2, 0.5, 1], [4, 8, 0.25]]),
            tensor("int4", [[7, -8, 0], [1, 2, 3]]),
        ),
        _dequantize("int4 scalar", tensor("int4", -8), f32(3), tensor("int4", 7)),
        _dequantize("int32", i32([-(2**20), 2**20]), f32([0.5]), i32([5])),
        _dequantize(
            "uint32 above the signed range", tensor("uint32", [2**32 - 256, 2**31]), f32([0.5]), tensor("uint32", [0])
        ),
        _dequantize("uint32, a negative difference", tensor("uint32", [5, 0]), f32([2]), tensor("uint32", [7])),
        _dequantize("a scale for each element", u8([[5, 6], [7, 8]]), f16([[1, 2], [4, 0.5]]), u8([[1, 2], [9, 40]])),
        _dequantize(
            "constant scale",
            tensor("int8", [[1, -2], [3, -4]]),
            f32([[0.5, 4]]).const(),
            tensor("int8", [[1, -1]]).const(),
        ),
        _dequantize("float16: the integer is beyond float16", i32([70000, -70000]), f16([2.0**-10]), i32([0]), ulp=1),
        _dequantize(
            "rank 5",
            count("uint8", (1, 2, 1, 2, 3)),
            flat("float32", (1, 2, 1, 1, 3), [1, 2, 0.5, 4, 0.25, 1]),
            flat("uint8", (1, 2, 1, 1, 3), [1, 2, 3, 4, 5, 6]),
        ),
    ],
}

REFUSED = [
    refused(
        "blocks that do not divide",
        "quantizeLinear",
        input=count("float32", (3, 4)),
        scale=f32([[1], [1]]),
        zeroPoint=u8([[0], [0]]),
    ),
    refused(
        "scale of another rank", "quantizeLinear", input=count("float32", (3, 4)), scale=f32([1]), zeroPoint=u8([0])
    ),
    refused(
        "zero point of another shape",
        "quantizeLinear",
        input=count("float32", (3, 4)),
        scale=f32([[1]]),
        zeroPoint=u8([[0], [0], [0]]),
    ),
    refused("scale of another type", "quantizeLinear", input=f32([1]), scale=f16([1]), zeroPoint=u8([0])),
    refused("to float32", "quantizeLinear", input=f32([1]), scale=f32([1]), zeroPoint=f32([0])),
    refused("to int64", "quantizeLinear", input=f32([1]), scale=f32([1]), zeroPoint=tensor("int64", [0])),
    refused("of int32", "quantizeLinear", input=i32([1]), scale=f32([1]), zeroPoint=u8([0])),
    refused(
        "zero point of another type", "dequantizeLinear", input=u8([1]), scale=f32([1]), zeroPoint=tensor("int8", [0])
    ),
    refused("of int64", "dequantizeLinear", input=tensor("int64", [1]), scale=f32([1]), zeroPoint=tensor("int64", [0])),
    refused("scale of int32", "dequantizeLinear", input=u8([1]), scale=i32([1]), zeroPoint=u8([0])),
    refused(
        "blocks larger than the input",
        "dequantizeLinear",
        input=u8([1, 2]),
        scale=f32([1, 1, 1, 1]),
        zeroPoint=u8([0, 0, 0, 0]),
    ),
    refused("scale of another rank", "dequantizeLinear", input=u8([1]), scale=f32(1), zeroPoint=u8(0)),
]
