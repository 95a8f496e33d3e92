"""The parts of the report that need no corpus: machine, cache, replay, refit."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trtx_backend import ML, Backend, MLContextOptions, MLGraphBuilder, MLOperand, TrtxOptions
from trtx_backend.context import MLContext, MLGraph
from trtx_backend.dtypes import Array
from trtx_backend.runtime.device import default_driver, describe

Lines = Callable[[MLGraphBuilder], MLOperand]
DISPATCHES = 1_000


def machine() -> dict[str, Any]:
    """What the report is of."""
    driver = default_driver()
    device = describe(driver, 0)
    return {
        "device": {
            "name": device.name,
            "compute_capability": list(device.compute_capability),
            "memory": device.memory,
        },
        "versions": {
            "tensorrt": driver.tensorrt_version,
            "cuda_driver": driver.driver_version(),
            "numpy": np.__version__,
        },
    }


def _random(shape: tuple[int, ...], seed: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def mlp(b: MLGraphBuilder, seed: int = 0) -> MLOperand:
    y = b.input("x", "float32", [8, 64])
    for layer in range(3):
        weights = b.constant(_random((64, 64), seed + layer) / 8)
        y = b.relu(b.add(b.matmul(y, weights), b.constant(_random((64,), seed + layer))))
    return y


def convolutions(b: MLGraphBuilder) -> MLOperand:
    y = b.input("x", "float32", [1, 3, 32, 32])
    for layer, (inputs, outputs) in enumerate(((3, 8), (8, 8))):
        y = b.relu(b.conv2d(y, b.constant(_random((outputs, inputs, 3, 3), layer) / 4), padding=[1, 1, 1, 1]))
    return b.softmax(b.average_pool2d(y), 1)


def recurrent(b: MLGraphBuilder) -> MLOperand:
    x = b.input("x", "float32", [5, 2, 8])
    weight, recurrent_weight = (b.constant(_random((1, 4 * 8, 8), seed) / 4) for seed in (1, 2))
    return b.lstm(x, weight, recurrent_weight, 5, 8)[0]


GRAPHS: Mapping[str, Lines] = {"mlp": mlp, "convolutions": convolutions, "recurrent": recurrent}


@contextmanager
def context(directory: str | Path, **options: Any) -> Iterator[MLContext]:
    trtx = TrtxOptions(cache_dir=directory, **options)
    with ML().create_context(MLContextOptions(backend=Backend.TRTX, trtx=trtx)) as made:
        yield made


def build(on: MLContext, lines: Lines) -> MLGraph:
    builder = MLGraphBuilder(on)
    made: MLGraph = builder.build({"y": lines(builder)})
    return made


def inputs(graph: MLGraph) -> dict[str, Array]:
    return {name: _random(descriptor.shape, 7) for name, descriptor in graph.inputs.items()}


def on_cpu(lines: Lines) -> NDArray[np.float32]:
    """The executor's result."""
    made = ML().create_context(MLContextOptions(accelerated=False))
    graph = build(made, lines)
    return made.compute(graph, inputs(graph))["y"].astype(np.float32)


def _ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)


def cache() -> dict[str, Any]:
    """Empty against primed cache: milliseconds from graph to engine. Results must be equal to the bit."""
    found: dict[str, Any] = {"passed": True}
    for name, lines in GRAPHS.items():
        with tempfile.TemporaryDirectory() as directory:
            rows = []
            for _ in range(3):
                with context(directory) as made:
                    started = time.perf_counter()
                    graph = build(made, lines)
                    rows.append(
                        (_ms(started), graph.compiled.cached, made.compute(graph, inputs(graph))["y"].tobytes())
                    )
        (empty, _, first), (primed, hit, second), (again, _, third) = rows
        same = first == second == third
        found[name] = {"empty_ms": empty, "primed_ms": [primed, again], "hit": hit, "same": same}
        found["passed"] &= hit and same
    return found


def replay() -> dict[str, Any]:
    """CUDA graphs against plain enqueue: microseconds a dispatch. Results must be equal to the bit."""
    found: dict[str, Any] = {"passed": True}
    for name, lines in GRAPHS.items():
        row: dict[str, Any] = {}
        results = {}
        with tempfile.TemporaryDirectory() as directory:
            for kind, graphs in (("plain", False), ("replayed", True)):
                with context(directory, cuda_graphs=graphs) as made:
                    graph = build(made, lines)
                    row[f"{kind}_us"], results[kind] = _dispatch_often(made, graph)
                    row[f"{kind}_graphs"] = graph.compiled.execution.captured
        row["same"] = results["plain"] == results["replayed"]
        found[name] = row
        found["passed"] &= row["same"] and row["replayed_graphs"] == 1 and row["plain_graphs"] == 0
    return found


def _dispatch_often(made: MLContext, graph: MLGraph) -> tuple[float, bytes]:
    given = {n: made.create_tensor(d.dtype, d.shape, writable=True) for n, d in graph.inputs.items()}
    taken = {n: made.create_tensor(d.dtype, d.shape, readable=True) for n, d in graph.outputs.items()}
    for name, data in inputs(graph).items():
        made.write_tensor(given[name], data)
    for _ in range(3):
        made.dispatch(graph, given, taken)
    made.read_tensor(taken["y"])
    for name, data in inputs(graph).items():
        made.write_tensor(given[name], data[::-1])  # else a replay that does nothing would leave the right result
    started = time.perf_counter()
    for _ in range(DISPATCHES):
        made.dispatch(graph, given, taken)
    result = made.read_tensor(taken["y"]).tobytes()
    return round(_ms(started) * 1000 / DISPATCHES, 2), result


def refit() -> dict[str, Any]:
    """The same graph with other weights: the engine comes from the cache, and computes with the new ones."""
    rows = {}
    with tempfile.TemporaryDirectory() as directory:
        for seed in (0, 100):

            def lines(b: MLGraphBuilder, seed: int = seed) -> MLOperand:
                return mlp(b, seed)

            with context(directory) as made:
                graph = build(made, lines)
                got, expected = made.compute(graph, inputs(graph))["y"].astype(np.float32), on_cpu(lines)
            rows[seed] = {"cached": graph.compiled.cached, "worst": float(np.abs(got - expected).max())}
    passed = rows[100]["cached"] and all(row["worst"] < 1e-4 for row in rows.values())
    return {"passed": bool(passed), "first": rows[0], "changed": rows[100]}
