"""Ways to make a failing graph smaller: each yields graphs to try, the boldest first. Whether one is valid, and fails as
before, is for whoever tries it to find out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from conformance.oracle import evaluate
from conformance.triage.graphs import (
    Descriptors,
    Json,
    data_of,
    inputs_of,
    known_descriptors,
    outputs_of,
    part,
    resource,
)
from trtx_backend.dtypes import Array
from trtx_backend.graph.serial import read_array

Candidate = dict[str, Any]
ONE_BY_ONE = 64
"""Elements of an input that are tried one by one."""


def fewer_outputs(graph: Json) -> Iterator[Candidate]:
    """One operator's results as the only outputs, and what they need."""
    descriptors = known_descriptors(graph)
    for call in graph["operators"]:
        yield part(graph, graph["operators"], outputs_of(call), descriptors)
    for name in graph["expectedOutputs"]:
        yield part(graph, graph["operators"], [name], descriptors)


def without_operator(graph: Json) -> Iterator[Candidate]:
    """An operator's result becomes an input, of the value that the oracle computes; or is taken to be what it reads."""
    descriptors = known_descriptors(graph)
    for index in reversed(range(len(graph["operators"]))):
        call = graph["operators"][index]
        names = outputs_of(call)
        rest = [*graph["operators"][:index], *graph["operators"][index + 1 :]]
        kept = [name for name in graph["expectedOutputs"] if name not in names]
        if kept:
            made = _values_of(part(graph, graph["operators"], names, descriptors), descriptors)
            if made:
                yield part({"inputs": {**graph["inputs"], **made}}, rest, kept, descriptors)
        for given in inputs_of(call, descriptors):
            if len(names) == 1 and descriptors[given] == descriptors.get(names[0]):
                renamed = [_renamed(other, names[0], given) for other in rest]
                outputs = list(dict.fromkeys(given if name == names[0] else name for name in graph["expectedOutputs"]))
                if not any(name in graph["inputs"] for name in outputs):
                    yield part({"inputs": graph["inputs"]}, renamed, outputs, descriptors)


def _values_of(graph: Json, descriptors: Descriptors) -> Candidate:
    """The outputs of a graph as inputs of another; none if it cannot be computed."""
    try:
        return {name: resource(value, descriptors[name][0]) for name, value in evaluate(graph).items()}
    except Exception:
        return {}


def _renamed(call: Json, old: str, new: str) -> dict[str, Any]:
    return {**call, "arguments": _replaced(call["arguments"], old, new)}


def _replaced(value: Any, old: Any, new: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _replaced(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, old, new) for item in value]
    return new if type(value) is type(old) and value == old else value


def fewer_options(graph: Json) -> Iterator[Candidate]:
    """An operator without one of its options."""
    for index, call in enumerate(graph["operators"]):
        for position, argument in enumerate(call["arguments"]):
            for key in argument.get("options", {}):
                made = deepcopy(dict(graph))
                del made["operators"][index]["arguments"][position]["options"][key]
                yield _trimmed(made)


def _trimmed(graph: Candidate) -> Candidate:
    """Without the inputs that nothing reads any more, and without empty options."""
    for call in graph["operators"]:
        call["arguments"] = [argument for argument in call["arguments"] if argument != {"options": {}}]
    names = [*graph["inputs"], *(name for call in graph["operators"] for name in outputs_of(call))]
    read = {name for call in graph["operators"] for name in inputs_of(call, names)}
    graph["inputs"] = {name: r for name, r in graph["inputs"].items() if name in read}
    return graph


def smaller_shapes(graph: Json) -> Iterator[Candidate]:
    """A size that occurs in the shapes of inputs, smaller: everywhere and in the operators' arguments as well, in the
    inputs only, or in one place."""
    sizes = sorted(
        {size for r in graph["inputs"].values() for size in r["descriptor"]["shape"] if size > 1}, reverse=True
    )
    for size in sizes:
        for new in dict.fromkeys((1, 2, size // 2, size - 1)):
            if not 0 < new < size:
                continue
            everywhere = {
                name: [new if s == size else s for s in r["descriptor"]["shape"]] for name, r in graph["inputs"].items()
            }
            yield _resized(graph, everywhere, (size, new))
            yield _resized(graph, everywhere, None)
            for name, r in graph["inputs"].items():
                shape = r["descriptor"]["shape"]
                for axis in (axis for axis, s in enumerate(shape) if s == size):
                    yield _resized(graph, {name: [*shape[:axis], new, *shape[axis + 1 :]]}, None)


def _resized(graph: Json, shapes: Mapping[str, list[int]], sizes: tuple[int, int] | None) -> Candidate:
    inputs = dict(graph["inputs"])
    for name, shape in shapes.items():
        array = _array(inputs[name])[tuple(slice(size) for size in shape)]
        inputs[name] = {**inputs[name], **resource(array, inputs[name]["descriptor"]["dataType"])}
    calls = graph["operators"]
    if sizes:
        calls = [{**call, "arguments": _replaced(call["arguments"], *sizes)} for call in calls]
    return {**graph, "inputs": inputs, "operators": calls}


def simpler_values(graph: Json) -> Iterator[Candidate]:
    """Inputs of zeros, ones or whole numbers; then parts of them zero, smaller and smaller."""
    for name, r in graph["inputs"].items():
        array = _array(r)
        rounded = np.nan_to_num(np.round(array.astype(np.float64)), posinf=1, neginf=-1).astype(array.dtype)
        for simple in (
            np.zeros_like(array),
            np.ones_like(array),
            np.sign(np.nan_to_num(array)).astype(array.dtype),
            rounded,
        ):
            yield _with_values(graph, name, simple)
    for name, r in graph["inputs"].items():
        array = _array(r)
        length = array.size // 2
        while length >= 1:
            for start in range(0, array.size, length) if length > 1 or array.size <= ONE_BY_ONE else ():
                made = array.copy().reshape(-1)
                made[start : start + length] = 0
                yield _with_values(graph, name, made.reshape(array.shape))
            length //= 2


def _with_values(graph: Json, name: str, array: Array) -> Candidate:
    r = graph["inputs"][name]
    return {**graph, "inputs": {**graph["inputs"], name: {**r, "data": data_of(array)}}}


def _array(r: Json) -> Array:
    return read_array(r["data"], r["descriptor"]["dataType"], tuple(r["descriptor"]["shape"]))


PASSES: tuple[Callable[[Json], Iterator[Candidate]], ...] = (
    fewer_outputs, without_operator, fewer_options, smaller_shapes, simpler_values
)  # fmt: skip


def measure(graph: Json) -> tuple[int, ...]:
    """What must get smaller: operators, outputs, options, elements, and the length of their text."""
    options = sum(len(a.get("options", {})) for call in graph["operators"] for a in call["arguments"])
    elements = sum(int(np.prod(r["descriptor"]["shape"])) for r in graph["inputs"].values())
    text = sum(len(json.dumps(r["data"])) for r in graph["inputs"].values())
    return len(graph["operators"]), len(graph["expectedOutputs"]), options, elements, text
