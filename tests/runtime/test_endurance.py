"""Nothing grows, however long it runs."""

from __future__ import annotations

import gc
import os
import sys

import numpy as np

from tests.runtime.made import X, execution, product, run, tensors
from trtx_backend.context import MLContext, MLGraph, MLTensor
from trtx_backend.runtime.double import Machine

DISPATCHES = int(os.environ.get("DISPATCHES", "20000"))
"""`make test-endurance` has 100,000."""


def held(context: MLContext, machine: Machine) -> tuple[object, ...]:
    """Sizes of all that could grow."""
    queue = context.runtime.queue  # type: ignore[attr-defined]
    return (
        machine.left(),
        len(queue._buffers),
        len(queue._resources),
        len(queue._dropped),
        len(queue._limbo),
        len(machine.cuda.memory),
    )


def test_many_dispatches(machine: Machine, context: MLContext) -> None:
    graph, pairs = product(context), [tensors(context) for _ in range(3)]
    machine.cuda.idle_kernels = True  # the run of an engine takes no time
    for pair in pairs:
        for _ in range(3):
            run(context, graph, *pair)
    before = held(context, machine)
    gc.collect()
    blocks = sys.getallocatedblocks()
    for turn in range(DISPATCHES // 100):
        x, y = pairs[turn % 3]
        for _ in range(100):
            context.dispatch(graph, {"x": x}, {"y": y})
        context.read_tensor(y)
    gc.collect()
    assert held(context, machine) == before
    assert sys.getallocatedblocks() - blocks < DISPATCHES / 20
    assert machine.calls["cuGraphLaunch"] >= DISPATCHES


def test_thousands_of_tensors_and_graphs(machine: Machine, context: MLContext) -> None:
    graph = product(context)
    seen: set[object] = set()
    for turn in range(200):
        context.compute(graph, {"x": X + turn})
        x, y = tensors(context)
        for _ in range(2):
            run(context, graph, x, y)
        x.destroy()
        if turn % 2:
            y.destroy()
        if turn > 100:
            seen.add(repr(held(context, machine)))
    assert len(seen) <= 2, seen
    assert execution(graph).captured == 0
    assert len(execution(graph)._graphs._seen) == 0
    del x, y


def test_graphs_that_are_built_and_dropped(machine: Machine, context: MLContext) -> None:
    def once(value: int) -> None:
        graph: MLGraph = product(context, np.full((2, 2), value))
        made: tuple[MLTensor, MLTensor] = tensors(context)
        for _ in range(3):
            run(context, graph, *made)

    once(0)
    gc.collect()
    context.create_tensor("float32", [1]).destroy()
    before = held(context, machine)
    for value in range(1, 40):
        once(value)
    gc.collect()
    context.create_tensor("float32", [1]).destroy()
    assert held(context, machine) == before
