"""Element-wise operators, activations, cast, clamp, where."""

from __future__ import annotations

from typing import Any

from conformance.fuzz.draft import Draft
from conformance.fuzz.draws import allowed, draws
from trtx_backend.dtypes import ALL, DATA_TYPES, FLOATS

NUMBERS = (0.5, 0, 1, -1, 2, -0.25, 0.1, 3.7, -2.3, 1e-3, 1e-8)


@draws("add", "sub", "mul", "div", "max", "min", "pow",
       "equal", "notEqual", "greater", "greaterOrEqual", "lesser", "lesserOrEqual")  # fmt: skip
def binary(draft: Draft, name: str) -> None:
    a, b = _two(draft, allowed(name, "a"))
    draft.call(name, a=a, b=b)


@draws("logicalAnd", "logicalOr", "logicalXor")
def logical(draft: Draft, name: str) -> None:
    a, b = _two(draft, ("uint8",))
    draft.call(name, a=a, b=b)


def _two(draft: Draft, dtypes: tuple[str, ...]) -> tuple[str, str]:
    first = draft.operand(dtypes)
    second = draft.of_shape(draft[first].dtype, draft.broadcastable(draft[first].shape))
    return (second, first) if draft.chance() else (first, second)


@draws("prelu")
def prelu(draft: Draft, name: str) -> None:
    first, second = _two(draft, allowed(name, "input"))
    draft.call(name, input=first, slope=second)


@draws("ceil", "cos", "erf", "exp", "floor", "log", "reciprocal", "roundEven", "sin", "sqrt", "tan", "abs", "neg", "sign",
       "identity", "gelu", "hardSwish", "relu", "sigmoid", "softplus", "softsign", "tanh")  # fmt: skip
def unary(draft: Draft, name: str) -> None:
    draft.call(name, input=draft.operand(allowed(name, "input")))


@draws("logicalNot")
def logical_not(draft: Draft, name: str) -> None:
    draft.call(name, a=draft.operand(("uint8",)))


@draws("isNaN", "isInfinite")
def classify(draft: Draft, name: str) -> None:
    draft.call(name, input=draft.operand(FLOATS))  # as the cases call it


@draws("elu", "leakyRelu")
def with_alpha(draft: Draft, name: str) -> None:
    draft.call(name, draft.options(alpha=lambda: draft.pick(NUMBERS)), input=draft.operand(FLOATS))


@draws("linear", "hardSigmoid")
def with_alpha_and_beta(draft: Draft, name: str) -> None:
    options = draft.options(alpha=lambda: draft.pick(NUMBERS), beta=lambda: draft.pick(NUMBERS))
    draft.call(name, options, input=draft.operand(FLOATS))


@draws("cast")
def cast(draft: Draft, name: str) -> None:
    draft.call(name, input=draft.operand(ALL), type=draft.dtype(ALL))


def bound(draft: Draft, dtype: str) -> Any:
    row = DATA_TYPES[dtype]
    if row.is_float:
        return draft.pick((0, 1.5, -2, 0.1, "Infinity", "-Infinity", "NaN"))
    return draft.pick((0, 1, 3, -1, 2.5, int(row.max), int(row.min), int(row.max) // 2 + 1, 2**70, "NaN", "Infinity"))


@draws("clamp")
def clamp(draft: Draft, name: str) -> None:
    operand = draft.operand(allowed(name, "input"))
    dtype = draft[operand].dtype
    options = draft.options(minValue=lambda: bound(draft, dtype), maxValue=lambda: bound(draft, dtype))
    low, high = (float(options.get(key, "NaN")) for key in ("minValue", "maxValue"))
    if low > high:
        options["minValue"], options["maxValue"] = options["maxValue"], options["minValue"]
    draft.call(name, options, input=operand)


@draws("where")
def where(draft: Draft, name: str) -> None:
    first, second = _two(draft, allowed(name, "true_value"))
    shape = draft[first].shape if draft[first].rank >= draft[second].rank else draft[second].shape
    condition = draft.of_shape("uint8", draft.broadcastable(shape))
    draft.call(name, condition=condition, trueValue=first, falseValue=second)
