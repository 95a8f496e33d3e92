"""Every operator in float64, by the text of the specification: what a case's expected values are computed with.

Independent of the lowering and the executor, and of the builder's inference. One file a section of the specification; a
function has the operator's Python name and the builder's argument names. Floats are float64 and are not rounded between
operators, integers have their own type and wrap; numbers among the options are cast to the operand's type, as the
specification says. What the specification leaves open raises Undefined.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.graph.serial import SPECIAL, python_name, read_array

Array = NDArray[Any]
Operator = Callable[..., Any]

_OPERATORS: dict[str, Operator] = {}


class Undefined(Exception):
    """The specification does not say what the result is."""


def oracle(function: Operator) -> Operator:
    """Register an operator under its function's name."""
    _OPERATORS[function.__name__] = function
    return function


@cache
def operators() -> Mapping[str, Operator]:
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    return _OPERATORS


def evaluate(graph: Mapping[str, Any]) -> dict[str, Array]:
    """The outputs of a case's graph, rounded once to the types that it expects. `expectedOutputs` need no data."""
    dtypes = {name: resource["descriptor"]["dataType"] for name, resource in graph["inputs"].items()}
    values = {name: widen(_read(resource)) for name, resource in graph["inputs"].items()}
    with np.errstate(all="ignore"):
        for call in graph["operators"]:
            made = apply(call, values, dtypes)
            values.update(made)
            dtypes.update(dict.fromkeys(made, result_dtype(call, next(iter(made.values())), dtypes)))
        return {
            name: np.asarray(values[name]).astype(DATA_TYPES[resource["descriptor"]["dataType"]].numpy)
            for name, resource in graph["expectedOutputs"].items()
        }


def call_argument(call: Mapping[str, Any], name: str) -> Any:
    """An argument of a case's operator call."""
    return next((argument[name] for argument in call["arguments"] if name in argument), None)


def apply(call: Mapping[str, Any], values: Mapping[str, Array], dtypes: Mapping[str, str]) -> dict[str, Array]:
    """What one operator call of a case computes, by output name, not rounded. `values`: its operands, floats as float64
    (see `widen`); `dtypes`: their WebNN data types."""
    arguments: dict[str, Any] = {}
    for argument in call["arguments"]:
        for key, value in argument.items():
            for name, item in value.items() if key == "options" else ((key, value),):
                arguments[python_name(name)] = _resolve(item, values)
    arguments.pop("label", None)
    for name in NUMBERS & arguments.keys():
        arguments[name] = _as_operand(arguments[name], dtypes[_first_operand(call, dtypes)])
    if call["name"] == "quantizeLinear":
        arguments["dtype"] = dtypes.get(call_argument(call, "zeroPoint"))
    result = operators()[python_name(call["name"])](**arguments)
    names = call["outputs"] if isinstance(call["outputs"], list) else [call["outputs"]]
    return dict(zip(names, result if isinstance(result, tuple) else (result,), strict=True))


NUMBERS = {"alpha", "beta", "epsilon", "min_value", "max_value", "value"}
"""Options that are cast to the data type of the operand; for integer types the operators do it."""


def _as_operand(number: Any, dtype: str) -> Any:
    row = DATA_TYPES[dtype]
    return float(np.float64(number).astype(row.numpy)) if row.is_float and number is not None else number


def _first_operand(call: Mapping[str, Any], dtypes: Mapping[str, str]) -> str:
    values = (value for argument in call["arguments"] for value in argument.values())
    first = next(value for value in values if isinstance(value, list) or value in dtypes)
    return first[0] if isinstance(first, list) else first


def result_dtype(call: Mapping[str, Any], result: Array, dtypes: Mapping[str, str]) -> str:
    """The data type of what a call computes: numpy's arrays do not tell float16 from float32, nor int4 from int8."""
    if call["name"] == "cast":
        return str(call_argument(call, "type"))
    if call["name"] in ("quantizeLinear", "dequantizeLinear"):
        return dtypes[call_argument(call, "zeroPoint" if call["name"] == "quantizeLinear" else "scale")]
    first = dtypes[call_argument(call, "trueValue") if call["name"] == "where" else _first_operand(call, dtypes)]
    row = DATA_TYPES[first]
    return (
        first
        if row.is_float == is_float(result) and (is_float(result) or row.numpy == result.dtype)
        else result.dtype.name
    )


def _resolve(value: Any, values: Mapping[str, Array]) -> Any:
    if isinstance(value, str):
        return values[value] if value in values else SPECIAL.get(value, value)
    if isinstance(value, list) and value and all(isinstance(item, str) and item in values for item in value):
        return [values[item] for item in value]
    return value


def _read(resource: Mapping[str, Any]) -> Array:
    descriptor = resource["descriptor"]
    return read_array(resource["data"], descriptor["dataType"], tuple(descriptor["shape"]))


def widen(array: Array) -> Array:
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def is_float(array: Array) -> bool:
    return array.dtype.kind == "f"
