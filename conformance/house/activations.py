"""Activations, prelu, linear, gemm and softmax."""

from __future__ import annotations

from typing import Any

from conformance.house.spec import T, case, f16, f32, of, op

Cases = dict[str, list[dict[str, Any]]]

PLAIN = {"gelu": "gelu", "hardSwish": "hard_swish", "sigmoid": "sigmoid", "softplus": "softplus", "softsign": "softsign",
         "tanh": "tanh"}  # fmt: skip
VALUES = (-4, -3, -2.9375, -1, -0.125, -0.0, 0.0, 0.125, 1, 2.9375, 3, 8)


def cases() -> Cases:
    made: Cases = {}
    for name, stem in PLAIN.items():
        values = VALUES[2:] if name == "gelu" else VALUES  # 1 + erf(x) cancels below -3
        made[stem] = [
            case("float32", op(name, input=of("float32", *values))),
            case("float16", op(name, input=of("float16", *VALUES))),
            case("0-D", op(name, input=of("float32", 1.5, shape=()))),
            case("large values", op(name, input=of("float32", 80, -80, 1000))),
            case("a constant of rank 6", op(name, input=f32(1, 2, 1, 2, 1, 3).constant)),
        ]
    infinite = {"sigmoid": 1, "softplus": 1, "tanh": 1, "gelu": 0}
    for name in infinite:
        both = ("Infinity", "-Infinity") if infinite[name] else ("Infinity",)
        made[PLAIN[name]].append(case("infinities", op(name, input=of("float32", *both))))
    made["elu"] = _with_options("elu", [{}, {"alpha": 2}, {"alpha": 0.25}, {"alpha": -1.5}])
    made["elu"].append(case("values near 0 keep their digits", op("elu", input=of("float32", -1e-6, -1e-4, -1e-8))))
    made["hard_sigmoid"] = _with_options("hardSigmoid", [{}, {"alpha": 0.5, "beta": 0.25}, {"alpha": -1}, {"beta": 2}])
    made["hard_sigmoid"].append(case("infinities", op("hardSigmoid", input=of("float32", "Infinity", "-Infinity"))))
    made["leaky_relu"] = _with_options("leakyRelu", [{}, {"alpha": 0.5}, {"alpha": -2}, {"alpha": 3}])
    made["leaky_relu"].append(case("infinities", op("leakyRelu", input=of("float32", "Infinity", "-Infinity"))))
    made["linear"] = _with_options(
        "linear", [{}, {"alpha": 2.5}, {"beta": -1.25}, {"alpha": 0.5, "beta": 3}, {"alpha": 0}]
    )
    made["hard_swish"].append(case("float16 does not overflow", op("hardSwish", input=of("float16", 20000, 65504, -3))))
    made["hard_swish"].append(case("near -3", op("hardSwish", input=of("float32", -2.999, -2.99999, -3.0001))))
    return {**made, "prelu": _prelu(), "gemm": _gemm(), "softmax": _softmax()}


def _with_options(name: str, options: list[dict[str, Any]]) -> list[dict[str, Any]]:
    made = []
    for given in options:
        label = ", ".join(f"{key} {value}" for key, value in given.items()) or "defaults"
        made.append(case(label, op(name, input=of("float32", *VALUES), options=given)))
    made.append(case("float16, rank 3", op(name, input=f16(2, 1, 3), options=options[-1])))
    made.append(case("0-D", op(name, input=of("float32", -2, shape=()), options=options[1])))
    return made


def _prelu() -> list[dict[str, Any]]:
    made = [
        case("float32", op("prelu", input=f32(2, 3), slope=f32(2, 3).constant)),
        case("float16, one slope a channel", op("prelu", input=f16(2, 3, 2), slope=f16(3, 1).constant)),
        case("a slope larger than the input", op("prelu", input=f32(3), slope=f32(2, 3))),
        case("a scalar slope, rank 5", op("prelu", input=f32(1, 2, 1, 3, 2), slope=of("float32", 0.25, shape=()))),
        case("infinite slopes of positive elements do not leak",
             op("prelu", input=of("float32", 1, 0.5, -1), slope=of("float32", "Infinity", "NaN", 2))),
        case("infinities", op("prelu", input=of("float32", "Infinity", "-Infinity"), slope=of("float32", 0, 2))),
    ]  # fmt: skip
    for dtype in ("int8", "int32", "int64"):
        made.append(case(dtype, op("prelu", input=of(dtype, -7, 5, 0, -128), slope=of(dtype, 3, 3, 3, 2))))
    return made


def _gemm() -> list[dict[str, Any]]:
    def one(name: str, a: T, b: T, **options: Any) -> dict[str, Any]:
        return case(name, op("gemm", a=a, b=b, options=options))

    return [
        one("defaults", f32(2, 3), f32(3, 4)),
        one("both transposed", f32(3, 2), f32(4, 3).constant, aTranspose=True, bTranspose=True),
        one("alpha", f32(2, 3), f32(3, 2), alpha=0.5),
        one("c of the result's shape, alpha and beta", f32(2, 3), f32(3, 2), c=f32(2, 2), alpha=2, beta=-0.5),
        one("c a row", f32(2, 3), f32(3, 4), c=f32(4).constant),
        one("c a column", f32(2, 3), f32(3, 4), c=f32(2, 1)),
        one("c a scalar, float16", f16(2, 3), f16(3, 2), c=f16().constant, beta=2),
        one("beta 0", f32(2, 2), f32(2, 2), c=f32(2), beta=0),
        one("a row by a column", f32(1, 4), f32(4, 1)),
    ]  # fmt: skip


def _softmax() -> list[dict[str, Any]]:
    return [
        case("rank 1", op("softmax", input=f32(4), axis=0)),
        case("the last axis", op("softmax", input=f32(2, 3), axis=1)),
        case("a middle axis of rank 5", op("softmax", input=f32(1, 2, 3, 2, 2), axis=2)),
        case("float16", op("softmax", input=f16(3, 2), axis=0)),
        case(
            "large values do not overflow", op("softmax", input=of("float32", 1000, 999, -1000, shape=(1, 3)), axis=1)
        ),
        case("minus infinity gives 0", op("softmax", input=of("float32", 1, "-Infinity", 2, shape=(1, 3)), axis=1)),
    ]
