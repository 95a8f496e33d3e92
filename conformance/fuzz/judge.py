"""Whether what was computed is right: operator by operator, each on the operands that the graph itself computed.

So an error is not carried along a chain, however ill-conditioned, and each comparison is one operator's, by WPT's tolerance
for it. Where one operator is ill-conditioned on its operands (a sum that cancels), a difference counts as rounding if it is
within a few times what changing the operands in their last bit changes in the exact result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.compare import distance
from conformance.fuzz.known import RECURRENT, Sight, excused, refusal
from conformance.fuzz.worker import Answer, outputs_of
from conformance.house.spec import tolerance_for
from conformance.oracle import Undefined, apply, widen
from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.graph import MLOperand
from trtx_backend.graph.serial import read_array

Array = NDArray[Any]

PERTURBATIONS, FACTOR = 6, 4
"""How often operands are changed in their last bit, and how many times the largest change of the result is allowed."""

EPSILON = {"float32": 2.0**-23, "float16": 2.0**-10}

STEP = {"float32": 2.0**-21, "float16": 2.0**-8}
"""What the steps inside a recurrent operator, whose terms are about 1, may be off where they cancel."""

QUANTIZED = 1
"""Upstream's tolerance for quantizeLinear: the quotient is rounded before it is rounded to an integer."""

NAN_IS_OPEN = {"max", "min", "argMax", "argMin", "reduceMax", "reduceMin", "maxPool2d", "clamp", "relu"}
"""The specification does not order NaN: see docs/wpt-and-the-specification.md."""


@dataclass(frozen=True)
class Difference:
    """`operator` is the call's name, `cause` as the runner's; the text says where and how much."""

    operator: str
    cause: str
    text: str
    output: str = ""
    """Name of the operand that is wrong, where it is known."""

    @property
    def kind(self) -> tuple[str, str]:
        return self.operator, self.cause

    def __str__(self) -> str:
        return f"{self.operator}: {self.cause}: {self.text}"


def judge(
    graph: Mapping[str, Any], operands: Mapping[str, MLOperand], answer: Answer
) -> tuple[list[Difference], list[str]]:
    """What is wrong with the answer for a graph, and the reasons of what is explained. `operands`: the builder's."""
    last = graph["operators"][-1]["name"]
    if answer.status == "UNSUPPORTED":
        return [], [f"unsupported: {answer.text[:60]}"]
    if answer.status != "OK":
        reason = refusal(answer.status, answer.text, graph, operands)
        return ([], [reason]) if reason else ([Difference(last, answer.status, answer.text)], [])
    arrays = {n: read_array(r["data"], operands[n].dtype, operands[n].shape) for n, r in graph["inputs"].items()}
    arrays |= answer.outputs
    found: list[Difference] = []
    reasons: list[str] = []
    for call in graph["operators"]:
        wrong, why = _judge_call(call, arrays, operands)
        found += wrong
        reasons += why
    for name, array in answer.finals.items():
        if not found and not _equal(array, answer.outputs[name]):
            text = f"{name} is another value when nothing else is an output: {array}, {answer.outputs[name]}"
            found.append(Difference(last, "FUSED", text))
    return found, reasons


def _equal(a: Array, b: Array) -> bool:
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))


def _wrong_form(array: Array, operand: MLOperand) -> str:
    want = DATA_TYPES[operand.dtype].numpy
    if array.dtype == want and array.shape == operand.shape:
        return ""
    return f"{array.dtype}{list(array.shape)}, expected {operand}"


def _judge_call(
    call: Mapping[str, Any], arrays: Mapping[str, Array], operands: Mapping[str, MLOperand]
) -> tuple[list[Difference], list[str]]:
    for name in outputs_of({"operators": [call]})[0]:
        form = _wrong_form(arrays[name], operands[name])
        if form:
            return [Difference(call["name"], "SHAPE", f"{name}: {form}", name)], []
    dtypes = {name: operand.dtype for name, operand in operands.items()}
    used = _operands(call, operands)
    values = {name: widen(arrays[name]) for name in used}
    if call["name"] in NAN_IS_OPEN and any(np.isnan(v).any() for v in values.values() if v.dtype.kind == "f"):
        return [], []
    try:
        with np.errstate(all="ignore"):
            exact = apply(call, values, dtypes)
    except Undefined:
        return [], []
    found: list[Difference] = []
    reasons: list[str] = []
    for name, result in exact.items():
        text, why = _compare(call, name, np.asarray(result), values, arrays, operands)
        found += [Difference(call["name"], "MISMATCH", f"{name} {text}", name)] if text else []
        reasons += why
    return found, reasons


def _operands(call: Mapping[str, Any], operands: Mapping[str, MLOperand]) -> list[str]:
    given = [v for a in call["arguments"] for v in [*a.values(), *a.get("options", {}).values()]]
    flat = [v for value in given for v in (value if isinstance(value, list) else [value])]
    return [v for v in dict.fromkeys(v for v in flat if isinstance(v, str)) if v in operands]


def _compare(
    call: Mapping[str, Any],
    name: str,
    exact: Array,
    values: Mapping[str, Array],
    arrays: Mapping[str, Array],
    operands: Mapping[str, MLOperand],
) -> tuple[str, list[str]]:
    """What is wrong with one output, or nothing, and the reasons of what is explained."""
    row, actual = DATA_TYPES[operands[name].dtype], arrays[name]
    if exact.shape != actual.shape:
        return f"shape {list(actual.shape)}, the oracle's is {list(exact.shape)}", []
    metric, allowed = _rule(call, name, operands)
    with np.errstate(all="ignore"):
        expected = exact.astype(row.numpy)
        apart = distance(actual, expected, metric)
        outside = apart > allowed
        if outside.any() and row.is_float:
            outside &= ~_rounding(call, name, exact, values, actual, operands, metric, allowed)
    dtypes = {n: operand.dtype for n, operand in operands.items()}
    sight = Sight(call, name, {n: arrays[n] for n in values}, dtypes, exact, actual)
    reasons = excused(sight, outside) if outside.any() else {}
    for elements in reasons.values():
        outside &= ~elements
    if not outside.any():
        return "", list(reasons)
    first = np.unravel_index(int(np.argmax(np.where(outside, apart, -1))), actual.shape)
    place = f"[{', '.join(str(int(i)) for i in first)}]"
    return (
        f"{place} of {operands[name]}: {actual[first]!s}, exact {exact[first]!s}, {apart[first]:g} {metric} and {allowed:g} allowed",
        [],
    )


def _rule(call: Mapping[str, Any], name: str, operands: Mapping[str, MLOperand]) -> tuple[str, float]:
    descriptor = {"shape": list(operands[name].shape), "dataType": operands[name].dtype}
    graph = {"inputs": {}, "operators": [call], "expectedOutputs": {name: {"descriptor": descriptor}}}
    rule = tolerance_for(graph, {n: operand.shape for n, operand in operands.items()})
    return str(rule["metricType"]), float(QUANTIZED if call["name"] == "quantizeLinear" else rule["value"])


def _rounding(
    call: Mapping[str, Any],
    name: str,
    exact: Array,
    values: Mapping[str, Array],
    actual: Array,
    operands: Mapping[str, MLOperand],
    metric: str,
    allowed: float,
) -> Array:
    """Where a difference is no more than rounding of the operands would make."""
    info = np.finfo(actual.dtype)
    dtypes = {n: operand.dtype for n, operand in operands.items()}
    moved = np.zeros(exact.shape)
    unsteady = np.zeros(exact.shape, bool)
    rng = np.random.default_rng(0)
    top = float(info.max)
    for _ in range(PERTURBATIONS):
        changed = {n: _changed(v, EPSILON[dtypes[n]], rng) if v.dtype.kind == "f" else v
                   for n, v in values.items()}  # fmt: skip
        try:
            other = np.asarray(apply(call, changed, dtypes)[name])
        except Undefined:
            continue
        unsteady |= (np.abs(other) > top) != (np.abs(exact) > top)
        moved = np.fmax(moved, np.abs(other - exact))
    unit = np.spacing(np.minimum(np.abs(exact), top).astype(actual.dtype)).astype(np.float64)
    most = FACTOR * moved + (allowed * unit if metric == "ULP" else allowed)
    most = most + STEP[operands[name].dtype] * (call["name"] in RECURRENT)
    wide = actual.astype(np.float64)
    near_limit = np.isinf(wide) & (np.abs(exact) + most >= top) & (np.sign(wide) == np.sign(exact))
    near_limit |= (
        np.isfinite(wide) & (np.abs(exact) > top) & (np.abs(exact) - most <= top) & (np.sign(wide) == np.sign(exact))
    )
    close = np.isfinite(wide) & np.isfinite(exact) & (np.abs(wide - exact) <= most)
    return np.asarray(close | near_limit | unsteady)


def _changed(value: Array, unit: float, rng: np.random.Generator) -> Array:
    return np.asarray(value * (1 + unit * rng.choice([-1.0, 1.0], value.shape)))
