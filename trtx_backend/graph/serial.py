"""Graphs in the form of the conformance cases: JSON objects with `inputs`, `operators` and `expectedOutputs`.

An input is {"data", "descriptor": {"shape", "dataType"}, "constant"?}; an operator {"name", "arguments", "outputs"},
where `arguments` is a list of one-key objects and the key `options` holds the operator's dictionary. A string that
names an operand stands for it. What JSON lacks is written as the strings "NaN", "Infinity" and "-Infinity".
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from trtx_backend.dtypes import Array, data_type
from trtx_backend.errors import ArgumentError, check
from trtx_backend.graph.builder import MLGraphBuilder
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import check_shape
from trtx_backend.graph.operator import RULES, OperatorRule

SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

RENAMED = {"type": "dtype", "input_a": "a", "input_b": "b", "output_data_type": "output_dtype"}
"""Arguments whose Python name is not the snake_case of the case's."""


def read_array(data: Any, dtype: str, shape: tuple[int, ...]) -> Array:
    """Case data as an array: a flat list, or one number that fills the shape. Exact: 64-bit integers stay what they are.

    int4 and uint4 are one element a byte. ArgumentError if the length is wrong, a value is not of the type or is out of
    its range. Floats are rounded to the type.
    """
    row, count = data_type(dtype), math.prod(shape)
    single = not isinstance(data, list)
    values = [data] if single else data
    check(single or len(values) == count, "data", f"{len(values)} values", f"the shape {list(shape)} needs {count}")
    if row.is_float:
        array = np.array([_number(value) for value in values], np.float64)
        with np.errstate(over="ignore"):
            array = array.astype(np.float32).astype(row.numpy)
    else:
        for value in values:
            check(isinstance(value, int) and not isinstance(value, bool), "data", value, f"{dtype} needs integers")
            check(row.min <= value <= row.max, "data", value, f"{dtype} is from {row.min} to {row.max}")
        array = np.array(values, row.numpy)
    return np.full(shape, array[0]) if single else array.reshape(shape)


def replay(builder: MLGraphBuilder, graph: Mapping[str, Any]) -> dict[str, MLOperand]:
    """Make a case's graph with a builder: every operand that has a name in it, by that name.

    ArgumentError (TypeError) says which operator, operand and rule is at fault.
    """
    operands: dict[str, MLOperand] = {}
    for name, resource in graph["inputs"].items():
        shape, dtype = resource["descriptor"]["shape"], resource["descriptor"]["dataType"]
        if not resource.get("constant"):
            operands[name] = builder.input(name, dtype, shape)
            continue
        try:
            check_shape("shape", tuple(shape))
            data = read_array(resource["data"], dtype, tuple(shape))
        except ArgumentError as error:
            raise error.of(f"constant {name!r}") from None
        operands[name] = builder.constant(dtype, data, shape)
    for call in graph["operators"]:
        made = replay_operator(builder, call, operands)
        names = call["outputs"] if isinstance(call["outputs"], list) else [call["outputs"]]
        results = made if isinstance(made, tuple) else (made,)
        rule = f"it computes {len(results)}"
        check(len(names) == len(results), f"{call['name']}: outputs", names, rule)
        operands.update(zip(names, results, strict=True))
    return operands


def python_name(name: str) -> str:
    """`reduceL1` -> `reduce_l1`, `isNaN` -> `is_nan`, `gatherND` -> `gather_nd`, `outputShapeRounding` -> `…_…_…`."""
    if name in ("conv2d", "resample2d"):
        return name
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("NaN", "Nan")).lower()
    return RENAMED.get(words, words)


def operator_rule(name: str) -> OperatorRule[..., Any]:
    """The operator of a WebNN name, or ArgumentError."""
    rule = RULES.get(python_name(name))
    if rule is None or rule.webnn_name != name:
        raise ArgumentError("operator", name, "WebNN has no operator of this name")
    return rule


def replay_operator(builder: MLGraphBuilder, call: Mapping[str, Any], operands: Mapping[str, MLOperand]) -> Any:
    rule = operator_rule(call["name"])
    arguments: dict[str, Any] = {}
    for argument in call["arguments"]:
        for name, value in argument.items():
            items = value.items() if name == "options" else ((name, value),)
            arguments.update((python_name(key), item) for key, item in items)

    if len(rule.limits) == 1 and "input" in arguments and "input" not in rule.limits:
        arguments[next(iter(rule.limits))] = arguments.pop("input")
    resolved = {
        key: _resolve(value, operands, f"{call['name']}: {key}") if key in rule.limits else _literal(value)
        for key, value in arguments.items()
    }
    return rule.add_to(builder, **resolved)


def _resolve(value: Any, operands: Mapping[str, MLOperand], where: str) -> Any:
    if isinstance(value, list):
        return [_resolve(item, operands, where) for item in value]
    check(isinstance(value, str) and value in operands, where, value, "no input or earlier output has this name")
    return operands[value]


def _literal(value: Any) -> Any:
    return SPECIAL[value] if isinstance(value, str) and value in SPECIAL else value


def _number(value: Any) -> float:
    value = _literal(value)
    check(isinstance(value, (int, float)) and not isinstance(value, bool), "data", value, "must be a number")
    try:
        return float(value)
    except OverflowError:
        raise ArgumentError("data", value, "must be a number that float64 holds") from None
