"""What a dispatch costs the host, on the double of the CUDA driver: calls and allocations, counted."""

from __future__ import annotations

import gc
import sys
import tempfile
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.suite.rows import Row

TURNS = 200
DOUBLE = "/runtime/double/"


def measure() -> Iterator[Row]:
    for kind, counts in counted().items():
        for name, value in counts.items():
            yield Row("dispatch", f"{kind}: {name}", value, "a dispatch")


def counted() -> dict[str, dict[str, float]]:
    """By kind of dispatch (plain, captured, replayed), what it does. The calls of the double itself are not counted."""
    from trtx_backend import ML, Backend, MLContextOptions, MLGraphBuilder, TrtxOptions
    from trtx_backend.runtime.double import installed

    with tempfile.TemporaryDirectory() as cache, installed() as machine:
        machine.cuda.idle_kernels = True
        options = MLContextOptions(backend=Backend.TRTX, trtx=TrtxOptions(cache_dir=Path(cache)))
        with ML().create_context(options) as context:
            b = MLGraphBuilder(context)
            graph = b.build({"y": b.relu(b.add(b.input("x", "float32", [2]), b.input("z", "float32", [2])))})
            given = {name: context.create_tensor("float32", [2], writable=True) for name in "xz"}
            taken = {"y": context.create_tensor("float32", [2], readable=True)}
            context.write_tensor(given["x"], np.ones(2, np.float32))

            def dispatch() -> None:
                context.dispatch(graph, given, taken)

            found: dict[str, dict[str, float]] = {}
            for kind in ("plain", "captured", "replayed"):
                before = Counter(machine.calls)
                dispatch()
                found[kind] = {"driver calls": sum((machine.calls - before).values())}
                memory = sum(n for name, n in (machine.calls - before).items() if "Alloc" in name)
                found[kind]["device allocations"] = memory
            replayed = found["replayed"]
            replayed |= _python(dispatch, lambda: context.read_tensor(taken["y"]))
            return found


def _python(dispatch: Callable[[], Any], wait: Callable[[], Any]) -> dict[str, float]:
    """Python's side: functions called, memory taken for the time of a dispatch, and memory that stays."""
    calls = 0

    def count(frame: Any, event: str, _: Any) -> None:
        nonlocal calls
        calls += event == "call" and DOUBLE not in frame.f_code.co_filename.replace("\\", "/")

    dispatch()
    wait()
    sys.setprofile(count)
    try:
        dispatch()
    finally:
        sys.setprofile(None)
    wait()  # the double holds what was enqueued until something waits for it
    gc.collect()
    blocks = sys.getallocatedblocks()
    for _ in range(TURNS):
        dispatch()
    wait()
    gc.collect()
    stays = (sys.getallocatedblocks() - blocks) / TURNS
    tracemalloc.start()
    try:
        dispatch()
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        dispatch()
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    return {"Python functions": calls, "bytes taken meanwhile": peak, "blocks that stay": max(stays, 0)}
