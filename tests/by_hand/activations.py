"""Activations, clamp and prelu. Spec: the section of each operator, https://www.w3.org/TR/webnn/#api-mlgraphbuilder-elu …

The values come from the sections' formulas in Python's float64; the tolerances are WPT's.
"""

from __future__ import annotations

import math

from tests.by_hand.form import INF, NAN, Case, count, f16, f32, fill, i32, i64, one, refused, tensor, u8


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def gelu(x: float) -> float:
    """0.5 x (1 + erf(x / sqrt 2)), where 1 + erf(-y) is erfc(y)."""
    return 0.5 * x * math.erfc(-x / math.sqrt(2))


def elu(x: float, alpha: float) -> float:
    return max(0.0, x) + alpha * math.expm1(min(0.0, x))


CASES: dict[str, list[Case]] = {
    "clamp": [
        one(
            "least alone", "clamp", f32([-1.5, -1.5, 0, INF]), input=f32([-INF, -2, 0, INF]), options={"minValue": -1.5}
        ),
        one(
            "greatest alone, float16",
            "clamp",
            f16([[-INF], [0.25], [0.25]]),
            input=f16([[-INF], [0.25], [INF]]),
            options={"maxValue": 0.25},
        ),
        one("both the same", "clamp", f32([2, 2, 2]), input=f32([-1, 2, 3]), options={"minValue": 2, "maxValue": 2}),
        one("no bounds", "clamp", f32([-INF, 7]), input=f32([-INF, 7])),
        one(
            "infinite bounds",
            "clamp",
            f32([-INF, 7, INF]),
            input=f32([-INF, 7, INF]),
            options={"minValue": -INF, "maxValue": INF},
        ),
        one("NaN stays", "clamp", f32([NAN, 1]), input=f32([NAN, 5]), options={"minValue": 0, "maxValue": 1}),
        one(
            "int64 beyond 2^53",
            "clamp",
            i64([2**53 + 1, 2**53 + 2, 2**53 + 3]),
            input=i64([2**53, 2**53 + 2, 2**53 + 4]),
            options={"minValue": 2**53 + 1, "maxValue": 2**53 + 3},
        ),
        one(
            "uint64 above the signed range",
            "clamp",
            tensor("uint64", [2**63 + 1, 2**63 + 2, 2**64 - 2]),
            input=tensor("uint64", [1, 2**63 + 2, 2**64 - 1]),
            options={"minValue": 2**63 + 1, "maxValue": 2**64 - 2},
        ),
        one(
            "uint32, least alone",
            "clamp",
            tensor("uint32", [5, 2**32 - 1, 2**31]),
            input=tensor("uint32", [1, 2**32 - 1, 2**31]),
            options={"minValue": 5},
        ),
        one(
            "uint32 above the signed range",
            "clamp",
            tensor("uint32", [2**31 + 1, 2**32 - 2, 2**31 + 5]),
            input=tensor("uint32", [7, 2**32 - 1, 2**31 + 5]),
            options={"minValue": 2**31 + 1, "maxValue": 2**32 - 2},
        ),
        one(
            "uint32, greatest within the signed range",
            "clamp",
            tensor("uint32", [1, 7, 7]),
            input=tensor("uint32", [1, 2**32 - 1, 2**31]),
            options={"maxValue": 7},
        ),
        one(
            "bounds beyond the type",
            "clamp",
            u8([0, 128, 255]),
            input=u8([0, 128, 255]),
            options={"minValue": -5, "maxValue": 1000},
        ),
        one(
            "int8, negative bounds",
            "clamp",
            tensor("int8", [[-100, -50], [-50, -100]]),
            input=tensor("int8", [[-128, -50], [127, -101]]),
            options={"minValue": -100, "maxValue": -50},
        ),
        one(
            "infinite bounds of int32",
            "clamp",
            i32([-(2**31), 2**31 - 1]),
            input=i32([-(2**31), 2**31 - 1]),
            options={"minValue": -INF, "maxValue": INF},
        ),
        one("scalar", "clamp", f16(1), input=f16(3), options={"minValue": -1, "maxValue": 1}),
        # 0.1 as float32 is the float32 next to it; that of the input is the one above.
        one("the bound is rounded to the type", "clamp", f32([0.1]), input=f32([0.125]), options={"maxValue": 0.1}),
        one(
            "a bound beyond float16 is infinite",
            "clamp",
            f16([65504, INF]),
            input=f16([65504, INF]),
            options={"maxValue": 70000},
        ),
    ],
    "elu": [
        one(
            "default",
            "elu",
            f32([elu(x, 1) for x in (-2, -0.0009765625, 0, 3, -100)]),
            input=f32([-2, -0.0009765625, 0, 3, -100]),
            ulp=18,
        ),
        one(
            "negative alpha",
            "elu",
            f32([-2 * math.expm1(-1), 1, 2]),
            input=f32([-1, 1, -INF]),
            options={"alpha": -2},
            ulp=18,
        ),
        one(
            "float16, large alpha",
            "elu",
            f16([[elu(-0.5, 100)], [2.5], [-100]]),
            input=f16([[-0.5], [2.5], [-INF]]),
            options={"alpha": 100},
            ulp=18,
        ),
        one("alpha 0, and infinity", "elu", f32([0, INF, NAN]), input=f32([-5, INF, NAN]), options={"alpha": 0}),
        one("scalar", "elu", f32(elu(-1.5, 0.25)), input=f32(-1.5), options={"alpha": 0.25}, ulp=18),
    ],
    "gelu": [
        one("float32", "gelu", f32([gelu(x) for x in (-2, -0.5, 0, 0.5, 4)]), input=f32([-2, -0.5, 0, 0.5, 4]), ulp=18),
        one("float16", "gelu", f16([[gelu(-1.25), gelu(2.75)]]), input=f16([[-1.25, 2.75]]), ulp=18),
        one("infinity and NaN", "gelu", f32([INF, NAN, 100]), input=f32([INF, NAN, 100])),
        one("small", "gelu", f32([gelu(2.0**-20), gelu(-(2.0**-20))]), input=f32([2.0**-20, -(2.0**-20)]), ulp=18),
        one("far below 0", "gelu", f32([gelu(-4), gelu(-5), gelu(-8)]), input=f32([-4, -5, -8]), ulp=18),
        one("far below 0, float16", "gelu", f16([gelu(-3), gelu(-4.5)]), input=f16([-3, -4.5]), ulp=18),
        one("scalar", "gelu", f32(gelu(1)), input=f32(1), ulp=18),
    ],
    "hardSigmoid": [
        one("default", "hardSigmoid", f32([0, 0.3, 0.5, 0.9, 1]), input=f32([-3, -1, 0, 2, 4]), ulp=2),
        one(
            "negative alpha",
            "hardSigmoid",
            f32([1, 0.75, 0.25, 0]),
            input=f32([-4, -1, 0, 4]),
            options={"alpha": -0.5, "beta": 0.25},
        ),
        one("alpha 0, beta above 1", "hardSigmoid", f16([1, 1]), input=f16([-7, 7]), options={"alpha": 0, "beta": 1.5}),
        one("infinities", "hardSigmoid", f32([1, 0, NAN]), input=f32([INF, -INF, NAN])),
        one("scalar, float16", "hardSigmoid", f16(0.625), input=f16(0.5), options={"alpha": 0.25}),
    ],
    "hardSwish": [
        one("float32", "hardSwish", f32([0, 0, -1 / 3, 0, 2 / 3, 3, 7]), input=f32([-5, -3, -1, 0, 1, 3, 7]), ulp=4),
        one("float16", "hardSwish", f16([[-0.375], [2.5 * 5.5 / 6]]), input=f16([[-1.5], [2.5]]), ulp=4),
        # x * 6 is beyond float16, but x is not.
        one("float16, large", "hardSwish", f16([65504, 30000]), input=f16([65504, 30000]), ulp=4),
        one("infinity and NaN", "hardSwish", f32([INF, NAN]), input=f32([INF, NAN])),
        one("scalar", "hardSwish", f32(-0.375), input=f32(-1.5), ulp=4),
    ],
    "leakyRelu": [
        one("default", "leakyRelu", f32([-0.02, 0, 3]), input=f32([-2, 0, 3]), ulp=1),
        one("alpha above 1", "leakyRelu", f32([-8, 3, -INF]), input=f32([-2, 3, -INF]), options={"alpha": 4}),
        one(
            "negative alpha",
            "leakyRelu",
            f16([[1], [3], [INF]]),
            input=f16([[-2], [3], [-INF]]),
            options={"alpha": -0.5},
        ),
        one("alpha 0 and infinity", "leakyRelu", f32([0, INF, NAN]), input=f32([-2, INF, NAN]), options={"alpha": 0}),
        one("scalar", "leakyRelu", f32(-0.5), input=f32(-2), options={"alpha": 0.25}),
    ],
    "linear": [
        one("default", "linear", f32([-2, 0, 3]), input=f32([-2, 0, 3])),
        one(
            "both", "linear", f32([[11], [-5], [INF]]), input=f32([[-2], [2], [-INF]]), options={"alpha": -4, "beta": 3}
        ),
        one("alpha 0", "linear", f32([0.5, 0.5, NAN]), input=f32([7, -7, INF]), options={"alpha": 0, "beta": 0.5}),
        one(
            "float16: the product is beyond float16",
            "linear",
            f16([50016, -30000]),
            input=f16([40000, 0]),
            options={"alpha": 2, "beta": -30000},
            ulp=2,
        ),
        # 1.0009765625 * 3 is 3.0029296875, half-way between float16 values: the sum needs what is behind.
        one(
            "float16: the product needs more digits",
            "linear",
            f16([0.0029296875]),
            input=f16([1.0009765625]),
            options={"alpha": 3, "beta": -3},
            ulp=2,
        ),
        one("float16", "linear", f16([[2.5, -1]]), input=f16([[1, -6]]), options={"alpha": 0.5, "beta": 2}),
        one("scalar", "linear", f32(-1), input=f32(2), options={"beta": -3}),
    ],
    "relu": [
        one("int64 beyond 2^53", "relu", i64([0, 2**53 + 1, 0]), input=i64([-(2**53) - 1, 2**53 + 1, -(2**63)])),
        one("int8", "relu", tensor("int8", [[0, 127], [0, 1]]), input=tensor("int8", [[-128, 127], [-1, 1]])),
        one("infinities and NaN", "relu", f32([0, INF, NAN, 0]), input=f32([-INF, INF, NAN, -0.0])),
        one("float16 scalar", "relu", f16(0), input=f16(-(2.0**-24))),
        one("int32", "relu", i32([0, 2**31 - 1]), input=i32([-(2**31), 2**31 - 1])),
    ],
    "sigmoid": [
        one(
            "float32", "sigmoid", f32([sigmoid(x) for x in (-20, -1, 0, 2, 30)]), input=f32([-20, -1, 0, 2, 30]), ulp=34
        ),
        one("infinities", "sigmoid", f32([0, 1, NAN]), input=f32([-INF, INF, NAN])),
        one("float16", "sigmoid", f16([[sigmoid(-5.5)], [sigmoid(0.25)]]), input=f16([[-5.5], [0.25]]), ulp=10),
        one("subnormal results", "sigmoid", f32([sigmoid(-95)]), input=f32([-95]), ulp=34),
        one("subnormal results, float16", "sigmoid", f16([sigmoid(-11.5)]), input=f16([-11.5]), ulp=10),
        one("far from 0", "sigmoid", f32([sigmoid(-80), 1]), input=f32([-80, 200]), ulp=34),
    ],
    "softplus": [
        one(
            "float32",
            "softplus",
            f32([math.log1p(math.exp(x)) for x in (-3, -1, 0, 2, 15)]),
            input=f32([-3, -1, 0, 2, 15]),
            ulp=18,
        ),
        one("exp(x) is beyond the type", "softplus", f32([100, 1000, INF]), input=f32([100, 1000, INF]), ulp=18),
        one(
            "float16: exp(x) is beyond the type",
            "softplus",
            f16([[12], [65504], [math.log1p(math.exp(-4))]]),
            input=f16([[12], [65504], [-4]]),
            ulp=18,
        ),
        one("exp(x) vanishes beside 1", "softplus", f32([math.exp(-20), 0]), input=f32([-20, -INF]), ulp=18),
        one("scalar", "softplus", f32(math.log(2)), input=f32(0), ulp=18),
    ],
    "softsign": [
        one("float32", "softsign", f32([-0.75, 0, 0.5, 0.2]), input=f32([-3, 0, 1, 0.25]), ulp=3),
        one("float16, large", "softsign", f16([[65504 / 65505], [-0.75]]), input=f16([[65504], [-3]]), ulp=3),
        one("float32, large", "softsign", f32([1, -1, NAN]), input=f32([2.0**127, -(2.0**127), NAN]), ulp=3),
        one("scalar", "softsign", f32(-0.5), input=f32(-1), ulp=3),
    ],
    "tanh": [
        one(
            "float32",
            "tanh",
            f32([math.tanh(x) for x in (-2, -0.5, 0, 1.25, 20)]),
            input=f32([-2, -0.5, 0, 1.25, 20]),
            ulp=16,
        ),
        one("small", "tanh", f32([2.0**-20, -(2.0**-120)]), input=f32([2.0**-20, -(2.0**-120)]), ulp=16),
        one("infinities", "tanh", f32([-1, 1, NAN]), input=f32([-INF, INF, NAN])),
        one("float16", "tanh", f16([[math.tanh(-0.75), math.tanh(3)]]), input=f16([[-0.75, 3]]), ulp=16),
    ],
    "prelu": [
        one(
            "slope by channel",
            "prelu",
            fill("float32", (2, 3, 2), lambda i: (6 * i[0] + 2 * i[1] + i[2] - 6) * (1 if i[0] else i[1] + 1)),
            input=count("float32", (2, 3, 2), -6),
            slope=f32([[1], [2], [3]]),
        ),
        one(
            "the slope is the larger one",
            "prelu",
            f32([[-2, 3], [4, 3], [0, 3]]),
            input=f32([-2, 3]),
            slope=f32([[1], [-2], [0]]),
        ),
        one(
            "slopes above 1 and negative", "prelu", f16([-10, 2.5, 3]), input=f16([-2, -5, 3]), slope=f16([5, -0.5, 9])
        ),
        one("slope 0 and infinity", "prelu", f32([INF, 0, NAN]), input=f32([INF, -3, NAN]), slope=f32(0)),
        one(
            "int8",
            "prelu",
            tensor("int8", [-128, 127, 6, 0]),
            input=tensor("int8", [-64, 127, -2, 0]),
            slope=tensor("int8", [2, 100, -3, 5]),
        ),
        one(
            "int64 beyond 2^53",
            "prelu",
            i64([-3 * (2**53 + 1), 2**53 + 1]),
            input=i64([-(2**53) - 1, 2**53 + 1]),
            slope=i64([3, 7]),
        ),
        one("int32 scalar slope", "prelu", i32([[-8], [5]]), input=i32([[-4], [5]]), slope=i32(2)),
    ],
}

REFUSED = [
    refused("least above greatest", "clamp", input=f32([1]), options={"minValue": 2, "maxValue": 1}),
    refused("least above greatest, int8", "clamp", input=tensor("int8", [1]), options={"minValue": 1, "maxValue": -1}),
    refused("of int32", "elu", input=i32([1])),
    refused("of int8", "gelu", input=tensor("int8", [1])),
    refused("of int32", "hardSigmoid", input=i32([1])),
    refused("of uint8", "hardSwish", input=u8([1])),
    refused("of int32", "leakyRelu", input=i32([1])),
    refused("of int32", "linear", input=i32([1])),
    refused("of uint8", "relu", input=u8([1])),
    refused("of uint64", "relu", input=tensor("uint64", [1])),
    refused("of int32", "sigmoid", input=i32([1])),
    refused("of int32", "softplus", input=i32([1])),
    refused("of int32", "softsign", input=i32([1])),
    refused("of int32", "tanh", input=i32([1])),
    refused("of uint8", "prelu", input=u8([1]), slope=u8([1])),
    refused("slope of another type", "prelu", input=f32([1]), slope=f16([1])),
    refused("slope that does not broadcast", "prelu", input=f32([1, 2, 3]), slope=f32([1, 2])),
]
