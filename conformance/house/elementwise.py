"""Element-wise binary, unary and logical operators, relu, clamp and cast."""

from __future__ import annotations

from typing import Any

from conformance.house.spec import T, case, f16, f32, of, op
from trtx_backend.dtypes import ALL, ANY, DATA_TYPES

NAN, INF = "NaN", "Infinity"
INTEGERS = tuple(dtype for dtype in ANY if not DATA_TYPES[dtype].is_float)
SPECIAL = (NAN, INF, "-Infinity", 0.0, -0.0, 1, -1, 65504, -65504, 2**-24)

Cases = dict[str, list[dict[str, Any]]]


def cases() -> Cases:
    return {**_binary(), **_compare(), **_logical(), **_unary(), **_relu(), **_clamp(), **_cast()}


def corners(dtype: str) -> tuple[int, ...]:
    """Values about zero and about the limits of an integer type."""
    row = DATA_TYPES[dtype]
    low, high = int(row.min), int(row.max)
    return (low, low + 1, -7 if low else 7, -1 if low else 1, 0, 2, 3, high // 2, high // 2 + 1, high - 1, high)


def _pairs(dtype: str, count: int = 11) -> tuple[T, T]:
    """Every corner against others that are not its neighbours."""
    values = corners(dtype)
    others = tuple(values[(i * 4 + 3) % len(values)] for i in range(count))
    return of(dtype, *values), of(dtype, *others)


STEM = {"notEqual": "not_equal", "greaterOrEqual": "greater_or_equal", "lesserOrEqual": "lesser_or_equal",
        "logicalAnd": "logical_and", "logicalOr": "logical_or", "logicalXor": "logical_xor", "isNaN": "is_nan",
        "isInfinite": "is_infinite", "logicalNot": "logical_not", "roundEven": "round_even"}  # fmt: skip


def _broadcasts(name: str) -> list[dict[str, Any]]:
    return [
        case("broadcasting of both operands", op(name, a=f32(2, 1, 3), b=f32(4, 1).constant)),
        case("a scalar on the left, float16", op(name, a=f16().constant, b=f16(2, 3))),
        case("rank 6", op(name, a=f32(1, 2, 1, 3, 1, 2), b=f32(2, 1, 1, 2, 1))),
        case("rank 8, the limit", op(name, a=f32(1, 2, 1, 1, 2, 1, 1, 2), b=f32(2, 1, 1, 1, 1, 1))),
    ]


def _binary() -> Cases:
    made: Cases = {}
    for name in ("add", "sub", "mul", "div", "max", "min", "pow"):
        group = made.setdefault(name, [])
        if name == "pow":
            group.append(
                case("float32", op(name, a=of("float32", 0.5, 2, 3, 4, -2), b=of("float32", 2, -1.5, 0, 0.5, 3)))
            )
            group.append(
                case("float16, broadcasting", op(name, a=f16(2, 2, values=[1, 2, 3, 4]), b=of("float16", 2, 0.5)))
            )
            group.append(
                case("rank 6", op(name, a=f32(1, 2, 1, 3, 1, 2, values=[1.5, 2, 3]), b=f32(2, 1, values=[2, 3])))
            )
            for dtype in INTEGERS:
                base = of(dtype, 2, 3 if DATA_TYPES[dtype].is_unsigned else -3, 5, 0, 1)
                group.append(case(dtype, op(name, a=base, b=of(dtype, 6, 3, 0, 4, 7))))
            continue
        group += _broadcasts(name)
        for dtype in INTEGERS:
            a, b = _pairs(dtype)
            if name == "div":
                b = of(dtype, *(value or 5 for value in b.values or ()))
            group.append(case(f"{dtype} at its limits", op(name, a=a, b=b)))
        a, b = _pairs("int32")
        if name == "div":
            b = of("int32", *(value or 5 for value in b.values or ()))
        group.append(case("int32 constants", op(name, a=a.constant, b=b.constant)))
        if name not in ("max", "min"):
            group.append(case("special floats", op(name, a=of("float32", *SPECIAL), b=of("float32", *SPECIAL[::-1]))))
        else:
            group.append(
                case("infinities", op(name, a=of("float32", INF, "-Infinity", 3), b=of("float32", 1, 1, "-Infinity")))
            )
    made["add"].append(
        case("names in any alphabet ☃", op("add", "сумма", a=f32(2), b=f32(2)), op("relu", "出力 1", input="сумма"))
    )
    made["mul"].append(
        case("float16 overflows to infinity", op("mul", a=of("float16", 300, -300, 2), b=of("float16", 300, 300, 3)))
    )
    return made


def _compare() -> Cases:
    made: Cases = {}
    for name in ("equal", "notEqual", "greater", "greaterOrEqual", "lesser", "lesserOrEqual"):
        group = made.setdefault(STEM.get(name, name), _broadcasts(name))
        for dtype in INTEGERS:
            a, b = _pairs(dtype)
            group.append(
                case(
                    f"{dtype} at its limits",
                    op(name, a=of(dtype, *(a.values or ()), 3), b=of(dtype, *(b.values or ()), 3)),
                )
            )
        others = (*SPECIAL[1:], NAN, NAN)
        group.append(case("special floats", op(name, a=of("float32", *SPECIAL, NAN), b=of("float32", *others))))
        group.append(
            case("zeros of either sign, float16", op(name, a=of("float16", 0.0, -0.0), b=of("float16", -0.0, 0.0)))
        )
    return made


def _logical() -> Cases:
    a, b = of("uint8", 0, 0, 1, 1, 2, 255, 128), of("uint8", 0, 1, 0, 1, 2, 0, 255)
    made: Cases = {}
    for name in ("logicalAnd", "logicalOr", "logicalXor"):
        made[STEM[name]] = [
            case("any value but 0 is true", op(name, a=a, b=b)),
            case("broadcasting", op(name, a=of("uint8", 0, 3, shape=(2, 1)), b=of("uint8", 0, 1, 9))),
            case("constants", op(name, a=a.constant, b=b.constant)),
            case("of comparisons", op("greater", "g", a=f32(4), b=f32(4)), op("lesser", "l", a=f32(4), b=f32(4)),
                 op(name, a="g", b="l")),
        ]  # fmt: skip
    made["logical_not"] = [
        case("any value but 0 is true", op("logicalNot", a=a)),
        case("0-D", op("logicalNot", a=of("uint8", 7, shape=()))),
        case("a constant", op("logicalNot", a=b.constant)),
        case("twice is a truth value", op("logicalNot", "n", a=a), op("logicalNot", a="n")),
    ]
    for name in ("isNaN", "isInfinite"):
        made[STEM[name]] = [
            case("special floats", op(name, input=of("float32", *SPECIAL))),
            case("special floats, float16", op(name, input=of("float16", *SPECIAL))),
            case("0-D", op(name, input=of("float32", NAN, shape=()))),
            case(
                "of a quotient", op("div", "q", a=of("float32", 0, 1, 2), b=of("float32", 0, 0, 1)), op(name, input="q")
            ),
        ]
    return made


UNARY: dict[str, tuple[Any, ...]] = {
    "ceil": (0.5, -0.5, 1.5, -1.25, 2, -0.0, INF, "-Infinity", NAN),
    "floor": (0.5, -0.5, 1.5, -1.25, 2, -0.0, INF, "-Infinity", NAN),
    "roundEven": (0.5, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, 0.49, 1023.5, INF, NAN),
    "cos": (0, 0.5, -1, 3, 2.25),
    "sin": (0, 0.5, -1, 3, 2.25),
    "tan": (0, 0.5, -1, 3, 0.75),
    "erf": (0, 0.5, -0.5, 2, -3, INF, "-Infinity"),
    "exp": (0, 1, -1, 5, -9, "-Infinity", INF, NAN),
    "log": (1, 2, 0.5, 100, INF, 0, NAN),
    "sqrt": (0, 1, 2, 0.25, 1000, INF, NAN),
    "reciprocal": (1, 2, -4, 0.5, INF, "-Infinity", 3, 0.0, -0.0),
}


def _unary() -> Cases:
    made: Cases = {}
    for name, values in UNARY.items():
        made[STEM.get(name, name)] = [
            case("float32", op(name, input=of("float32", *values))),
            case("float16", op(name, input=of("float16", *values))),
            case("0-D", op(name, input=of("float32", values[1], shape=()))),
            case("a constant of rank 5", op(name, input=f32(1, 2, 1, 2, 2, values=values[1:5]).constant)),
        ]
    for name in ("abs", "neg", "sign"):
        made[name] = [case(dtype, op(name, input=of(dtype, *corners(dtype)))) for dtype in ("int8", "int32", "int64")]
        made[name] += [
            case("special floats", op(name, input=of("float32", *SPECIAL))),
            case("float16, rank 5", op(name, input=f16(1, 2, 1, 3, 2))),
        ]
    made["identity"] = [
        case(dtype, op("identity", input=of(dtype, *(SPECIAL if DATA_TYPES[dtype].is_float else corners(dtype)))))
        for dtype in ALL
    ]
    made["identity"].append(case("a constant", op("identity", input=f32(2, 2).constant)))
    return made


def _relu() -> Cases:
    return {
        "relu": [
            *(case(dtype, op("relu", input=of(dtype, *corners(dtype)))) for dtype in ("int8", "int32", "int64")),
            case("infinities and zeros", op("relu", input=of("float32", INF, "-Infinity", -0.0, 0.0, -1e-30, 1e-30))),
            case("float16, 0-D", op("relu", input=of("float16", -2, shape=()))),
        ]
    }


def _clamp() -> Cases:
    x = of("float32", -3, -0.5, 0, 0.5, 3, INF, "-Infinity")
    made = [
        case("both bounds", op("clamp", input=x, options={"minValue": -1, "maxValue": 0.5})),
        case("the lower bound alone, float16", op("clamp", input=of("float16", -3, 0.1, 7), options={"minValue": 0.3})),
        case("the upper bound alone", op("clamp", input=x, options={"maxValue": 0.25})),
        case("no bound", op("clamp", input=x)),
        case("equal bounds", op("clamp", input=x, options={"minValue": 2, "maxValue": 2})),
        case("infinite bounds", op("clamp", input=x, options={"minValue": "-Infinity", "maxValue": INF})),
        case("0-D", op("clamp", input=of("float32", 5, shape=()), options={"maxValue": 3})),
    ]
    for dtype in INTEGERS:
        values = corners(dtype)
        low, high = values[1] + 1, values[-1] - 1
        made.append(
            case(
                f"{dtype} at its limits",
                op("clamp", input=of(dtype, *values), options={"minValue": low, "maxValue": high}),
            )
        )
    made += [
        case(f"{dtype}, {name}", op("clamp", input=of(dtype, *corners(dtype)), options={"minValue": low, "maxValue": high}))
        for dtype in ("int8", "uint8", "int32", "uint64")
        for name, low, high in (("bounds beyond the type", -1e30, 1e30), ("bounds with a fraction", 1.9, 2.9))
    ]  # fmt: skip
    return {"clamp": made}


def _cast() -> Cases:
    made = []
    for source in (*INTEGERS, "int4", "uint4"):
        for target in ALL:
            if target != source:
                row = DATA_TYPES[source]
                values = corners(source) if row.bits > 4 else range(int(row.min), int(row.max) + 1)
                made.append(case(f"{source} to {target}", op("cast", input=of(source, *values), type=target)))
    for source in ("float32", "float16"):
        for target in INTEGERS:
            signed = () if DATA_TYPES[target].is_unsigned else (-1.5, -0.99, -100.25)
            made.append(
                case(
                    f"{source} to {target}",
                    op("cast", input=of(source, 0, 0.99, 1.5, 2.5, 100.75, 127, *signed), type=target),
                )
            )
    made.append(
        case(
            "float32 to float16",
            op("cast", input=of("float32", 1 / 3, 65504, 65519, 65520, 1e-8, 2**-25, *SPECIAL), type="float16"),
        )
    )
    made.append(case("float16 to float32", op("cast", input=of("float16", 1 / 3, 2**-24, *SPECIAL), type="float32")))
    tiny = of("float32", 1e-40, -(2.0**-149), 2.0**-127, 2.0**-24)
    made.append(case("float32 subnormals to float16", op("cast", input=tiny, type="float16")))
    top = (2**31, 2**32 - 1, 2**24 + 1, 2**24 + 3)
    made.append(case("uint32 above the signed range to float32", op("cast", input=of("uint32", *top), type="float32")))
    wide = (2**63, 2**64 - 1, 2**63 + 2**39, 2**63 + 2**39 + 1, 2**53 + 1)
    made.append(
        case("uint64 above the signed range to float32, ties", op("cast", input=of("uint64", *wide), type="float32"))
    )
    made.append(
        case(
            "float32 to uint64 above the signed range",
            op("cast", input=of("float32", 2.0**63, 2.0**63 * 1.5, 2.0**40), type="uint64"),
        )
    )
    made.append(
        case(
            "float32 to uint32 above the signed range",
            op("cast", input=of("float32", 2.0**31, 4294967040), type="uint32"),
        )
    )
    ties = (2049, 2051, 4097, 4098, 4102, 65519, 65520, -2049)
    made.append(case("int32 to float16, ties and the limit", op("cast", input=of("int32", *ties), type="float16")))
    made += [
        case(
            f"int32 to {narrow} and on to float32: no higher bits are left",
            op("cast", "narrow", input=of("int32", 300, -1, 128, -129, 7), type=narrow),
            op("cast", input="narrow", type="float32"),
        )
        for narrow in ("int8", "uint8", "int4", "uint4")
    ]
    return {"cast": made}
