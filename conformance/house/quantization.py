"""quantizeLinear and dequantizeLinear."""

from __future__ import annotations

from typing import Any

from conformance.house.elementwise import corners
from conformance.house.extremes import SUBNORMAL
from conformance.house.spec import T, case, f16, f32, of, op
from trtx_backend.dtypes import DATA_TYPES, FLOATS

Cases = dict[str, list[dict[str, Any]]]

TYPES = ("int8", "uint8", "int32", "uint32", "int4", "uint4")


def cases() -> Cases:
    return {"quantizeLinear": _quantize(), "dequantizeLinear": _dequantize()}


def _quantize() -> list[dict[str, Any]]:
    def one(name: str, x: T, scale: T, zero: T) -> dict[str, Any]:
        return case(name, op("quantizeLinear", input=x, scale=scale, zeroPoint=zero))

    ties = of("float32", 0.5, 1.5, 2.5, -0.5, -1.5, 3.5)
    made = [
        one(f"{d}, one scale", f32(2, 3), of("float32", 0.25, shape=(1, 1)), of(d, 3, shape=(1, 1)).constant)
        for d in TYPES
    ]
    made += [
        one(f"{d} saturates", of("float32", -1e6, 1e6, 0), of("float32", 0.5), of(d, 1)) for d in TYPES if "32" not in d
    ]
    for d in TYPES:
        ends = of(d, DATA_TYPES[d].min, DATA_TYPES[d].max, DATA_TYPES[d].min, DATA_TYPES[d].max)
        made.append(one(f"{d}, extreme zero points", of("float32", 0, 0, -3, 3), of("float32", 1, 1, 1, 1), ends))
    made += [
        one("ties go to even, float16", of("float16", 0.5, 1.5, 2.5, -0.5, -1.5, 3.5), of("float16", 1), of("int8", 0)),
        one("ties go to even", ties, of("float32", 1), of("int8", 0)),
        one("ties go to even before the zero point", ties, of("float32", 1), of("uint8", 101)),
        one("one scale a column", f32(2, 3), f32(1, 3, values=[0.5, 0.25, 2]).constant, of("int8", 1, -2, 3, shape=(1, 3)).constant),
        one("blocks along both axes", f32(4, 6), f32(2, 3, values=[0.5, 0.25, 2]).constant, T("uint8", (2, 3)).constant),
        one("blocks, scales as inputs", f32(4, 2), f32(2, 1, values=[0.5, 0.25]), T("int8", (2, 1))),
        one("0-D", of("float32", 3.3, shape=()), of("float32", 0.1, shape=()), of("int8", -7, shape=())),
        one("float16", f16(2, 2), f16(1, 2, values=[0.5, 0.125]).constant, of("uint8", 128, 7, shape=(1, 2)).constant),
        one("an odd number of int4", f32(3), of("float32", 0.5).constant, of("int4", -1).constant),
        one("infinities saturate", of("float32", "Infinity", "-Infinity"), of("float32", 1), of("int8", 5)),
        one("int32, a sum beyond float32's digits", of("float32", 2**25, -(2**25)), of("float32", 1), of("int32", 3)),
        one("int32, quotients beyond it that the zero point brings back", of("float32", -3e9, 3e9), of("float32", 1, 1), of("int32", 2**31 - 1, -(2**31))),
        one("uint32 above the signed range", of("float32", 3e9, 0, 5e9), of("float32", 1, 1, 1), of("uint32", 0, 3 * 10**9, 0)),
    ]  # fmt: skip
    return made


def _dequantize() -> list[dict[str, Any]]:
    def one(name: str, x: T, scale: T, zero: T) -> dict[str, Any]:
        return case(name, op("dequantizeLinear", input=x, scale=scale, zeroPoint=zero))

    made = [one(f"{d} at its limits", of(d, *corners(d)), of("float32", 0.25), of(d, 2)) for d in TYPES if "4" not in d]
    made += [
        one(
            f"{d}, all values",
            of(d, *range(int(DATA_TYPES[d].min), int(DATA_TYPES[d].max) + 1)),
            of("float32", 0.5),
            of(d, 3),
        )
        for d in TYPES
        if "4" in d
    ]
    for d in FLOATS:
        scales = of(d, "NaN", "Infinity", "-Infinity", -0.0, *SUBNORMAL[d])
        made.append(
            one(
                f"{d} scales, special values",
                of("int8", *[2] * len(scales.values or ())),
                scales,
                T("int8", scales.shape, (1,)),
            )
        )
    made += [
        one("one scale a row", T("int8", (2, 3)), f32(2, 1, values=[0.5, 0.25]).constant, of("int8", 1, -2, shape=(2, 1)).constant),
        one("blocks along both axes", T("uint8", (4, 6)), f32(2, 3, values=[0.5, 0.25, 2]).constant, T("uint8", (2, 3)).constant),
        one("blocks, scales as inputs", T("int8", (2, 6)), f32(1, 2), T("int8", (1, 2))),
        one("int4 blocks", T("int4", (2, 4)), f32(2, 2).constant, T("int4", (2, 2)).constant),
        one("0-D", of("uint8", 200, shape=()), of("float32", 0.1, shape=()), of("uint8", 3, shape=())),
        one("float16", T("int8", (4,)), f16(1, values=[0.125]), of("int8", 1)),
        one("constants", T("uint8", (2, 2)).constant, f32(1, 1).constant, T("uint8", (1, 1)).constant),
        case("back and forth", op("quantizeLinear", "q", input=f32(4), scale=of("float32", 0.5).constant, zeroPoint=of("int8", 2).constant),
             op("dequantizeLinear", input="q", scale=of("float32", 0.5).constant, zeroPoint=of("int8", 2).constant)),
    ]  # fmt: skip
    return made
