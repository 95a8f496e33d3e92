"""reshape, transpose, concat, expand, slice, matmul."""

from __future__ import annotations

from typing import Any

from conformance.house.spec import T, case, f16, f32, of, op
from trtx_backend.dtypes import ALL

Cases = dict[str, list[dict[str, Any]]]


def cases() -> Cases:
    return {**_moving(), "matmul": _matmul()}


def _moving() -> Cases:
    made: Cases = {
        "reshape": [
            case("to a scalar and back", op("reshape", "s", input=f32(1, 1), newShape=[]), op("reshape", input="s", newShape=[1, 1, 1])),
            case("to rank 6", op("reshape", input=f32(4, 6), newShape=[2, 1, 2, 3, 1, 2])),
            case("to the same shape", op("reshape", input=f16(2, 3), newShape=[2, 3])),
            case("a constant", op("reshape", input=f32(2, 3).constant, newShape=[3, 2])),
        ],
        "transpose": [
            case("reversed by default", op("transpose", input=f32(2, 3, 4))),
            case("rank 5", op("transpose", input=f32(1, 2, 3, 2, 2), options={"permutation": [3, 0, 4, 2, 1]})),
            case("the identity", op("transpose", input=f32(2, 3), options={"permutation": [0, 1]})),
            case("0-D", op("transpose", input=f32())),
            case("there and back", op("transpose", "t", input=f32(2, 3, 4), options={"permutation": [1, 2, 0]}),
                 op("transpose", input="t", options={"permutation": [2, 0, 1]})),
        ],
        "concat": [
            case("one input", op("concat", inputs=[f32(2, 3)], axis=0)),
            case("three inputs of unlike sizes, middle axis", op("concat", inputs=[f32(2, 1, 2), f32(2, 3, 2).constant, f32(2, 2, 2)], axis=1)),
            case("rank 1, float16", op("concat", inputs=[f16(1), f16(4)], axis=0)),
            case("an input with itself", op("relu", "r", input=f32(2, 2)), op("concat", inputs=["r", "r"], axis=1)),
        ],
        "expand": [
            case("0-D to rank 3", op("expand", input=f32(), newShape=[2, 1, 3])),
            case("inner dimensions", op("expand", input=f32(2, 1, 3, 1), newShape=[2, 2, 3, 2])),
            case("new dimensions in front", op("expand", input=f16(3), newShape=[2, 1, 3])),
            case("to the same shape", op("expand", input=f32(2, 3), newShape=[2, 3])),
        ],
        "slice": [
            case("strides that do not divide the sizes", op("slice", input=f32(7, 5), starts=[1, 0], sizes=[6, 5], options={"strides": [4, 3]})),
            case("the whole input", op("slice", input=f32(2, 3), starts=[0, 0], sizes=[2, 3])),
            case("0-D", op("slice", input=f32(), starts=[], sizes=[])),
            case("one element of rank 5", op("slice", input=f32(2, 2, 2, 2, 2), starts=[1, 0, 1, 0, 1], sizes=[1, 1, 1, 1, 1])),
            case("a stride longer than the size", op("slice", input=f32(6), starts=[2], sizes=[3], options={"strides": [5]})),
        ],
    }  # fmt: skip
    for dtype in ALL:
        x = T(dtype, (2, 3))
        made["reshape"].append(case(dtype, op("reshape", input=x, newShape=[3, 2])))
        made["transpose"].append(case(dtype, op("transpose", input=x)))
        made["concat"].append(case(dtype, op("concat", inputs=[x, T(dtype, (2, 1)).constant], axis=1)))
        made["expand"].append(case(dtype, op("expand", input=T(dtype, (2, 1)), newShape=[2, 2, 3])))
        made["slice"].append(case(dtype, op("slice", input=x, starts=[0, 1], sizes=[2, 2])))
    x = f32(1, 2, 1, 2, 1, 3, 1, 2)
    made["reshape"].append(
        case("to rank 8, the limit", op("reshape", input=f32(4, 6), newShape=[1, 2, 1, 2, 1, 3, 1, 2]))
    )
    made["transpose"].append(case("rank 8, the limit", op("transpose", input=x)))
    made["slice"].append(
        case("rank 8, the limit", op("slice", input=x, starts=[0, 1, 0, 0, 0, 1, 0, 0], sizes=[1, 1, 1, 2, 1, 2, 1, 2]))
    )
    made["expand"].append(
        case("rank 8, the limit", op("expand", input=f32(3, 1, 2), newShape=[1, 2, 1, 1, 1, 3, 2, 2]))
    )
    made["shape"] = [
        case("float32", op("shape", input=f32(2, 1, 3))),
        *(case(dtype, op("shape", input=T(dtype, (4,)))) for dtype in ALL if dtype != "float32"),
        case("multiplied", op("shape", "s", input=f32(2, 3)), op("mul", a="s", b=of("int64", 10, 100))),
    ]
    truths = op("greater", "g", a=f32(2, 2), b=f32(2, 2))
    made["reshape"].append(case("of truth values", truths, op("reshape", input="g", newShape=[4])))
    made["concat"].append(
        case(
            "of truth values and numbers", truths, op("concat", inputs=["g", of("uint8", 0, 200, shape=(1, 2))], axis=0)
        )
    )
    return made


def _matmul() -> list[dict[str, Any]]:
    return [
        case("a row by a column", op("matmul", a=f32(1, 3), b=f32(3, 1))),
        case("a column by a row", op("matmul", a=f32(3, 1), b=f32(1, 2).constant)),
        case("batches that broadcast both ways", op("matmul", a=f32(2, 1, 2, 3), b=f32(3, 3, 2))),
        case("rank 5 by rank 2, float16", op("matmul", a=f16(1, 2, 1, 2, 3), b=f16(3, 2).constant)),
        case("infinity times zero is NaN", op("matmul", a=of("float32", "Infinity", 1, 0, 2, shape=(2, 2)), b=of("float32", 0, 1, 1, 1, shape=(2, 2)))),
        case("large terms that cancel", op("matmul", a=of("float32", 2.0**24, 1, -(2.0**24), shape=(1, 3)), b=f32(3, 1, values=[1]))),
    ]  # fmt: skip
