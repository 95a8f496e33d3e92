"""How a house case is written down, and what it becomes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from conformance.cases import HOUSE_PREFIX, Case
from conformance.oracle import evaluate
from conformance.tolerance import tolerance_of
from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.serial import replay

OWN_TOLERANCE: Mapping[str, Mapping[str, Any] | float] = {
    **dict.fromkeys(("div", "reciprocal"), 2),
    **dict.fromkeys(("sqrt", "cast", "quantizeLinear", "dequantizeLinear"), 1),
    **dict.fromkeys(("cumulativeSum", "gruCell"), 3),
    "log": 8,
    "gru": 6,
    "pow": {"float32": 32, "float16": 2},
    "exp": {"float32": 32, "float16": 1},
    # lstmCell's cases carry 1; that suits their data, not float32: each layer of a cell, correctly rounded, adds up to 2
    **{name: {"float32": 3, "float16": 10} for name in ("lstm", "lstmCell")},
    "instanceNormalization": {"float32": 840, "float16": 8400},
    "layerNormalization": {"float32": 14, "float16": 30},
    "cos": {"float32": ("ATOL", 2**-10), "float16": ("ATOL", 2**-7)},
    "sin": {"float32": ("ATOL", 2**-10), "float16": ("ATOL", 2**-7)},
    "erf": {"float32": ("ATOL", 2**-10), "float16": ("ATOL", 2**-9)},
    "tan": {"float32": ("ATOL", 2**-10), "float16": ("ATOL", 2**-9)},
}
"""Operators whose tolerance upstream has in a function of the operator's own file, not in its common formulas: what its
cases carry, in ULP where nothing else is said."""


@dataclass(frozen=True)
class T:
    """A tensor of a case. `values`: a list (repeated to fill the shape), or None for a pattern of the type."""

    dtype: str
    shape: tuple[int, ...]
    values: tuple[Any, ...] | None = None
    is_constant: bool = False

    @property
    def constant(self) -> T:
        return replace(self, is_constant=True)

    def resource(self, seed: int) -> dict[str, Any]:
        count = math.prod(self.shape)
        source = self.values if self.values is not None else pattern(self.dtype, count, seed)
        data = [number(source[i % len(source)], self.dtype) for i in range(count)]
        made: dict[str, Any] = {"data": data, "descriptor": {"shape": list(self.shape), "dataType": self.dtype}}
        return {**made, "constant": True} if self.is_constant else made


def f32(*shape: int, values: Sequence[Any] | None = None) -> T:
    return T("float32", shape, None if values is None else tuple(values))


def f16(*shape: int, values: Sequence[Any] | None = None) -> T:
    return T("float16", shape, None if values is None else tuple(values))


def of(dtype: str, *values: Any, shape: Sequence[int] | None = None) -> T:
    """A 1-D tensor of these values, or one of a shape that they fill."""
    return T(dtype, (len(values),) if shape is None else tuple(shape), values)


def pattern(dtype: str, count: int, seed: int) -> tuple[Any, ...]:
    """Values without a rhythm that a wrong stride could keep: floats in sixteenths from -2 to 2, small integers."""
    mixed = [(i * i * 7 + i * 29 + seed * 13) % 65 for i in range(count)]
    row = DATA_TYPES[dtype]
    if row.is_float:
        return tuple((value - 32) / 16 for value in mixed)
    low = 0 if row.is_unsigned else -(1 << min(row.bits, 5) - 1)
    return tuple(value % (1 << min(row.bits, 5)) + low for value in mixed)


def number(value: Any, dtype: str) -> Any:
    """A value as the type holds it, as JSON holds that."""
    row = DATA_TYPES[dtype]
    if not row.is_float:
        return int(value)
    with np.errstate(over="ignore"):
        rounded = float(np.float64(value).astype(row.numpy))
    if math.isnan(rounded) or math.isinf(rounded):
        return "NaN" if math.isnan(rounded) else "Infinity" if rounded > 0 else "-Infinity"
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 and str(rounded) != "-0.0" else rounded


@dataclass(frozen=True)
class Op:
    """One operator: arguments are tensors (or lists of them), names of earlier outputs, or plain values."""

    name: str
    arguments: Mapping[str, Any]
    options: Mapping[str, Any]
    outputs: tuple[str, ...]


def op(name: str, *outputs: str, options: Mapping[str, Any] | None = None, **arguments: Any) -> Op:
    return Op(name, arguments, options or {}, outputs or ("output",))


def case(name: str, *operators: Op, outputs: Sequence[str] = ()) -> dict[str, Any]:
    """A case in the form of the corpus. Its outputs are the last operator's, unless others are named."""
    inputs: dict[str, Any] = {}
    calls = [_call(operator, inputs) for operator in operators]
    expected: dict[str, Any] = {}
    graph = {"inputs": inputs, "operators": calls, "expectedOutputs": expected}
    operands = replay(MLGraphBuilder(), graph)
    for output in outputs or operators[-1].outputs:
        descriptor = {"shape": list(operands[output].shape), "dataType": operands[output].dtype}
        expected[output] = {"data": [], "descriptor": descriptor}
    for output, array in evaluate(graph).items():
        expected[output]["data"] = [number(value, operands[output].dtype) for value in array.reshape(-1).tolist()]
    shapes = {name: operand.shape for name, operand in operands.items()}
    return {"name": HOUSE_PREFIX + name, "graph": graph, "tolerance": tolerance_for(graph, shapes)}


def _call(operator: Op, inputs: dict[str, Any]) -> dict[str, Any]:
    def place(key: str, value: Any) -> Any:
        if isinstance(value, T):
            name = key
            while name in inputs:
                name += "2"
            inputs[name] = value.resource(len(inputs))
            return name
        if isinstance(value, (list, tuple)) and any(isinstance(item, T) for item in value):
            return [place(f"{key}{index}", item) for index, item in enumerate(value)]
        return list(value) if isinstance(value, tuple) else value

    arguments = [{key: place(key, value)} for key, value in operator.arguments.items()]
    if operator.options:
        arguments.append({"options": {key: place(key, value) for key, value in operator.options.items()}})
    outputs: Any = operator.outputs[0] if len(operator.outputs) == 1 else list(operator.outputs)
    return {"name": operator.name, "arguments": arguments, "outputs": outputs}


def tolerance_for(graph: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    """The rule for a graph by WPT's tables, and OWN_TOLERANCE for what they do not hold."""
    dtype = next(iter(graph["expectedOutputs"].values()))["descriptor"]["dataType"]
    if not DATA_TYPES[dtype].is_float:
        return {"metricType": "ULP", "value": 0}  # upstream's formulas would allow integer reductions a difference
    value = tolerance_of(Case("house", Path("house"), 0, "", graph, None), shapes).value
    for operator in graph["operators"]:
        own = OWN_TOLERANCE.get(operator["name"], 0)
        own = own[dtype] if isinstance(own, Mapping) else own
        if isinstance(own, tuple):
            return {"metricType": own[0], "value": own[1]}
        value += own
    return {"metricType": "ULP", "value": int(value) if value == int(value) else value}
