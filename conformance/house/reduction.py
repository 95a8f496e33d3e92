"""Reductions, argMin, argMax and cumulativeSum."""

from __future__ import annotations

from typing import Any

from conformance.house.elementwise import corners
from conformance.house.spec import T, case, f16, f32, of, op
from trtx_backend.dtypes import ANY, DATA_TYPES

Cases = dict[str, list[dict[str, Any]]]

WIDE = ("int32", "uint32", "int64", "uint64")
REDUCTIONS = {
    "reduceL1": ("reduce_l1", WIDE),
    "reduceL2": ("reduce_l2", ()),
    "reduceLogSum": ("reduce_log_sum", ()),
    "reduceLogSumExp": ("reduce_log_sum_exp", ()),
    "reduceMax": ("reduce_max", tuple(d for d in ANY if not DATA_TYPES[d].is_float)),
    "reduceMean": ("reduce_mean", ()),
    "reduceMin": ("reduce_min", tuple(d for d in ANY if not DATA_TYPES[d].is_float)),
    "reduceProduct": ("reduce_product", WIDE),
    "reduceSum": ("reduce_sum", WIDE),
    "reduceSumSquare": ("reduce_sum_square", WIDE),
}


def cases() -> Cases:
    return {**_reductions(), "arg_min_max": _arg(), "cumulative_sum": _cumulative()}


def _reductions() -> Cases:
    made: Cases = {}
    for name, (stem, integers) in REDUCTIONS.items():
        positive = (0.5, 2, 1.25, 3, 0.75, 4, 1, 2.5) if name == "reduceLogSum" else None
        x = f32(2, 3, 4, values=positive)
        group = made.setdefault(stem, [])
        group.append(case("all axes", op(name, input=x)))
        group.append(case("one axis, kept", op(name, input=x, options={"axes": [1], "keepDimensions": True})))
        group.append(case("two axes, not in order", op(name, input=x, options={"axes": [2, 0]})))
        group.append(case("no axis", op(name, input=f32(2, 2, values=positive), options={"axes": []})))
        group.append(case("0-D", op(name, input=of("float32", 2.5, shape=()))))
        group.append(case("a constant", op(name, input=x.constant, options={"axes": [0]})))
        group.append(case("float16", op(name, input=f16(3, 4, values=positive), options={"axes": [1]})))
        group.append(
            case(
                "all of rank 6, kept",
                op(name, input=f32(1, 2, 1, 2, 1, 2, values=positive), options={"keepDimensions": True}),
            )
        )
        for dtype in integers:
            values = tuple(v for v in corners(dtype) if v)
            group.append(
                case(f"{dtype} at its limits", op(name, input=of(dtype, *values, shape=(2, 5)), options={"axes": [1]}))
            )
            group.append(
                case(f"{dtype}, no axis", op(name, input=of(dtype, *corners(dtype)[:5]), options={"axes": []}))
            )
    made["reduce_mean"].append(
        case("rank 8, the limit", op("reduceMean", input=f32(1, 2, 1, 2, 1, 2, 1, 2), options={"axes": [7, 1]}))
    )
    inf = of("float32", "-Infinity", "-Infinity", 1, "-Infinity", "Infinity", 2, shape=(3, 2))
    for name in ("reduceLogSumExp", "reduceMax", "reduceMin", "reduceSum"):
        x = inf if name != "reduceSum" else of("float32", "-Infinity", 1, "Infinity", 2, shape=(2, 2))
        made[REDUCTIONS[name][0]].append(case("infinities", op(name, input=x, options={"axes": [1]})))
    made["reduce_log_sum_exp"].append(
        case("large values", op("reduceLogSumExp", input=of("float32", 1000, 1001, -1000)))
    )
    for name in ("reduceL2", "reduceSumSquare"):
        made[REDUCTIONS[name][0]].append(
            case(
                "squares beyond float16's range",
                op(name, input=of("float16", 300, -400, 0.5) if name == "reduceL2" else of("float16", 200, 100)),
            )
        )
    made["reduce_sum"].append(
        case("a long axis", op("reduceSum", input=T("float32", (1, 3000), (1, 0.5, -0.25)), options={"axes": [1]}))
    )
    return made


def _arg() -> list[dict[str, Any]]:
    made = []
    ties = (1, 3, 3, 0, 0, 3)
    for name in ("argMax", "argMin"):
        for dtype in ANY:
            x = (
                of(dtype, *ties, shape=(2, 3))
                if DATA_TYPES[dtype].is_float
                else of(dtype, *corners(dtype)[:10], shape=(2, 5))
            )
            made.append(case(f"{name} {dtype}", op(name, input=x, axis=1)))
        made += [
            case(f"{name} of ties takes the first", op(name, input=of("float32", *ties), axis=0)),
            case(
                f"{name} kept, int64",
                op(name, input=f32(2, 3, 2), axis=1, options={"keepDimensions": True, "outputDataType": "int64"}),
            ),
            case(f"{name} first axis of rank 6", op(name, input=f32(3, 1, 2, 1, 1, 2), axis=0)),
            case(f"{name} of rank 1, kept", op(name, input=f32(5), axis=0, options={"keepDimensions": True})),
        ]
    return made


def _cumulative() -> list[dict[str, Any]]:
    made = [
        case("defaults", op("cumulativeSum", input=f32(2, 3), axis=1)),
        case("exclusive", op("cumulativeSum", input=f32(4), axis=0, options={"exclusive": True})),
        case("reversed", op("cumulativeSum", input=f32(2, 2, 3), axis=1, options={"reversed": True})),
        case("exclusive and reversed, float16", op("cumulativeSum", input=f16(3, 2), axis=0, options={"exclusive": True, "reversed": True})),
    ]  # fmt: skip
    for dtype in WIDE:
        made.append(case(f"{dtype} wraps", op("cumulativeSum", input=of(dtype, *corners(dtype)[-4:], 5), axis=0)))
    return made
