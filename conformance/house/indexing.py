"""gather*, scatter*, pad, reverse, split, tile, triangular, where."""

from __future__ import annotations

from typing import Any

from conformance.house.elementwise import corners
from conformance.house.spec import T, case, f16, f32, of, op
from trtx_backend.dtypes import ALL, ANY, DATA_TYPES
from trtx_backend.graph.ops.gather import INDICES

Cases = dict[str, list[dict[str, Any]]]


def cases() -> Cases:
    made = {**_gather(), **_scatter(), **_moving(), "pad": _pad(), "triangular": _triangular(), "where": _where()}
    for dtype in ALL:
        x, i = T(dtype, (3, 2)), of("int32", 2, 0)
        made["gather"].append(case(dtype, op("gather", input=x, indices=i)))
        made["gatherElements"].append(
            case(dtype, op("gatherElements", input=x, indices=of("int32", 2, 0, shape=(1, 2))))
        )
        made["gatherND"].append(case(dtype, op("gatherND", input=x, indices=of("int32", 2, 1, 0, 0, shape=(2, 2)))))
        made["scatterElements"].append(
            case(
                dtype, op("scatterElements", input=x, indices=of("int32", 2, 0, shape=(1, 2)), updates=T(dtype, (1, 2)))
            )
        )
        made["scatterND"].append(
            case(dtype, op("scatterND", input=x, indices=of("int32", 1, shape=(1, 1)), updates=T(dtype, (1, 2))))
        )
        made["reverse"].append(case(dtype, op("reverse", input=x)))
        made["split"].append(case(dtype, op("split", "a", "b", input=x, splits=[1, 2])))
        made["tile"].append(case(dtype, op("tile", input=x, repetitions=[2, 1])))
        if dtype in ANY:
            made["pad"].append(case(dtype, op("pad", input=T(dtype, (2, 2)), beginningPadding=[1, 0], endingPadding=[0, 1],
                                              options={"value": corners(dtype)[-1] if "float" not in dtype else -1.5})))  # fmt: skip
            made["triangular"].append(case(dtype, op("triangular", input=T(dtype, (3, 3)))))
            made["where"].append(
                case(
                    dtype,
                    op("where", condition=of("uint8", 1, 0), trueValue=T(dtype, (2, 2)), falseValue=T(dtype, (2,))),
                )
            )
    for dtype in INDICES:
        ends = (DATA_TYPES[dtype].min, DATA_TYPES[dtype].max)
        flat, upright = of(dtype, *ends), of(dtype, *ends, shape=(2, 1))
        x, updates, label = f32(4), of("float32", 9, 8), f"{dtype} indices, extremes"
        made["gather"].append(case(label, op("gather", input=x, indices=flat)))
        made["gatherElements"].append(case(label, op("gatherElements", input=x, indices=flat)))
        made["gatherND"].append(case(label, op("gatherND", input=x, indices=upright)))
        made["scatterElements"].append(case(label, op("scatterElements", input=x, indices=flat, updates=updates)))
        made["scatterND"].append(case(label, op("scatterND", input=x, indices=upright, updates=updates)))
    return made


def _gather() -> Cases:
    x = f32(3, 4)
    over = of("int64", -1, -3, 2, 7, -9)
    return {
        "gather": [
            case("a 0-D index", op("gather", input=x, indices=of("int32", 1, shape=()))),
            case("axis 1, indices of rank 2", op("gather", input=x, indices=of("int32", 3, 0, 1, 1, shape=(2, 2)), options={"axis": 1})),
            case("axis 2", op("gather", input=f32(2, 2, 3), indices=of("int32", 2, 0), options={"axis": 2})),
            case("negative and out of range", op("gather", input=x, indices=over)),
            case("negative and out of range, constants", op("gather", input=x, indices=of("int32", -1, -3, 2, 7, -9).constant)),
            case("uint32 above the signed range", op("gather", input=x, indices=of("uint32", 2**32 - 1, 1, 2**31))),
            case("int64 beyond 32 bits", op("gather", input=x, indices=of("int64", 2**40, -(2**40), 1))),
            case("a 0-D index into rank 1, float16", op("gather", input=f16(4), indices=of("uint32", 3, shape=()))),
        ],
        "gatherElements": [
            case("axis 0", op("gatherElements", input=x, indices=of("int32", 0, 2, 1, 0, 1, 1, 2, 2, shape=(2, 4)))),
            case("axis 1, more indices than elements", op("gatherElements", input=f32(2, 2), indices=of("int32", 0, 1, 1, 1, 0, 0, shape=(2, 3)), options={"axis": 1})),
            case("axis 2", op("gatherElements", input=f32(1, 2, 3), indices=of("int32", 2, 1, shape=(1, 2, 1)), options={"axis": 2})),
            case("negative and out of range", op("gatherElements", input=f32(3), indices=over)),
            case("uint32, a constant", op("gatherElements", input=f32(3), indices=of("uint32", 2, 9, 0).constant)),
        ],
        "gatherND": [
            case("whole coordinates", op("gatherND", input=x, indices=of("int32", 0, 1, 2, 3, shape=(2, 2)))),
            case("rows", op("gatherND", input=x, indices=of("int64", 2, 0, shape=(2, 1)))),
            case("one coordinate gives a scalar", op("gatherND", input=x, indices=of("int32", 1, 2))),
            case("negative and out of range", op("gatherND", input=x, indices=of("int32", -1, -1, 9, -9, shape=(2, 2)))),
            case("uint32, a constant", op("gatherND", input=x, indices=of("uint32", 2, 9, shape=(1, 2)).constant)),
        ],
    }  # fmt: skip


def _scatter() -> Cases:
    x = f32(3, 4)
    return {
        "scatterElements": [
            case("axis 1", op("scatterElements", input=x, indices=of("int32", 3, 0, 1, 2, 2, 0, shape=(3, 2)), updates=f32(3, 2, values=[9, 8, 7, 6, 5, 4]), options={"axis": 1})),
            case("axis 2", op("scatterElements", input=f32(1, 2, 3), indices=of("int32", 2, 1, shape=(1, 2, 1)), updates=f32(1, 2, 1), options={"axis": 2})),
            case("negative and out of range", op("scatterElements", input=f32(4), indices=of("int32", -1, 0), updates=of("float32", 9, 8))),
            case("out of range is clamped", op("scatterElements", input=f32(4), indices=of("int64", 7, -9), updates=of("float32", 9, 8))),
            case("constant indices", op("scatterElements", input=f32(4), indices=of("uint32", 2, 1).constant, updates=of("float32", 9, 8))),
            case("more updates than the axis has places", op("scatterElements", input=f32(2, 2, 3), indices=of("int32", 0, 1, 1, -2, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, -1, 0, 1, 1, shape=(2, 3, 3)), updates=f32(2, 3, 3, values=[9]), options={"axis": 1})),
            case("more updates than the axis has places, rank 8", op("scatterElements", input=f32(1, 1, 1, 1, 1, 1, 1, 2), indices=of("int64", 0, 0, 0, 0, shape=(1, 2, 1, 1, 1, 1, 1, 2)), updates=f32(1, 2, 1, 1, 1, 1, 1, 2, values=[9, 8]), options={"axis": 1})),
        ],
        "scatterND": [
            case("elements", op("scatterND", input=x, indices=of("int32", 0, 1, 2, 3, shape=(2, 2)), updates=of("float32", 9, 8))),
            case("rows", op("scatterND", input=x, indices=of("int64", 2, 0, shape=(2, 1)), updates=f32(2, 4, values=[9, 8, 7]))),
            case("negative and out of range", op("scatterND", input=f32(4), indices=of("int32", -1, -9, shape=(2, 1)), updates=of("float32", 9, 8))),
            case("constant indices, uint32", op("scatterND", input=f32(4), indices=of("uint32", 2, shape=(1, 1)).constant, updates=of("float32", 9))),
        ],
    }  # fmt: skip


def _moving() -> Cases:
    return {
        "reverse": [
            case("one axis", op("reverse", input=f32(2, 3, 2), options={"axes": [1]})),
            case("two axes", op("reverse", input=f32(2, 3, 2), options={"axes": [2, 0]})),
            case("no axis", op("reverse", input=f32(2, 3), options={"axes": []})),
            case("0-D", op("reverse", input=f32())),
        ],
        "split": [
            case("equal parts", op("split", "a", "b", "c", input=f32(2, 6), splits=3, options={"axis": 1})),
            case("one part", op("split", "a", input=f32(2, 3), splits=1)),
            case("sizes, the last axis", op("split", "a", "b", input=f32(1, 2, 4), splits=[1, 3], options={"axis": 2})),
            case("sizes, an axis in the middle", op("split", "a", "b", input=f32(1, 4, 2), splits=[3, 1], options={"axis": 1})),
        ],
        "tile": [
            case("both axes", op("tile", input=f32(2, 3), repetitions=[3, 2])),
            case("nothing repeated", op("tile", input=f32(2, 3), repetitions=[1, 1])),
            case("0-D", op("tile", input=f32(), repetitions=[])),
        ],
    }  # fmt: skip


def _pad() -> list[dict[str, Any]]:
    def one(label: str, x: T, before: list[int], after: list[int], **options: Any) -> dict[str, Any]:
        return case(label, op("pad", input=x, beginningPadding=before, endingPadding=after, options=options))

    return [
        one("zeros by default", f32(2, 3), [1, 0], [0, 2]),
        one("a value", f32(2, 2), [1, 1], [1, 1], value=7.5),
        one("infinity", f32(2), [1], [1], value="-Infinity"),
        one("edge", f32(2, 3), [2, 1], [1, 3], mode="edge"),
        one("edge, more than the input", f32(2), [5], [4], mode="edge"),
        one("reflection", f32(3, 4), [2, 3], [1, 2], mode="reflection"),
        one("reflection of one axis, float16", f16(2, 3), [0, 2], [0, 2], mode="reflection"),
        one("rank 5", f32(1, 2, 1, 2, 2), [0, 1, 1, 0, 0], [1, 0, 0, 0, 2]),
        one("nothing added", f32(2, 2), [0, 0], [0, 0]),
        one("0-D", f32(), [], []),
        one("int64 beyond 2^53", of("int64", 1, 2), [1], [0], value=2**53 + 1),
        one("uint64 above the signed range", of("uint64", 1, 2), [1], [0], value=2**64 - 1),
        one("NaN is 0 for an integer", of("int32", 1, 2), [1], [0], value="NaN"),
    ]


def _triangular() -> list[dict[str, Any]]:
    x = f32(3, 4)
    made = [
        case(f"{'upper' if upper else 'lower'}, diagonal {diagonal}", op("triangular", input=x, options={"upper": upper, "diagonal": diagonal}))
        for upper in (True, False)
        for diagonal in (0, 1, -2, 9, -9)
    ]  # fmt: skip
    special = of("float32", "Infinity", "NaN", "-Infinity", 1, shape=(2, 2))
    return [
        *made,
        case("infinities and NaN outside do not leak", op("triangular", input=special, options={"upper": False, "diagonal": -1})),
        case("batches", op("triangular", input=f16(2, 1, 2, 2))),
    ]  # fmt: skip


def _where() -> list[dict[str, Any]]:
    special = of("float32", "Infinity", "NaN", "-Infinity")
    return [
        case("any condition but 0 is true", op("where", condition=of("uint8", 0, 1, 2, 255), trueValue=f32(4), falseValue=f32(4))),
        case("what is not selected does not leak", op("where", condition=of("uint8", 0, 0, 0), trueValue=special, falseValue=f32(3))),
        case("three shapes", op("where", condition=of("uint8", 1, 0, shape=(2, 1, 1)), trueValue=f32(3, 1), falseValue=f32(2))),
        case("a scalar condition", op("where", condition=of("uint8", 1, shape=()).constant, trueValue=f32(2), falseValue=f32(2))),
        case("of a comparison", op("greater", "g", a=f32(2, 2), b=f32(2, 2)), op("where", condition="g", trueValue=f32(2, 2), falseValue=f32())),
    ]  # fmt: skip
