"""Parts of a case's graph as graphs of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from trtx_backend.dtypes import Array
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.serial import replay

Json: TypeAlias = Mapping[str, Any]
Descriptors: TypeAlias = Mapping[str, tuple[str, tuple[int, ...]]]
"""Data type and shape of every operand by its name."""


def descriptors_of(graph: Json) -> Descriptors:
    """By the builder's inference; ArgumentError if the graph is not valid."""
    operands = replay(MLGraphBuilder(), graph)
    return {name: (operand.dtype, operand.shape) for name, operand in operands.items()}


def known_descriptors(graph: Json) -> Descriptors:
    """The same of a graph that may not be valid, of its operands up to the operator that is not."""
    for count in range(len(graph["operators"]), 0, -1):
        try:
            return descriptors_of({**graph, "operators": graph["operators"][:count]})
        except Exception:  # whatever the builder does with such a graph
            continue
    descriptors = {name: r["descriptor"] for name, r in graph["inputs"].items()}
    return {name: (descriptor["dataType"], tuple(descriptor["shape"])) for name, descriptor in descriptors.items()}


def outputs_of(call: Json) -> list[str]:
    names = call["outputs"]
    return list(names) if isinstance(names, list) else [names]


def inputs_of(call: Json, known: Iterable[str]) -> list[str]:
    """The operands that a call reads, of those that are known."""
    known = set(known)
    found: list[str] = []

    def visit(value: Any) -> None:
        if isinstance(value, str):
            found.extend([value] if value in known else [])
        elif isinstance(value, Mapping):
            for item in value.values():
                visit(item)
        elif isinstance(value, list):
            for item in value:
                visit(item)

    visit(call["arguments"])
    return list(dict.fromkeys(found))


def resource(array: Array, dtype: str) -> dict[str, Any]:
    """An array as a case holds it: as few digits as mean the same value."""
    return {"data": data_of(array), "descriptor": {"shape": list(array.shape), "dataType": dtype}}


def data_of(array: Array) -> list[Any]:
    if array.dtype.kind != "f":
        return [int(value) for value in array.reshape(-1)]
    return [_number(value) for value in array.reshape(-1)]


def _number(value: Any) -> Any:
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < 1e6 and (number or not np.signbit(value)) else number


def part(graph: Json, operators: Sequence[Json], outputs: Sequence[str], descriptors: Descriptors) -> dict[str, Any]:
    """A graph of these operators, those that the outputs need, and of the inputs that they read. Its expected outputs
    have no data, and any type where there is no saying which."""
    names = {name for call in operators for name in outputs_of(call)} | set(graph["inputs"])
    wanted, kept = set(outputs), []
    for call in reversed(operators):
        if wanted.intersection(outputs_of(call)):
            kept.append(call)
            wanted.update(inputs_of(call, names))
    types = {name: descriptors.get(name, ("float32", (1,))) for name in outputs}
    return {
        "inputs": {name: r for name, r in graph["inputs"].items() if name in wanted},
        "operators": kept[::-1],
        "expectedOutputs": {
            name: {"data": 0, "descriptor": {"shape": list(shape), "dataType": dtype}}
            for name, (dtype, shape) in types.items()
        },
    }
