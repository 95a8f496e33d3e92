"""How much memory a case asks for, known from descriptors alone: before an array of it is made.

What a case asks for is the bytes of all its tensors together: inputs, constants, expected outputs, and what each operator
computes. That is the least it could need and not what a target takes, which `memory.limited` bounds while it runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.memory import shown
from trtx_backend.dtypes import data_type
from trtx_backend.graph import Graph, MLOperandDescriptor


class TooLarge(MemoryError):
    """A case asks for more than it may have. The message names its largest tensor."""


def check_declared(graph: Mapping[str, Any], limit: int) -> None:
    """TooLarge if the tensors that a case's graph (a JSON object) declares are of more than `limit` bytes together (0:
    no limit)."""
    groups = (("input", graph["inputs"]), ("expected output", graph["expectedOutputs"]))
    _check(((f"{what} {name!r}", _declared(r)) for what, group in groups for name, r in group.items()), limit)


def check_computed(graph: Graph, limit: int) -> None:
    """TooLarge if the operands of a graph are of more than `limit` bytes together (0: no limit)."""
    inputs = ((f"input {name!r}", operand.descriptor) for name, operand in graph.inputs.items())
    constants = (("a constant", operand.descriptor) for operand in graph.constants)
    made = ((f"the output of {o.name}", each.descriptor) for o in graph.operators for each in o.outputs)
    _check((*inputs, *constants, *made), limit)


def byte_count(descriptor: MLOperandDescriptor) -> int:
    """Of a tensor in memory, where int4 and uint4 are one element a byte."""
    return descriptor.element_count * data_type(descriptor.dtype).numpy.itemsize


def _declared(resource: Mapping[str, Any]) -> MLOperandDescriptor:
    descriptor = resource["descriptor"]
    return MLOperandDescriptor(descriptor["dataType"], tuple(descriptor["shape"]))


def _check(tensors: Iterable[tuple[str, MLOperandDescriptor]], limit: int) -> None:
    every = list(tensors)
    total = sum(byte_count(descriptor) for _, descriptor in every)
    if limit and total > limit:
        name, largest = max(every, key=lambda item: byte_count(item[1]))
        raise TooLarge(f"its tensors are of {shown(total)}, {shown(byte_count(largest))} of them {name}, {largest}")
