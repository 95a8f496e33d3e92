"""The executor against the GPU, layer by layer.

Every tensor of a network that may be an output is made one, and the network is run on the GPU. Then the executor computes
each layer from what the GPU gave for its inputs: the difference is that layer's alone. Layers that TensorRT would fuse are
kept apart by this, so the figures are of the layers, not of the engine that the suite runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from conformance.cases import BrokenCase, find_corpus, select
from trtx_backend.dtypes import Array
from trtx_backend.edge import to_binding
from trtx_backend.engine import TensorRTCompiler, build, for_device
from trtx_backend.errors import EngineError, ExecutorError, NetworkError, UnsupportedError
from trtx_backend.executor import read
from trtx_backend.executor.steps import run_step
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.serial import read_array, replay
from trtx_backend.lowering import LoweredGraph, lower
from trtx_backend.options import TrtxOptions
from trtx_backend.runtime.dispatch import Execution
from trtx_backend.runtime.double.plan import make_plan
from trtx_backend.runtime.driver import Binding
from trtx_backend.runtime.loader import Loader, Runtime
from trtx_backend.runtime.trtx import TrtxRuntime, default_compiler
from trtx_backend.trt import Network, trt

ROOT = Path(__file__).resolve().parents[2]
LOOPS = (trt.LayerType.TRIP_LIMIT, trt.LayerType.RECURRENCE, trt.LayerType.ITERATOR, trt.LayerType.LOOP_OUTPUT)
ULP_LIMIT = 64
"""A layer farther off than this, and by more than 1e-5 of its greatest value, is listed; which cases need less, the suite
says."""


def compare(op: str | None, cases_a_file: int) -> dict[str, Any]:
    """By layer type: how many were compared, how many were equal, the worst distance in ULP and relative to the greatest
    value. `passed`: none is far off, and some were compared."""
    runtime = TrtxRuntime(0, TrtxOptions(engine_caching=False))
    types: dict[str, dict[str, float]] = defaultdict(lambda: {"layers": 0, "equal": 0, "ulp": 0, "relative": 0})
    far: list[dict[str, Any]] = []
    skipped: dict[str, int] = defaultdict(int)
    try:
        for case in _sample(op, cases_a_file):
            try:
                rows = _layers(runtime, case)
            except (EngineError, NetworkError, UnsupportedError, ExecutorError) as error:
                skipped[str(error).split(":")[0][:60]] += 1
                continue
            for kind, name, ulp, relative in rows:
                row = types[kind]
                row["layers"] += 1
                row["equal"] += ulp == 0
                row["ulp"], row["relative"] = max(row["ulp"], ulp), max(row["relative"], relative)
                if ulp > ULP_LIMIT and relative > 1e-5:
                    far.append({"case": case.id, "layer": name, "ulp": ulp, "relative": relative})
    finally:
        runtime.close()
    return {
        "passed": bool(types) and not far,
        "types": dict(sorted(types.items())),
        "skipped": skipped,
        "far": far[:200],
    }


def assumptions() -> dict[str, Any]:
    """What the executor assumes of TensorRT (docs/assumptions.md), asked of the device. `passed`: nothing is refuted."""
    from tests.executor_check.probes import run_probes

    runtime = TrtxRuntime(0, TrtxOptions(engine_caching=False))
    try:
        findings = run_probes(lambda network, feeds: on_gpu(runtime, network, feeds), runtime.device.name)
        lost = runtime.lost
    finally:
        runtime.close()
    counts = Counter(finding.status for finding in findings)
    others = [asdict(finding) for finding in findings if finding.status != "confirmed"]
    return {"passed": bool(counts["confirmed"]) and not counts["refuted"] and lost is None, **counts, "others": others}


def _sample(op: str | None, cases_a_file: int) -> list[Any]:
    """Cases spread over each file."""
    by_file = defaultdict(list)
    for case in select(find_corpus(None, ROOT), op):
        if not isinstance(case, BrokenCase):
            by_file[case.path].append(case)
    return [case for cases in by_file.values() for case in cases[:: max(1, len(cases) // cases_a_file)][:cases_a_file]]


def _layers(runtime: TrtxRuntime, case: Any) -> list[tuple[str, str, float, float]]:
    builder = MLGraphBuilder()
    operands = replay(builder, case.graph)
    graph = builder.finish({name: operands[name] for name in case.graph["expectedOutputs"]})
    lowered = lower(graph)
    kinds = _mark_all(lowered)
    program = read(lowered.network)
    resources = case.graph["inputs"]
    feeds = {
        lowered.inputs[name].name: to_binding(read_array(resources[name]["data"], o.dtype, o.shape), o.dtype)
        for name, o in graph.inputs.items()
    }
    tensors = {**feeds, **on_gpu(runtime, lowered.network, feeds)}
    return [row for step in program.steps for row in _compare(step, tensors, kinds)]


def _mark_all(lowered: LoweredGraph) -> dict[str, str]:
    """Make every tensor an output that can be one. The types of the layers, by name."""
    network = lowered.network
    layers = [network.get_layer(index) for index in range(network.num_layers)]
    if any(layer.type in LOOPS for layer in layers):
        raise ExecutorError("a loop: its tensors cannot be outputs")
    kinds = {layer.name: layer.type.name for layer in layers}
    for layer in layers:
        for index in range(layer.num_outputs):
            tensor = layer.get_output(index)
            if not tensor.is_network_output and tensor.dtype != trt.uint8:
                network.mark_output(tensor)
    return kinds


def on_gpu(runtime: TrtxRuntime, network: Network, feeds: dict[str, Array]) -> dict[str, Array]:
    """The outputs of a network of TensorRT's, built for the device and run on it, by their names."""
    program = read(network)
    if isinstance(default_compiler(), TensorRTCompiler):
        plan = build(network, for_device(runtime.device.compute_capability).targets)
    else:
        plan = make_plan(network, {})
    loader = Loader(runtime.queue, Runtime())
    engine = loader.deserialize(plan)
    expected = [
        Binding(info.name, is_input, info.dtype.name, info.shape)
        for side, is_input in ((program.inputs, True), (program.outputs, False))
        for info in side
    ]
    execution = Execution(runtime.queue, engine, expected, graph_limit=0)
    queue, buffers = runtime.queue, {}
    try:
        for info in (*program.inputs, *program.outputs):
            buffers[info.name] = queue.allocate(int(np.prod(info.shape)) * info.storage.itemsize)
        for name, data in feeds.items():
            queue.upload(buffers[name], data)
        execution.run(buffers)
        results = {info.name: np.empty(info.shape, info.storage) for info in program.outputs}
        for name, array in results.items():
            queue.download(buffers[name], array)
        return results
    finally:
        queue.release(execution)
        for buffer in buffers.values():
            queue.free(buffer)


def _compare(step: Any, tensors: dict[str, Array], kinds: dict[str, str]) -> list[tuple[str, str, float, float]]:
    given = {name: tensors[name] for name in step.inputs if name is not None and name in tensors}
    if len(given) < len({name for name in step.inputs if name is not None}):
        return []  # an input that could not be an output
    computed = dict(given)
    with np.errstate(all="ignore"):
        run_step(step, computed, np.float64)
    rows = []
    for info in step.outputs:
        if info.name in tensors and info.name in computed:
            ulp, relative = _distance(tensors[info.name], computed[info.name])
            rows.append((kinds[step.name], step.name, ulp, relative))
    return rows


def _distance(actual: Array, expected: Array) -> tuple[float, float]:
    """In units of the last place of the expected value, and relative to the greatest one."""
    if not actual.size or actual.tobytes() == expected.tobytes():
        return 0.0, 0.0
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    both = (np.isnan(a) & np.isnan(e)) | (a == e)
    off = np.where(both, 0, np.abs(a - e))
    off[np.isnan(off)] = np.inf
    spacing = np.spacing(np.abs(expected)).astype(np.float64) if expected.dtype.kind == "f" else np.ones_like(e)
    finite = np.abs(e[np.isfinite(e)])
    greatest = float(finite.max()) if finite.size else 0.0
    with np.errstate(all="ignore"):
        ulp = float(np.nan_to_num(off / np.nan_to_num(spacing, nan=1.0), posinf=1e30).max())
    return min(ulp, 1e30), min(float(off.max()) / (greatest or 1.0), 1e30)
