"""Element-wise binary operations. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary"""

from __future__ import annotations

from tests.by_hand.form import INF, NAN, count, f16, f32, fill, flat, i32, i64, one, refused, tensor, u8

TOP64, HIGH63 = 2**64 - 1, 2**63

ADD = [
    one("column and row", "add", f32([[11, 21], [12, 22], [13, 23]]), a=f32([[1], [2], [3]]), b=f32([10, 20])),
    one("scalar and scalar", "add", f32(3.5), a=f32(1.25), b=f32(2.25)),
    one("scalar and one element", "add", f32([3]), a=f32(1), b=f32([2])),
    one(
        "each has a dimension that the other repeats",
        "add",
        fill("int32", (2, 4, 3), lambda i: (3 * i[0] + i[2]) + (10 + 10 * i[1])),
        a=count("int32", (2, 1, 3)),
        b=i32([[10], [20], [30], [40]]),
    ),
    # 2049 and 2051 lie half-way between float16 values: the even one. 65520 is half-way to 2^16: infinite.
    one("float16 ties", "add", f16([2048, 2052, INF, 65504]), a=f16([2048, 2050, 65504, 65504]), b=f16([1, 1, 16, 8])),
    one("infinities", "add", f32([NAN, INF, -INF, NAN]), a=f32([INF, INF, 1, NAN]), b=f32([-INF, 1, -INF, 1])),
    one(
        "uint64 above the signed range",
        "add",
        tensor("uint64", [HIGH63 + 5, TOP64]),
        a=tensor("uint64", [HIGH63, TOP64 - 1]),
        b=tensor("uint64", [5, 1]),
    ),
    one("int64 beyond 2^53", "add", i64([2**53 + 3, -(2**62)]), a=i64([2**53 + 1, -(2**61)]), b=i64([2, -(2**61)])),
    one(
        "rank 8",
        "add",
        fill("float32", (2, 1, 1, 2, 1, 1, 1, 3), lambda i: 3 * i[0] + i[7] + 100 * i[3]),
        a=count("float32", (2, 1, 1, 1, 1, 1, 1, 3)),
        b=flat("float32", (2, 1, 1, 1, 1), [0, 100]),
    ),
]
SUB = [
    one("row less column", "sub", f32([[9, 19], [8, 18], [7, 17]]), a=f32([10, 20]), b=f32([[1], [2], [3]])),
    one(
        "uint32 above the signed range",
        "sub",
        tensor("uint32", [2**32 - 2, 2**31]),
        a=tensor("uint32", [2**32 - 1, 2**32 - 1]),
        b=tensor("uint32", [1, 2**31 - 1]),
    ),
    one(
        "int8 down to its least",
        "sub",
        tensor("int8", [-128, 127]),
        a=tensor("int8", [-100, 100]),
        b=tensor("int8", [28, -27]),
    ),
    one("scalar first, float16", "sub", f16([[0.5, -1.5]]), a=f16(1), b=f16([[0.5, 2.5]])),
    one("constants first", "sub", i64([4, 3, 2]), a=i64(5).const(), b=i64([1, 2, 3])),
]
MUL = [
    one("three by one and two", "mul", i32([[3, -4], [6, -8], [-9, 12]]), a=i32([[1], [2], [-3]]), b=i32([3, -4])),
    one("zero times infinity", "mul", f32([NAN, -INF, 0]), a=f32([0, -1, 0]), b=f32([INF, INF, 5])),
    one(
        "uint64 to its greatest",
        "mul",
        tensor("uint64", [TOP64, TOP64 - 1]),
        a=tensor("uint64", [2**32 - 1, HIGH63 - 1]),
        b=tensor("uint64", [2**32 + 1, 2]),
    ),
    one(
        "int8 to its least",
        "mul",
        tensor("int8", [-128, 121]),
        a=tensor("int8", [-8, -11]),
        b=tensor("int8", [16, -11]),
    ),
    one("uint8", "mul", u8([255, 254]), a=u8([51, 127]), b=u8([5, 2])),
    # 1.5 * 2^-24 lies half-way between 2^-24 and 2^-23; the even one is 2^-23.
    one("float16 subnormal", "mul", f16([2.0**-23, 2.0**-24]), a=f16([1.5, 0.5]), b=f16([2.0**-24, 2.0**-23])),
]
DIV = [
    one("int32 towards zero", "div", i32([-3, -3, 3, 3, 0]), a=i32([-7, 7, -7, 7, -1]), b=i32([2, -2, -2, 2, 2])),
    one(
        "int64 beyond 2^53 towards zero",
        "div",
        i64([-3002399751580331, 2**53 + 1, -(2**62)]),
        a=i64([-(2**53 + 1), 2**53 + 1, -(2**63)]),
        b=i64([3, 1, 2]),
    ),
    one(
        "uint32 above the signed range",
        "div",
        tensor("uint32", [2**31 - 1, 1, 0, 2**32 - 1]),
        a=tensor("uint32", [2**32 - 1, 2**32 - 1, 5, 2**32 - 1]),
        b=tensor("uint32", [2, 2**32 - 2, 2**31, 1]),
    ),
    one(
        "uint64 above the signed range",
        "div",
        tensor("uint64", [6148914691236517205, 1, 0, 2]),
        a=tensor("uint64", [TOP64, TOP64, HIGH63, TOP64]),
        b=tensor("uint64", [3, HIGH63 + 1, HIGH63 + 1, HIGH63 - 1]),
    ),
    one("uint8", "div", u8([127, 1, 0]), a=u8([255, 255, 254]), b=u8([2, 200, 255])),
    one(
        "int8 by a constant column",
        "div",
        tensor("int8", [[-42, 42], [31, -31]]),
        a=tensor("int8", [-127, 127]),
        b=tensor("int8", [[3], [-4]]).const(),
    ),
    one(
        "zeros and infinities",
        "div",
        f32([INF, -INF, NAN, 0, NAN]),
        a=f32([1, -1, 0, 5, INF]),
        b=f32([0, 0, 0, INF, INF]),
    ),
    one("by minus zero", "div", f32([-INF]), a=f32([1]), b=f32([-0.0])),
    one("float16", "div", f16([[0.333251953125], [0.0999755859375]]), a=f16([[1], [0.2998046875]]), b=f16(3), ulp=1),
]
MAX = [
    one(
        "uint32 above the signed range",
        "max",
        tensor("uint32", [2**31, 2**32 - 1, 5]),
        a=tensor("uint32", [2**31, 1, 5]),
        b=tensor("uint32", [1, 2**32 - 1, 4]),
    ),
    one(
        "uint64 above the signed range",
        "max",
        tensor("uint64", [[HIGH63, TOP64]]),
        a=tensor(
            "uint64",
            [
                [HIGH63],
            ],
        ),
        b=tensor("uint64", [3, TOP64]),
    ),
    one(
        "int64 beyond 2^53",
        "max",
        i64([2**53 + 1, -(2**53)]),
        a=i64([2**53, -(2**53) - 1]),
        b=i64([2**53 + 1, -(2**53)]),
    ),
    one("infinities, float16", "max", f16([[INF, 3], [INF, 1]]), a=f16([INF, -INF]), b=f16([[3], [1]])),
    one("int8 scalar", "max", tensor("int8", [-1, 0, 127]), a=tensor("int8", -1), b=tensor("int8", [-128, 0, 127])),
]
MIN = [
    one(
        "uint32 above the signed range",
        "min",
        tensor("uint32", [1, 1, 2**31]),
        a=tensor("uint32", [2**31, 1, 2**31]),
        b=tensor("uint32", [1, 2**32 - 1, 2**32 - 1]),
    ),
    one(
        "uint64 above the signed range",
        "min",
        tensor("uint64", [3, HIGH63]),
        a=tensor("uint64", HIGH63),
        b=tensor("uint64", [3, TOP64]),
    ),
    one("negative", "min", f32([[-3, -2, -INF]]), a=f32([[-3, 5, -INF]]), b=f32([[-1, -2, 0]])),
    one("uint8", "min", u8([127, 200]), a=u8([255, 200]), b=u8([127, 201])),
]
POW = [
    one(
        "negative base",
        "pow",
        f32([-8, 4, 1, NAN, -0.125]),
        a=f32([-2, -2, -2, -8, -2]),
        b=f32([3, 2, 0, 0.5, -3]),
        ulp=1,
    ),
    one("zero base", "pow", f32([1, 0, INF, 0]), a=f32([0, 0, 0, 0]), b=f32([0, 2, -1, 0.5])),
    one("infinities", "pow", f32([INF, 0, 0, INF, -INF]), a=f32([INF, INF, 0.5, 2, -INF]), b=f32([2, -1, INF, INF, 3])),
    one(
        "int64 powers need all bits",
        "pow",
        i64([3**39, -(7**21), -(2**63), 1]),
        a=i64([3, -7, -2, 0]),
        b=i64([39, 21, 63, 0]),
    ),
    one(
        "uint64 above the signed range",
        "pow",
        tensor("uint64", [3**40, 2**63, 1]),
        a=tensor("uint64", [3, 2, 5]),
        b=tensor("uint64", [40, 63, 0]),
    ),
    one("int32", "pow", i32([[-27, 9, -3], [-64, 16, -4]]), a=i32([[-3], [-4]]), b=i32([3, 2, 1])),
    one("int8", "pow", tensor("int8", [-128, 125, 1]), a=tensor("int8", [-2, 5, -1]), b=tensor("int8", [7, 3, 126])),
    one("scalar exponent, float16", "pow", f16([0.25, 6.25, 65472]), a=f16([-0.5, 2.5, 255.875]), b=f16(2), ulp=1),
]

REFUSED = [
    refused("types differ", "add", a=f32([1]), b=f16([1])),
    refused("int32 and uint32", "div", a=i32([1]), b=tensor("uint32", [1])),
    refused("shapes that do not broadcast", "sub", a=f32([1, 2, 3]), b=f32([1, 2])),
    refused("leading dimension, not trailing", "mul", a=f32([[1, 2, 3], [4, 5, 6]]), b=f32([1, 2])),
    refused("middle dimension", "max", a=count("float32", (2, 3, 2)), b=count("float32", (2, 2, 2))),
]
CASES = {"add": ADD, "sub": SUB, "mul": MUL, "div": DIV, "max": MAX, "min": MIN, "pow": POW}
