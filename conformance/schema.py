"""What a case must look like. Only its form and lengths: whether the graph is valid WebNN, the builder says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from trtx_backend.dtypes import DATA_TYPES

SPECIAL = ("NaN", "Infinity", "-Infinity")


class CaseError(Exception):
    """What is wrong with a case, in one line."""


def check_case(test: Any) -> None:
    """CaseError unless `test` is a case: names, descriptors, lengths of data, operands that exist."""
    _check(isinstance(test, dict), "a case must be an object")
    _check(isinstance(test.get("name"), str) and test["name"] != "", "a case must have a name")
    graph = test.get("graph")
    _check(isinstance(graph, dict), 'a case must have an object "graph"')
    for key, kind in (("inputs", dict), ("operators", list), ("expectedOutputs", dict)):
        _check(isinstance(graph.get(key), kind), f'graph must have {"an object" if kind is dict else "a list"} "{key}"')
    _check(bool(graph["expectedOutputs"]), "graph must expect an output")
    for group in ("inputs", "expectedOutputs"):
        for name, resource in graph[group].items():
            _check_resource(f"{group}: {name!r}", resource)
    known = set(graph["inputs"])
    for position, operator in enumerate(graph["operators"]):
        known.update(_check_operator(position, operator, known))
    for name in graph["expectedOutputs"]:
        _check(name in known - set(graph["inputs"]), f"expectedOutputs: no operator computes {name!r}")
    _check(isinstance(test.get("tolerance"), (dict, type(None))), "tolerance must be an object")


def _check_resource(where: str, resource: Any) -> None:
    descriptor = resource.get("descriptor") if isinstance(resource, dict) else None
    _check(isinstance(descriptor, dict), f'{where} must have an object "descriptor"')
    assert isinstance(descriptor, Mapping)
    shape: Any = descriptor.get("shape")
    dtype: Any = descriptor.get("dataType")
    _check(isinstance(dtype, str) and dtype in DATA_TYPES, f"{where}: {dtype!r} is not a data type")
    positive = isinstance(shape, list) and all(type(size) is int and size > 0 for size in shape)
    _check(positive, f"{where}: the shape {shape!r} must be a list of positive integers")
    _check("data" in resource, f'{where} must have "data"')
    data, count = resource["data"], math.prod(shape)
    if isinstance(data, list):
        _check(len(data) == count, f"{where}: {len(data)} values, the shape {shape} needs {count}")
    values = data if isinstance(data, list) else [data]
    numbers = all(type(value) in (int, float) or value in SPECIAL for value in values)
    _check(numbers, f"{where}: data must be numbers or {', '.join(SPECIAL)}")
    row = DATA_TYPES[dtype]
    if not row.is_float:
        bad = next((value for value in values if type(value) is not int or not row.min <= value <= row.max), None)
        _check(bad is None, f"{where}: {bad} is not a value of {dtype}")


def _check_operator(position: int, operator: Any, known: set[str]) -> list[str]:
    where = f"operators[{position}]"
    _check(isinstance(operator, dict), f"{where} must be an object")
    name = operator.get("name")
    _check(isinstance(name, str), f"{where} must have a name")
    arguments = operator.get("arguments")
    well_formed = isinstance(arguments, list) and all(isinstance(a, dict) for a in arguments)
    _check(well_formed, f"{where} {name}: arguments must be a list of objects")
    for argument in arguments:
        options = argument.get("options", {})
        _check(isinstance(options, dict), f"{where} {name}: options must be an object")
    outputs = operator.get("outputs")
    names: list[Any] = outputs if isinstance(outputs, list) else [outputs]
    _check(bool(names) and all(isinstance(n, str) and n for n in names), f"{where} {name}: outputs must be names")
    for output in names:
        _check(output not in known, f"{where} {name}: another operand is called {output!r}")
    return names


def _check(condition: bool, message: str) -> None:
    if not condition:
        raise CaseError(message)
