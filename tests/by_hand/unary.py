"""Element-wise unary operations, and cast. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary, #…-cast"""

from __future__ import annotations

import math

from tests.by_hand.form import INF, NAN, Case, call, count, f16, f32, graph, i32, i64, one, refused, tensor, u8


def _minus_zero(op: str, value: float, expected: float) -> Case:
    """The sign of a zero is seen in its reciprocal."""
    operators = [call(op, "zero", input="x"), call("reciprocal", "output", input="zero")]
    return graph(f"{op}: the sign of zero", {"x": f32([value])}, operators, {"output": f32([expected])})


CASES: dict[str, list[Case]] = {
    "abs": [
        one("int8", "abs", tensor("int8", [127, 127, 0]), input=tensor("int8", [-127, 127, 0])),
        one("int64 beyond 2^53", "abs", i64([[2**53 + 1], [2**63 - 1]]), input=i64([[-(2**53) - 1], [1 - 2**63]])),
        one("float16", "abs", f16([INF, NAN, 0.5]), input=f16([-INF, NAN, -0.5])),
        one("scalar", "abs", i32(5), input=i32(-5)),
    ],
    "neg": [
        one("int64 beyond 2^53", "neg", i64([2**53 + 1, -(2**63) + 1]), input=i64([-(2**53) - 1, 2**63 - 1])),
        one("int8", "neg", tensor("int8", [[-127, 5]]), input=tensor("int8", [[127, -5]])),
        _minus_zero("neg", 0.0, -INF),
        one("infinities", "neg", f32([-INF, INF, NAN]), input=f32([INF, -INF, NAN])),
    ],
    "sign": [
        one(
            "NaN is neither greater nor less than 0",
            "sign",
            f32([1, -1, 0, 0, 1, -1, 0]),
            input=f32([2.5, -(2.0**-149), 0, -0.0, INF, -INF, NAN]),
        ),
        one("int8", "sign", tensor("int8", [-1, 0, 1]), input=tensor("int8", [-128, 0, 127])),
        one("int64", "sign", i64([-1, 1, 0]), input=i64([-(2**63), 2**63 - 1, 0])),
        one("float16 subnormal", "sign", f16([[1, -1]]), input=f16([[2.0**-24, -(2.0**-24)]])),
        one("int32 scalar", "sign", i32(-1), input=i32(-7)),
    ],
    "ceil": [
        one("float32", "ceil", f32([-1, 2, 0, 8388608, -INF]), input=f32([-1.5, 1.0625, -0.0, 8388607.5, -INF])),
        one("float16", "ceil", f16([1, -2, 1024]), input=f16([2.0**-24, -2.5, 1023.5])),
        _minus_zero("ceil", -0.0, -INF),
    ],
    "floor": [
        one("float32", "floor", f32([-2, 1, 0, 8388607, INF]), input=f32([-1.5, 1.9375, 0.5, 8388607.5, INF])),
        one("float16", "floor", f16([[-1], [-3]]), input=f16([[-(2.0**-24)], [-2.5]])),
        _minus_zero("floor", -0.0, -INF),
    ],
    "roundEven": [
        one(
            "the specification's own example",
            "roundEven",
            f32([-4, -2, -2, 2, 2, 4]),
            input=f32([-3.5, -2.5, -1.5, 1.5, 2.5, 3.5]),
        ),
        # The float32 below 0.5 rounds to 0, though adding 0.5 to it gives 1.
        one(
            "next to a half",
            "roundEven",
            f32([0, 1, 0, 0, 8388608, 8388606]),
            input=f32([0.5 - 2.0**-25, 0.5 + 2.0**-24, 0.5, -0.5, 8388607.5, 8388606.5]),
        ),
        one("large", "roundEven", f32([8388609, -16777215, INF, NAN]), input=f32([8388609, -16777215, INF, NAN])),
        one("float16", "roundEven", f16([1024, 1022, -2, 1025]), input=f16([1023.5, 1022.5, -2.5, 1025])),
        one("scalar", "roundEven", f16(-2), input=f16(-1.5)),
    ],
    "reciprocal": [
        one("zeros and infinities", "reciprocal", f32([INF, -INF, 0, 0.25, NAN]), input=f32([0, -0.0, INF, 4, NAN])),
        one("float16", "reciprocal", f16([1 / 3, -INF, 2.0**-15]), input=f16([3, -(2.0**-24), 32768]), ulp=1),
        one("scalar", "reciprocal", f32(-0.125), input=f32(-8)),
    ],
    "sqrt": [
        one("edges", "sqrt", f32([0, INF, NAN, 1.5, math.sqrt(2)]), input=f32([0, INF, -1, 2.25, 2]), ulp=1),
        one("float16", "sqrt", f16([math.sqrt(65504), 2.0**-12, NAN]), input=f16([65504, 2.0**-24, -INF]), ulp=1),
        one(
            "rank 8",
            "sqrt",
            tensor("float32", [[[[[[[[2.0], [3.0]]]]]]]]),
            input=tensor("float32", [[[[[[[[4.0], [9.0]]]]]]]]),
        ),
    ],
    "exp": [
        one("edges", "exp", f32([0, INF, 1, math.e, math.exp(-20), INF]), input=f32([-INF, INF, 0, 1, -20, 89]), ulp=2),
        one(
            "float16 overflows, and is subnormal",
            "exp",
            f16([INF, math.exp(11), 2.0**-24]),
            input=f16([12, 11, -16.625]),
            ulp=1,
        ),
        one("scalar", "exp", f32(math.exp(2.5)), input=f32(2.5), ulp=2),
    ],
    "log": [
        one("edges", "log", f32([-INF, 0, INF, NAN, math.log(10)]), input=f32([0, 1, INF, -1, 10]), ulp=2),
        one(
            "next to 1",
            "log",
            f32([math.log1p(2.0**-23), math.log1p(-(2.0**-24))]),
            input=f32([1 + 2.0**-23, 1 - 2.0**-24]),
            ulp=2,
        ),
        one("float16", "log", f16([math.log(2.0**-24), math.log(65504)]), input=f16([2.0**-24, 65504]), ulp=1),
    ],
    "sin": [
        one("large", "sin", f32([math.sin(1000), math.sin(-1e5), 0]), input=f32([1000, -1e5, 0]), ulp=4),
        one("small", "sin", f32([2.0**-20, -(2.0**-126)]), input=f32([2.0**-20, -(2.0**-126)]), ulp=1),
        one("float16", "sin", f16([math.sin(100), math.sin(-0.5), NAN]), input=f16([100, -0.5, INF]), ulp=1),
    ],
    "cos": [
        one("large", "cos", f32([math.cos(1000), math.cos(-1e5), 1]), input=f32([1000, -1e5, 0]), ulp=4),
        one("float16", "cos", f16([math.cos(100), math.cos(0.5), NAN]), input=f16([100, -0.5, -INF]), ulp=1),
        one("scalar", "cos", f32(math.cos(3)), input=f32(3), ulp=2),
    ],
    "tan": [
        one("large", "tan", f32([math.tan(1000), math.tan(1.5), 0]), input=f32([1000, 1.5, 0]), ulp=4),
        one("float16", "tan", f16([math.tan(100), math.tan(-0.5), NAN]), input=f16([100, -0.5, INF]), ulp=1),
        one("small", "tan", f32([[2.0**-20]]), input=f32([[2.0**-20]]), ulp=1),
    ],
    "erf": [
        one("edges", "erf", f32([-1, 1, 0, NAN, math.erf(1)]), input=f32([-INF, INF, 0, NAN, 1]), ulp=2),
        one(
            "small", "erf", f32([math.erf(2.0**-20), math.erf(-(2.0**-10))]), input=f32([2.0**-20, -(2.0**-10)]), ulp=2
        ),
        one(
            "float16",
            "erf",
            f16([[math.erf(-0.25), math.erf(2)], [-1, math.erf(2.0**-14)]]),
            input=f16([[-0.25, 2], [-6, 2.0**-14]]),
            ulp=1,
        ),
    ],
    "identity": [
        one("uint64", "identity", tensor("uint64", [2**64 - 1, 2**63]), input=tensor("uint64", [2**64 - 1, 2**63])),
        one("int64 scalar", "identity", i64(-(2**53) - 1), input=i64(-(2**53) - 1)),
        one("a constant", "identity", tensor("uint32", [[2**32 - 1]]), input=tensor("uint32", [[2**32 - 1]]).const()),
        one(
            "float16 NaN and infinities",
            "identity",
            f16([NAN, INF, -INF, 2.0**-24]),
            input=f16([NAN, INF, -INF, 2.0**-24]),
        ),
        one(
            "int8, rank 6",
            "identity",
            count("int8", (1, 2, 1, 3, 1, 2), -6),
            input=count("int8", (1, 2, 1, 3, 1, 2), -6),
        ),
    ],
}

DOUBLE = 2**63 + 2**39 + 1
"""Half-way between two float32 values but for the 1, which a float64 in between would lose."""

CASES["cast"] = [
    one(
        "float32 to int32 is cut off",
        "cast",
        i32([-2, 3, 0, 0, -2147483648]),
        input=f32([-2.75, 3.9375, -0.5, 0.5, -(2.0**31)]),
        type="int32",
    ),
    one(
        "float32 to int8 and its limits",
        "cast",
        tensor("int8", [-128, 127, -1]),
        input=f32([-128.5, 127.5, -1.5]),
        type="int8",
    ),
    one("float32 to uint8 and its limits", "cast", u8([255, 0, 200]), input=f32([255.5, -0.5, 200]), type="uint8"),
    one(
        "float32 to uint32 above the signed range",
        "cast",
        tensor("uint32", [3 * 10**9, 2**32 - 256]),
        input=f32([3e9, 2.0**32 - 256]),
        type="uint32",
    ),
    one(
        "float32 to uint64 above the signed range",
        "cast",
        tensor("uint64", [2**63, 2**64 - 2**40]),
        input=f32([2.0**63, 2.0**64 - 2.0**40]),
        type="uint64",
    ),
    one(
        "float32 to int64",
        "cast",
        i64([-(2**63), 2**63 - 2**39, -16777217 + 1]),
        input=f32([-(2.0**63), 2.0**63 - 2.0**39, -16777216]),
        type="int64",
    ),
    one(
        "float16 to int64 and unsigned", "cast", i64([65504, -65504, 0]), input=f16([65504, -65504, -0.5]), type="int64"
    ),
    one(
        "float16 to uint32",
        "cast",
        tensor("uint32", [[65504], [2]]),
        input=f16([[65504], [2.998046875]]),
        type="uint32",
    ),
    one(
        "float32 to float16, ties and overflow",
        "cast",
        f16([1, 1.001953125, 65504, INF, -INF, 0]),
        input=f32([1 + 2.0**-11, 1 + 3 * 2.0**-11, 65519, 65520, -(2.0**100), 2.0**-25]),
        type="float16",
    ),
    one("float16 to float32", "cast", f32([2.0**-24, -INF, NAN]), input=f16([2.0**-24, -INF, NAN]), type="float32"),
    one("int32 to uint8: the low bits", "cast", u8([44, 255, 0, 128]), input=i32([300, -1, 256, -128]), type="uint8"),
    one(
        "int32 to int8: the low bits",
        "cast",
        tensor("int8", [-128, 127, -56, 0]),
        input=i32([128, -129, 200, 2**31 - 256]),
        type="int8",
    ),
    one(
        "int8 to uint64: sign extended",
        "cast",
        tensor("uint64", [2**64 - 1, 2**64 - 128, 127]),
        input=tensor("int8", [-1, -128, 127]),
        type="uint64",
    ),
    one(
        "int8 to uint32: sign extended",
        "cast",
        tensor("uint32", [2**32 - 1, 127]),
        input=tensor("int8", [-1, 127]),
        type="uint32",
    ),
    one("uint8 to int8", "cast", tensor("int8", [-56, -1, 127]), input=u8([200, 255, 127]), type="int8"),
    one(
        "uint32 to int64 is not negative",
        "cast",
        i64([2**32 - 1, 2**31]),
        input=tensor("uint32", [2**32 - 1, 2**31]),
        type="int64",
    ),
    one(
        "uint32 to int8 and int32",
        "cast",
        tensor("int8", [-1, -128]),
        input=tensor("uint32", [2**32 - 1, 2**31 + 128]),
        type="int8",
    ),
    one("uint32 to int32", "cast", i32([-1, -(2**31)]), input=tensor("uint32", [2**32 - 1, 2**31]), type="int32"),
    one("uint64 to int64", "cast", i64([-1, -(2**63)]), input=tensor("uint64", [2**64 - 1, 2**63]), type="int64"),
    one(
        "uint64 to int32: the low bits",
        "cast",
        i32([-1, 5]),
        input=tensor("uint64", [2**64 - 1, 2**63 + 5]),
        type="int32",
    ),
    one(
        "int64 to int32: the low bits",
        "cast",
        i32([5, -1, -(2**31)]),
        input=i64([2**32 + 5, 2**40 - 1, 2**31]),
        type="int32",
    ),
    one(
        "int64 to uint32: the low bits",
        "cast",
        tensor("uint32", [2**32 - 1, 2**31]),
        input=i64([-1, -(2**31)]),
        type="uint32",
    ),
    one(
        "int32 to float32, ties",
        "cast",
        f32([16777216, 16777220, -16777216]),
        input=i32([16777217, 16777219, -16777217]),
        type="float32",
    ),
    one(
        "int64 to float32 is rounded once",
        "cast",
        f32([2.0**62 + 2.0**39]),
        input=i64([2**62 + 2**38 + 1]),
        type="float32",
    ),
    one(
        "uint64 to float32 is rounded once",
        "cast",
        f32([2.0**63 + 2.0**40, 2.0**64]),
        input=tensor("uint64", [DOUBLE, 2**64 - 1]),
        type="float32",
    ),
    one(
        "uint32 to float32", "cast", f32([2.0**32, 2.0**31]), input=tensor("uint32", [2**32 - 1, 2**31]), type="float32"
    ),
    one(
        "integers beyond float16",
        "cast",
        f16([65504, INF, -INF, 2048]),
        input=i32([65519, 65520, -70000, 2049]),
        type="float16",
    ),
    one("uint32 beyond float16", "cast", f16([INF, 1]), input=tensor("uint32", [2**32 - 1, 1]), type="float16"),
    one("int64 beyond float16", "cast", f16([-INF, 65504]), input=i64([-(2**62), 65519]), type="float16"),
    one("uint8 scalar to float16", "cast", f16(255), input=u8(255), type="float16"),
]

REFUSED = [
    refused("of uint8", "abs", input=u8([1])),
    refused("of uint32", "neg", input=tensor("uint32", [1])),
    refused("of uint64", "sign", input=tensor("uint64", [1])),
    refused("of int32", "exp", input=i32([1])),
    refused("of int8", "roundEven", input=tensor("int8", [1])),
    refused("of int64", "reciprocal", input=i64([1])),
    refused("of int32", "sqrt", input=i32([1])),
    refused("to a type that is none", "cast", input=f32([1]), type="float64"),
    refused("without a type", "cast", input=f32([1])),
]
