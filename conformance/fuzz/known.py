"""Differences that are explained: each with its reason, all of them listed in docs/tensorrt-findings.md.

A reason excuses elements, not results: those for which it holds, and no others of the same output.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.fuzz.narrow import TINY, Steps, in_float32, to_float32
from conformance.oracle import call_argument, operators, widen
from conformance.oracle.quantization import blocks
from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.graph import MLOperand

Array = NDArray[Any]

RECURRENT = frozenset({"gru", "gruCell", "lstm", "lstmCell"})

STEPS_INSIDE = RECURRENT | {"averagePool2d", "batchNormalization", "convTranspose2d", "gemm", "instanceNormalization", "l2Pool2d", "layerNormalization",
                            "reduceL2", "reduceLogSum"}  # fmt: skip
"""Operators that are several layers, whose steps may leave float32's range where their result does not."""

DISTANT = 4
"""How far a mean, whose rounding is all that counts then, is from 0, in deviations."""

HUGE = 1e3
"""From where on the terms of a gate can be so large that their sum, which cancels, is rounding."""

SAME = 1e-2
"""How far from each other, relative to the value, two orders of a formula's steps may be."""

CHANGES, LAST, TIMES = 24, 2.0**-23, 4
"""How often operands are changed in their last bit, which is that, and how far beyond what comes of it counts as that."""

INFINITE_OPTIONS = {"elu": ("alpha",), "leakyRelu": ("alpha",), "hardSigmoid": ("alpha", "beta")}
"""Operators that are an activation layer with options of the caller's."""


@dataclass(frozen=True, eq=False)
class Sight:
    """What a reason looks at: an operator call of a case, the operands that it had, by name, in the types that they were
    computed in, the WebNN data types of all names, and of one output the exact result and the one in question."""

    call: Mapping[str, Any]
    output: str
    operands: Mapping[str, Array]
    dtypes: Mapping[str, str]
    exact: Array
    actual: Array

    @property
    def operator(self) -> str:
        return str(self.call["name"])

    def option(self, name: str, default: Any = None) -> Any:
        options: Mapping[str, Any] = call_argument(self.call, "options") or {}
        return options.get(name, default)

    def operand(self, name: str) -> Array | None:
        """The operand of an argument or an option, floats as float64."""
        given = call_argument(self.call, name)
        array = self.operands.get(given if given is not None else self.option(name))
        return None if array is None else widen(array)

    def required(self, name: str) -> Array:
        found = self.operand(name)
        assert found is not None, f"{self.operator} has no {name}"
        return found

    @cached_property
    def values(self) -> Mapping[str, Array]:
        return {name: widen(array) for name, array in self.operands.items()}

    @cached_property
    def floats(self) -> list[Array]:
        return [array for array in self.values.values() if array.dtype.kind == "f"]

    @property
    def nan_in_one(self) -> Array:
        """Where the exact result or the one in question is NaN, and not both."""
        return np.asarray(_is_nan(self.exact) != _is_nan(self.actual))

    @cached_property
    def narrow(self) -> Steps:
        return in_float32(self.call, self.values, self.dtypes, self.output)

    @cached_property
    def sizes(self) -> Steps:
        """The formula in float32 of the operands' absolute values: no partial sum of it is larger, in any order."""
        sizes = {name: np.abs(value) if value.dtype.kind == "f" else value for name, value in self.values.items()}
        return in_float32(self.call, sizes, self.dtypes, self.output)

    @cached_property
    def as_float32(self) -> Array:
        """Where the formula, each step rounded to float32, gives what is in question and not the exact result."""
        return self.agrees(self.narrow.result)

    def agrees(self, narrow: Array) -> Array:
        """Where what is in question is this, to 1 %, and the exact result is not: it is half of the difference or more."""
        wide = widen(self.actual)
        rounded = narrow.astype(self.actual.dtype).astype(np.float64)
        same = np.isclose(rounded, wide, rtol=SAME, atol=0, equal_nan=True)
        exact = self.exact.astype(self.actual.dtype).astype(np.float64)
        finite = np.isfinite(rounded) & np.isfinite(exact) & np.isfinite(wide)
        apart = np.where(finite, 2 * np.abs(narrow - self.exact) >= np.abs(wide - self.exact), ~_equal(rounded, exact))
        return np.asarray(same & apart)

    @cached_property
    def unsteady(self) -> list[Array]:
        """What `narrow` becomes where the operands are changed in their last bit."""
        rng = np.random.default_rng(0)
        made = []
        for _ in range(CHANGES):
            values = {n: v * (1 + LAST * rng.choice([-1.0, 1.0], v.shape)) if v.dtype.kind == "f" else v
                      for n, v in self.values.items()}  # fmt: skip
            made.append(in_float32(self.call, values, self.dtypes, self.output).result)
        return made


def _equal(a: Array, b: Array) -> Array:
    return np.asarray((a == b) | (np.isnan(a) & np.isnan(b)))


def _is_nan(array: Array) -> Array:
    return np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, bool)


def _power(sight: Sight) -> Array:
    """Integers: the power is beyond the type, or the exponent beyond the signed type of the same size."""
    if sight.floats:
        return np.zeros(sight.exact.shape, bool)
    info = np.iinfo(sight.actual.dtype)
    half = np.iinfo(sight.actual.dtype).max // 2 if info.min == 0 else info.max

    def beyond(base: int, exponent: int) -> bool:
        if exponent > half:
            return True
        if abs(base) < 2:
            return False
        return exponent >= 64 or not info.min <= base**exponent <= info.max

    pairs = np.broadcast_arrays(sight.required("a"), sight.required("b"))
    return np.array([beyond(int(a), int(b)) for a, b in zip(*(p.flat for p in pairs), strict=True)]).reshape(
        sight.exact.shape
    )


def _quotient(sight: Sight) -> Array:
    x = sight.required("input")
    return np.asarray(x / blocks(sight.required("scale"), x.shape))


def _long_quotient(sight: Sight) -> Array:
    """To 32 bits: no further off than float32's numbers lie apart at the quotient."""
    quotient = np.abs(_quotient(sight))
    if DATA_TYPES[sight.dtypes[sight.output]].bits < 32 or sight.exact.dtype.kind not in "iu":
        return np.zeros(sight.exact.shape, bool)
    finite = np.where(np.isfinite(quotient), quotient, 0)
    step = np.spacing(np.minimum(finite, np.finfo(np.float32).max).astype(np.float32)).astype(np.float64)
    apart = np.abs(sight.actual.astype(np.float64) - sight.exact.astype(np.float64))
    return np.asarray((finite > 2**24) & (apart <= step))


def _half(sight: Sight) -> Array:
    """Integers, interpolated: one apart, where the exact value is by a half between them, but for float32's rounding."""
    if sight.option("mode") != "linear" or sight.floats:
        return np.zeros(sight.exact.shape, bool)
    options = {
        "scales": sight.option("scales", (1, 1)),
        "sizes": sight.option("sizes"),
        "axes": sight.option("axes", (2, 3)),
    }
    value = operators()["resample2d"](sight.required("input").astype(np.float64), mode="linear", **options)
    between = (sight.actual.astype(np.float64) + sight.exact.astype(np.float64)) / 2
    return np.asarray(
        (np.abs(between - np.floor(between)) == 0.5)
        & (np.abs(value - between) <= 2.0**-22 * np.maximum(np.abs(value), 1))
    )


def _tap(sight: Sight) -> Array:
    """NaN in one of the two only, with an operand that is not finite and a weight of 0 that may meet it."""
    if all(np.isfinite(array).all() for array in sight.floats):
        return np.zeros(sight.exact.shape, bool)
    if sight.operator == "resample2d":
        weightless = sight.option("mode") == "linear"
    else:
        padded = any(sight.option("padding", ())) or max(sight.option("dilations", (1,))) > 1
        weightless = padded or any((array == 0).any() for array in sight.floats)
    return sight.nan_in_one & bool(weightless)


def _prelu(sight: Sight) -> Array:
    x, slope = np.broadcast_arrays(sight.required("input"), sight.required("slope"))
    return np.asarray((x == 0) & ~np.isfinite(slope) & np.isnan(sight.exact) & (sight.actual == 0))


LIMITS: Mapping[str, Mapping[float, float]] = {
    "softsign": {math.inf: 1, -math.inf: -1},
    "gelu": {-math.inf: 0},
    "hardSwish": {-math.inf: 0},
}


def _limit(sight: Sight) -> Array:
    x = sight.required("input")
    found = np.zeros(x.shape, bool)
    for at, limit in LIMITS[sight.operator].items():
        found |= (x == at) & (sight.actual == limit)
    return found & _is_nan(sight.exact)


def _product(sight: Sight) -> Array:
    transposed = {"a_transpose": sight.option("aTranspose", False), "b_transpose": sight.option("bTranspose", False)}
    with np.errstate(all="ignore"):
        return np.asarray(operators()["gemm"](sight.required("a"), sight.required("b"), **transposed))


def _padded(sight: Sight) -> bool:
    """Whether a convTranspose2d may have its bias added by a layer of its own: behind an output that is padded."""
    return bool(any(sight.option("outputPadding", ())) or sight.option("outputSizes"))


def _overflowing_product(sight: Sight) -> Array:
    """In float16, without factors, which would make it float32: the product is infinite there, before c is added."""
    nothing = np.zeros(sight.exact.shape, bool)
    if sight.actual.dtype != np.float16:
        return nothing
    if sight.operator == "gemm":
        plain = sight.option("alpha", 1) == 1 and sight.option("beta", 1) == 1
        if sight.operand("c") is None or not plain:
            return nothing
        product = _product(sight)
    else:
        bias = sight.operand("bias")
        if bias is None or not _padded(sight):
            return nothing
        layout = sight.option("inputLayout", "nchw")
        product = sight.exact - bias.reshape([-1 if dim == "c" else 1 for dim in layout])
    return np.asarray(np.isfinite(product) & (np.abs(product) > 65504) & ~np.isfinite(sight.actual))


def _unused_c(sight: Sight) -> Array:
    c = sight.operand("c")
    if c is None or sight.option("beta", 1) is None:
        return np.zeros(sight.exact.shape, bool)
    beta = float(np.float64(sight.option("beta", 1)).astype(sight.actual.dtype))
    lost = ~np.isfinite(np.broadcast_to(c, sight.exact.shape))
    return np.asarray(sight.nan_in_one & lost & _is_nan(sight.exact) & (beta == 0))


def _outside_float32(sight: Sight) -> Array:
    narrow, finite = sight.narrow, np.isfinite(sight.exact)
    if sight.operator == "averagePool2d":  # added tap by tap: a partial sum may be what is infinite
        found = np.isinf(to_float32(sight.sizes.result * _window(sight))) & finite & ~np.isfinite(sight.actual)
    elif sight.operator == "batchNormalization":
        found = _factor(sight) | (narrow.left & sight.as_float32)
    else:
        found = narrow.left & sight.as_float32
    if sight.operator == "l2Pool2d":
        found = found | _least_squares(sight)
    if sight.operator == "convTranspose2d":
        found = found & _padded(sight)
    if sight.operator in RECURRENT:  # a gate's terms may be added in another order: inf - inf
        found = found | (sight.sizes.over & np.isnan(sight.actual) & finite)
    return np.asarray(found)


def _window(sight: Sight) -> int:
    """How many elements a window has."""
    return math.prod(sight.option("windowDimensions", sight.required("input").shape[2:]))


def _least_squares(sight: Sight) -> Array:
    """Of l2Pool2d: the squares are no further apart than the least number of float32 for each element of the window, whose
    mean is taken and multiplied."""
    apart = np.abs(widen(sight.actual) ** 2 - sight.exact**2)
    return np.asarray((apart <= _window(sight) * 2.0**-149) & (sight.actual.dtype == np.float32))


def _factor(sight: Sight) -> Array:
    """Of batchNormalization: scale over deviation, which is computed a channel, is not a number of full precision; and
    what comes of it is what is in question."""
    scale, axis = sight.operand("scale"), sight.option("axis", 1)
    if scale is None or sight.actual.dtype != np.float32:
        return np.zeros(sight.exact.shape, bool)
    place = [-1 if i == axis else 1 for i in range(sight.exact.ndim)]
    wide = scale / np.sqrt(sight.required("variance") + sight.option("epsilon", 1e-5))
    factor = to_float32(wide)
    lost = ((np.abs(factor) < TINY) & (wide != 0)) | (np.isinf(factor) & np.isfinite(wide))
    centred = to_float32(sight.required("input") - sight.required("mean").reshape(place))
    bias = sight.operand("bias")
    made = to_float32(centred * factor.reshape(place)) + (0 if bias is None else bias.reshape(place))
    return np.asarray(lost.reshape(place) & sight.agrees(made))


def _infinite_state(sight: Sight) -> Array:
    """NaN in one of the two only, as float32 makes it; where the gate is at the edge of that, by a last bit."""
    if not any(np.isinf(array).any() for array in sight.floats):
        return np.zeros(sight.exact.shape, bool)
    given = [sight.narrow.result, *(sight.unsteady if (sight.nan_in_one & ~sight.as_float32).any() else [])]
    return np.asarray(sight.nan_in_one & np.any([_is_nan(narrow) == _is_nan(sight.actual) for narrow in given], axis=0))


def _distant_mean(sight: Sight) -> Array:
    """As float32, and the mean is more than some times further from 0 than any element is from it."""
    x = sight.required("input")
    if sight.operator == "instanceNormalization":
        layout = sight.option("layout", "nchw")
        axes = (layout.index("h"), layout.index("w"))
    else:
        axes = tuple(sight.option("axes", range(1, x.ndim)))
    mean = np.mean(x, axes, keepdims=True)
    spread = np.max(np.abs(x - mean), axes, keepdims=True, initial=0)
    return np.asarray(sight.as_float32 & (np.abs(mean) > DISTANT * spread))


def _cancelling_gate(sight: Sight) -> Array:
    """As float32, or no further off than some times what a last bit of the operands makes of the formula in float32."""
    most = max(float(np.max(np.abs(array), initial=0, where=np.isfinite(array))) for array in sight.floats)
    if most <= HUGE:
        return np.zeros(sight.exact.shape, bool)
    moved = np.fmax.reduce([np.abs(narrow - sight.exact) for narrow in [sight.narrow.result, *sight.unsteady]])
    return np.asarray(sight.as_float32 | (np.abs(widen(sight.actual) - sight.exact) <= TIMES * moved))


@dataclass(frozen=True)
class Reason:
    """Why an operator's results may differ: `excuses` says at which elements."""

    text: str
    operators: frozenset[str]
    excuses: Callable[[Sight], Array]


REASONS = tuple(
    Reason(text, frozenset(names), excuses)
    for text, names, excuses in (
        ("a power of integers beyond their type", {"pow"}, _power),
        ("NaN to an integer", {"quantizeLinear"}, lambda sight: _is_nan(_quotient(sight))),
        ("a quotient of more digits than float32 has", {"quantizeLinear"}, _long_quotient),
        ("interpolated integers: a half, but for float32's rounding", {"resample2d"}, _half),
        (
            "a tap of weight 0 on an infinity or NaN: whether it counts is the implementation's choice",
            {"conv2d", "convTranspose2d", "resample2d"},
            _tap,
        ),
        ("prelu of 0 with a slope that is infinite or NaN: NaN by the formula, and not selected", {"prelu"}, _prelu),
        ("softsign, gelu or hardSwish of an infinity", set(LIMITS), _limit),
        ("a float16 product beyond float16 to which c is added", {"gemm", "convTranspose2d"}, _overflowing_product),
        ("gemm's c that is not finite, times a beta of 0", {"gemm"}, _unused_c),
        ("a gate that is 0 or 1 in float32, and nearly so exactly, on an infinity", RECURRENT, _infinite_state),
        (
            "a step inside leaves the range of float32, which is the widest type of TensorRT",
            STEPS_INSIDE,
            _outside_float32,
        ),
        (
            "a mean far from 0, which float32 rounds, is taken from what is near it",
            {"instanceNormalization", "layerNormalization"},
            _distant_mean,
        ),
        (
            "a recurrent operator on huge values: a gate hangs on the rounding of what cancels",
            RECURRENT,
            _cancelling_gate,
        ),
    )
)


def excused(sight: Sight, outside: Array) -> dict[str, Array]:
    """Of the elements that are `outside` of the tolerance those that a reason explains, by reason."""
    found = {}
    with np.errstate(all="ignore"):
        for reason in REASONS:
            if sight.operator in reason.operators:
                elements = outside & reason.excuses(sight)
                if elements.any():
                    found[reason.text] = elements
                    outside = outside & ~elements
    return found


def refusal(cause: str, text: str, graph: Mapping[str, Any], operands: Mapping[str, MLOperand]) -> str:
    """Why a graph need not be lowered or compiled, or nothing. `operands`: the builder's, by name."""
    if cause == "NETWORK" and "finite" in text and any(_infinite_option(call, operands) for call in graph["operators"]):
        return "an activation layer's alpha and beta must be finite"
    if cause == "NETWORK" and "Dims" in text and any(_nine_dimensions(call, operands) for call in graph["operators"]):
        return "eight dimensions are the most: blocks of rank 8 whose scale is no constant need nine"
    if cause == "ENGINE" and "deconv_lowering.cpp" in text and _constant_deconvolution(graph):
        return "TensorRT does not compile a deconvolution of a constant with groups and dilations"
    return ""


def _nine_dimensions(call: Mapping[str, Any], operands: Mapping[str, MLOperand]) -> bool:
    if call["name"] not in ("quantizeLinear", "dequantizeLinear"):
        return False
    given, scale, zero = (operands[call_argument(call, name)] for name in ("input", "scale", "zeroPoint"))
    blocks = any(1 < s < size for s, size in zip(scale.shape, given.shape, strict=True))
    return given.rank == 8 and blocks and (scale.value is None or zero.value is None)


def _infinite_option(call: Mapping[str, Any], operands: Mapping[str, MLOperand]) -> bool:
    options: Mapping[str, Any] = call_argument(call, "options") or {}
    given = [options[name] for name in INFINITE_OPTIONS.get(call["name"], ()) if name in options]
    kind = DATA_TYPES[operands[call_argument(call, "input")].dtype].numpy if given else np.dtype(np.float32)
    with np.errstate(over="ignore"):
        return any(not np.isfinite(np.float64(str(value)).astype(kind)) for value in given)


def _constant_deconvolution(graph: Mapping[str, Any]) -> bool:
    """Whether there is a convTranspose2d with groups and dilations of what only constants go into."""
    fixed = {name for name, resource in graph["inputs"].items() if resource.get("constant")}
    for call in graph["operators"]:
        options: Mapping[str, Any] = call_argument(call, "options") or {}
        if call["name"] == "convTranspose2d" and options.get("groups", 1) > 1:
            dilated = max(options.get("dilations", (1, 1))) > 1
            if dilated and call_argument(call, "input") in fixed:
                return True
        words = [v for a in call["arguments"] for v in [*a.values(), *a.get("options", {}).values()]]
        used = {w for value in words for w in (value if isinstance(value, list) else [value]) if isinstance(w, str)}
        names = {*graph["inputs"], *(n for c in graph["operators"] for n in _made(c))}
        if used & names <= fixed:
            fixed |= set(_made(call))
    return False


def _made(call: Mapping[str, Any]) -> list[str]:
    return list(call["outputs"]) if isinstance(call["outputs"], list) else [str(call["outputs"])]
