"""Element-wise logical operations, and where. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical, #…-where"""

from __future__ import annotations

from tests.by_hand.form import INF, NAN, Case, Tensor, count, f16, f32, fill, flat, i32, i64, one, refused, tensor, u8

COMPARE = ("equal", "notEqual", "greater", "greaterOrEqual", "lesser", "lesserOrEqual")


def _all(name: str, a: Tensor, b: Tensor, orders: list[int]) -> dict[str, Case]:
    """All six comparisons: `orders` is -1, 0 or 1 as a is less than, equal to or greater than b; 2 where one is NaN."""
    truth = {
        "equal": (0,),
        "notEqual": (-1, 1, 2),
        "greater": (1,),
        "greaterOrEqual": (0, 1),
        "lesser": (-1,),
        "lesserOrEqual": (-1, 0),
    }
    return {op: one(name, op, u8([int(o in truth[op]) for o in orders]), a=a, b=b) for op in COMPARE}


TABLES = [
    _all("NaN", f32([NAN, 1, NAN]), f32([NAN, NAN, -INF]), [2, 2, 2]),
    _all("zeros and infinities", f32([-0.0, INF, -INF, INF]), f32([0, INF, INF, -INF]), [0, 0, -1, 1]),
    _all("float16 and a scalar", f16([-65504, 0.5, 0.50048828125, INF]), f16(0.5), [-1, 0, 1, 1]),
    _all(
        "uint32 above the signed range",
        flat("uint32", (3,), [2**31, 1, 2**32 - 1]),
        flat("uint32", (3,), [1, 2**31, 2**32 - 1]),
        [1, -1, 0],
    ),
    _all(
        "uint64 above the signed range",
        flat("uint64", (4,), [2**63, 1, 2**64 - 1, 2**64 - 2]),
        flat("uint64", (4,), [1, 2**63, 2**64 - 1, 2**64 - 1]),
        [1, -1, 0, -1],
    ),
    _all(
        "int64 beyond 2^53",
        i64([2**53 + 1, 2**53, -(2**53) - 1, -(2**63)]),
        i64([2**53, 2**53 + 1, -(2**53), 2**63 - 1]),
        [1, -1, -1, -1],
    ),
    _all("int8", tensor("int8", [-128, 127, -1]), tensor("int8", [127, -128, -1]), [-1, 1, 0]),
    _all("uint8", u8([200, 100, 255]), u8([100, 200, 255]), [1, -1, 0]),
]
CASES: dict[str, list[Case]] = {op: [table[op] for table in TABLES] for op in COMPARE}
CASES["greater"] += [
    one("column and row", "greater", u8([[0, 1], [0, 0], [1, 1]]), a=i32([[2], [1], [9]]), b=i32([2, 1])),
    one("scalars", "greater", u8(1), a=f32(1), b=f32(-1)),
]
CASES["lesserOrEqual"] += [
    one(
        "rank 5, both repeat",
        "lesserOrEqual",
        fill("uint8", (2, 1, 3, 1, 2), lambda i: int(3 * i[0] + i[2] <= i[4] * 3)),
        a=count("int32", (2, 1, 3, 1, 1)),
        b=i32([[0, 3]]),
    ),
]
CASES["logicalAnd"] = [
    one("any bit is true", "logicalAnd", u8([1, 0, 0, 1]), a=u8([2, 2, 0, 255]), b=u8([1, 0, 4, 128])),
    one("column and row", "logicalAnd", u8([[0, 0], [0, 1], [0, 1]]), a=u8([[0], [3], [128]]), b=u8([0, 4])),
    one("scalar", "logicalAnd", u8([[1], [0]]), a=u8(64), b=u8([[32], [0]])),
]
CASES["logicalOr"] = [
    one("any bit is true", "logicalOr", u8([1, 1, 0, 1]), a=u8([2, 0, 0, 255]), b=u8([1, 64, 0, 1])),
    one("row and column", "logicalOr", u8([[0, 1], [1, 1]]), a=u8([0, 4]), b=u8([[0], [3]])),
    one("scalars", "logicalOr", u8(1), a=u8(0), b=u8(128)),
]
CASES["logicalXor"] = [
    one("true and true", "logicalXor", u8([0, 1, 0, 1, 0]), a=u8([2, 0, 0, 255, 128]), b=u8([1, 64, 0, 0, 127])),
    one("column and row", "logicalXor", u8([[0, 1], [1, 0]]), a=u8([[0], [5]]), b=u8([0, 4])),
    one("scalar", "logicalXor", u8([0, 1]), a=u8(255), b=u8([1, 0])),
]
CASES["logicalNot"] = [
    one("any bit is true", "logicalNot", u8([1, 0, 0, 0, 0]), a=u8([0, 1, 2, 128, 255])),
    one("scalar", "logicalNot", u8(1), a=u8(0)),
    one(
        "rank 8",
        "logicalNot",
        fill("uint8", (1, 2, 1, 1, 1, 1, 1, 2), lambda i: int(2 * i[1] + i[7] == 0)),
        a=count("uint8", (1, 2, 1, 1, 1, 1, 1, 2)),
    ),
]
CASES["isNaN"] = [
    one("float32", "isNaN", u8([[1, 0, 0], [0, 0, 0]]), input=f32([[NAN, INF, -INF], [0, -0.0, 2.0**127]])),
    one("float16", "isNaN", u8([0, 1, 0, 0]), input=f16([65504, NAN, -INF, 2.0**-24])),
    one("scalar", "isNaN", u8(1), input=f32(NAN)),
]
CASES["isInfinite"] = [
    one("float32", "isInfinite", u8([0, 1, 1, 0, 0]), input=f32([NAN, INF, -INF, 0, 2.0**127])),
    one(
        "float16: the greatest finite value",
        "isInfinite",
        u8([[0, 1], [0, 1]]),
        input=f16([[65504, INF], [-65504, -INF]]),
    ),
    one("scalar", "isInfinite", u8(0), input=f32(NAN)),
]
CASES["where"] = [
    one(
        "what is not selected does not leak",
        "where",
        f32([1, 2, NAN, -INF]),
        condition=u8([1, 0, 255, 0]),
        trueValue=f32([1, NAN, NAN, INF]),
        falseValue=f32([INF, 2, 3, -INF]),
    ),
    one(
        "three ways of repeating",
        "where",
        fill("int32", (2, 3, 2), lambda i: i[0] if i[2] == 0 else 10 + i[1]),
        condition=u8([7, 0]),
        trueValue=i32([[[0]], [[1]]]),
        falseValue=i32([[10], [11], [12]]),
    ),
    one(
        "condition has the highest rank",
        "where",
        f16([[[5, -1]], [[-1, 5]]]),
        condition=u8([[[2, 0]], [[0, 128]]]),
        trueValue=f16(5),
        falseValue=f16([-1]),
    ),
    one("scalars", "where", i64(2**53 + 1), condition=u8(3), trueValue=i64(2**53 + 1), falseValue=i64(2**53)),
    one(
        "uint64 above the signed range",
        "where",
        tensor("uint64", [2**64 - 1, 2**63 + 1]),
        condition=u8([0, 1]),
        trueValue=tensor("uint64", 2**63 + 1),
        falseValue=tensor("uint64", 2**64 - 1),
    ),
    one(
        "int8",
        "where",
        tensor("int8", [[-128], [7]]),
        condition=u8([[1], [0]]),
        trueValue=tensor("int8", [[-128], [-1]]),
        falseValue=tensor("int8", 7),
    ),
    one(
        "uint32",
        "where",
        tensor("uint32", [2**32 - 1, 0]),
        condition=u8([9, 0]),
        trueValue=tensor("uint32", [2**32 - 1, 1]),
        falseValue=tensor("uint32", [3, 0]),
    ),
]

REFUSED = [
    refused("types differ", "equal", a=f32([1]), b=f16([1])),
    refused("shapes that do not broadcast", "lesser", a=i32([1, 2, 3]), b=i32([1, 2])),
    refused("int8 is not uint8", "logicalAnd", a=tensor("int8", [1]), b=tensor("int8", [1])),
    refused("float32 is not uint8", "logicalNot", a=f32([1])),
    refused("integers have no NaN", "isNaN", input=i32([1])),
    refused("integers have no infinity", "isInfinite", input=u8([1])),
    refused("condition of int32", "where", condition=i32([1]), trueValue=f32([1]), falseValue=f32([1])),
    refused("values of two types", "where", condition=u8([1]), trueValue=f32([1]), falseValue=f16([1])),
    refused(
        "condition does not broadcast", "where", condition=u8([1, 0]), trueValue=f32([1, 2, 3]), falseValue=f32([1])
    ),
]
