"""Loops of a network: the layers that make one are gathered into a single step, innermost loops first.

A loop has no list of its layers: inside it is what depends on its recurrences and iterators, and leads to its outputs.
What the body reads and does not depend on them is computed once, outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Array, Kernel, layer_class
from trtx_backend.executor.steps import Step, TensorInfo, order, run_step
from trtx_backend.trt import Layer, trt

Type = trt.LayerType
PARTS = (Type.TRIP_LIMIT, Type.ITERATOR, Type.RECURRENCE, Type.LOOP_OUTPUT)


@dataclass(frozen=True)
class Part:
    """A layer that belongs to a loop by name: trip limit, iterator, recurrence or output."""

    loop: str
    kind: Any
    name: str
    inputs: tuple[str | None, ...]
    outputs: tuple[TensorInfo, ...]
    axis: int = 0
    backward: bool = False
    mode: Any = None
    """TripLimit or LoopOutput."""

    def input(self, index: int) -> str:
        found = self.inputs[index] if index < len(self.inputs) else None
        if found is None:
            raise ExecutorError(f"{self.name}: input {index} is not connected")
        return found

    @property
    def output(self) -> TensorInfo:
        return self.outputs[0]


def read_part(layer: Layer, inputs: tuple[str | None, ...], outputs: tuple[TensorInfo, ...]) -> Part:
    kind = layer.type
    layer.__class__ = layer_class(kind)
    loop = layer.loop.name
    if kind == Type.ITERATOR:
        return Part(loop, kind, layer.name, inputs, outputs, layer.axis, layer.reverse)
    if kind == Type.LOOP_OUTPUT:
        return Part(loop, kind, layer.name, inputs, outputs, layer.axis, mode=layer.kind)
    return Part(loop, kind, layer.name, inputs, outputs, mode=layer.kind if kind == Type.TRIP_LIMIT else None)


def collapse(steps: Sequence[Step], parts: Sequence[Part]) -> list[Step]:
    """The steps with every loop as one of them."""
    waiting = list(parts)
    collapsed = list(steps)
    while waiting:
        for name in dict.fromkeys(part.loop for part in waiting):
            mine = [part for part in waiting if part.loop == name]
            inside = _dependents(mine, collapsed, [part for part in waiting if part.loop != name])
            if inside is not None:
                collapsed.append(_loop_step(name, mine, inside))
                waiting = [part for part in waiting if part.loop != name]
                break
        else:
            raise ExecutorError(f"loops {sorted({part.loop for part in waiting})} are tangled")
    return collapsed


def _dependents(mine: Sequence[Part], steps: Sequence[Step], others: Sequence[Part]) -> list[Step] | None:
    """The steps that depend on the loop's recurrences and iterators; None if a part of another loop does."""
    tensors = {part.output.name for part in mine if part.kind in (Type.RECURRENCE, Type.ITERATOR)}
    readers: dict[str, list[Step | Part]] = {}
    nodes: list[Step | Part] = [*steps, *others]
    for node in nodes:
        for name in node.inputs:
            if name is not None:
                readers.setdefault(name, []).append(node)
    found: dict[str, Step] = {}
    queue = list(tensors)
    while queue:
        for node in readers.get(queue.pop(), ()):
            if isinstance(node, Part):
                return None
            if node.name not in found:
                found[node.name] = node
                queue.extend(info.name for info in node.outputs)
    return list(found.values())


def _loop_step(name: str, parts: Sequence[Part], dependents: Sequence[Step]) -> Step:
    of = {kind: [part for part in parts if part.kind == kind] for kind in PARTS}
    limits = {part.mode: part for part in of[Type.TRIP_LIMIT]}
    if not limits or len(limits) != len(of[Type.TRIP_LIMIT]):
        raise ExecutorError(
            f"{name}: a loop needs a trip limit, at most one of each kind, it has {len(of[Type.TRIP_LIMIT])}"
        )
    condition, number = limits.get(trt.TripLimit.WHILE), limits.get(trt.TripLimit.COUNT)
    wanted = [part.input(1) for part in of[Type.RECURRENCE]]
    wanted += [part.input(0) for part in of[Type.LOOP_OUTPUT]]
    wanted += [] if condition is None else [condition.input(0)]
    body = order(dependents, wanted)
    own = {part.output.name for part in (*of[Type.RECURRENCE], *of[Type.ITERATOR])}
    own.update(info.name for step in body for info in step.outputs)
    needed: list[str | None] = [name for step in body for name in step.inputs]
    needed += [*wanted, *(part.input(0) for part in (*of[Type.RECURRENCE], *of[Type.ITERATOR]))]
    needed += [
        *(part.input(0) for part in limits.values()),
        *(part.inputs[1] for part in of[Type.LOOP_OUTPUT] if len(part.inputs) > 1),
    ]
    inputs = tuple(dict.fromkeys(tensor for tensor in needed if tensor is not None and tensor not in own))
    outputs = tuple(part.output for part in of[Type.LOOP_OUTPUT])
    return Step(name, inputs, outputs, _kernel(inputs, condition, number, of, body), moves=True, told=True)


def _kernel(
    inputs: Sequence[str],
    condition: Part | None,
    number: Part | None,
    of: dict[Any, list[Part]],
    body: Sequence[Step],
) -> Kernel:
    recurrences, iterators, results = of[Type.RECURRENCE], of[Type.ITERATOR], of[Type.LOOP_OUTPUT]

    def run(*given: Array, accumulate: type[np.floating[Any]]) -> tuple[Array, ...]:
        outside = dict(zip(inputs, given, strict=True))
        states = {part.output.name: outside[part.input(0)] for part in recurrences}
        seen: dict[str, list[Array]] = {part.name: [] for part in results}
        for turn in count() if number is None else range(int(outside[number.input(0)].reshape(()))):
            tensors = {**outside, **states}
            for part in iterators:
                data = outside[part.input(0)]
                index = data.shape[part.axis] - 1 - turn if part.backward else turn
                tensors[part.output.name] = np.take(data, index, part.axis)
            for step in body:
                run_step(step, tensors, accumulate)
            if condition is not None and not tensors[condition.input(0)]:
                break
            for part in results:
                seen[part.name].append(tensors[part.input(0)])
            states = {part.output.name: tensors[part.input(1)] for part in recurrences}
        return tuple(_result(part, states, seen[part.name], outside) for part in results)

    return run


def _result(part: Part, states: dict[str, Array], seen: list[Array], outside: dict[str, Array]) -> Array:
    if part.mode == trt.LoopOutput.LAST_VALUE:  # of a recurrence: after the last turn
        if part.input(0) in states:
            return states[part.input(0)]
        if not seen:
            raise ExecutorError(f"{part.name}: the loop did not run, and its output has no value")
        return seen[-1]
    length = int(outside[part.input(1)])
    if length < len(seen):
        raise ExecutorError(f"{part.name}: the loop ran {len(seen)} times, its output has length {length}")
    if not seen:
        return np.zeros(part.output.shape, part.output.storage)
    return np.stack(seen[::-1] if part.mode == trt.LoopOutput.REVERSE else seen, part.axis)
