"""The executor against onnxruntime on the CPU: make bench-executor.

Layers of well-known networks, and whole networks with random weights. Each is one ONNX model: onnxruntime runs it, and NVIDIA's
parser makes a network of it for the executor. The two take turns in one process, and the best time of each counts, since
other programs only ever slow one down. Results are compared, too.

Measured is the time on as many threads as there are processors, at most two; and the processor's time on one thread, which
says more where other programs run: a short layer may find two idle processors now and then, a long one does not.

Onnxruntime computes in float32, the executor in float64, of which a processor does half as many operations: a product of
matrices cannot take less than twice the time. Numpy's own products in both types are measured, too.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from tests.executor_check import networks
from trtx_backend.executor import Program, execute, read, shares
from trtx_backend.executor.shares import processors
from trtx_backend.executor.steps import run_step
from trtx_backend.trt import create_network, log, trt

THREADS = min(2, processors())
REPORT = Path(__file__).parents[1] / "reports" / "executor-speed.json"
PAUSE = 0.02
"""Seconds for the threads of one to come to rest before the other begins."""


def layer(op: str, shape: list[int], *weights: list[int], **attributes: Any) -> bytes:
    """A model of one operator. An operand of a product that both change is an input, too."""
    random = np.random.default_rng(0)
    both = op == "MatMul" and len(weights[0]) > 2
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    constants = []
    for place, size in enumerate(weights):
        if both:
            inputs.append(helper.make_tensor_value_info(f"w{place}", TensorProto.FLOAT, size))
        else:
            values = random.standard_normal(size).astype(np.float32)
            constants.append(numpy_helper.from_array(values, f"w{place}"))
    node = helper.make_node(op, ["x", *(f"w{place}" for place in range(len(weights)))], ["y"], **attributes)
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], op, inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


def conv(channels: int, maps: int, size: int, window: int, stride: int = 1, groups: int = 1) -> bytes:
    return layer(
        "Conv",
        [1, channels, size, size],
        [maps, channels // groups, window, window],
        [maps],
        strides=[stride] * 2,
        pads=[window // 2] * 4,
        group=groups,
    )


def transposed(channels: int, maps: int, size: int, window: int, stride: int) -> bytes:
    pads = [(window - stride) // 2] * 4
    shape = [1, channels, size, size]
    return layer("ConvTranspose", shape, [channels, maps, window, window], strides=[stride] * 2, pads=pads)


def pool(op: str, channels: int, size: int, window: int, stride: int, pad: int = 0) -> bytes:
    shape = [1, channels, size, size]
    return layer(op, shape, kernel_shape=[window] * 2, strides=[stride] * 2, pads=[pad] * 4)


LAYERS: dict[str, Callable[[], bytes]] = {
    "convolution 7x7/2 3>64 @224": lambda: conv(3, 64, 224, 7, 2),
    "convolution 3x3 64 @56": lambda: conv(64, 64, 56, 3),
    "convolution 1x1 256>64 @56": lambda: conv(256, 64, 56, 1),
    "convolution 3x3 256 @14": lambda: conv(256, 256, 14, 3),
    "convolution 3x3 512 @7": lambda: conv(512, 512, 7, 3),
    "convolution 1x1 16>96 @112": lambda: conv(16, 96, 112, 1),
    "grouped convolution 3x3 128 in 32 @56": lambda: conv(128, 128, 56, 3, groups=32),
    "grouped convolution 1x1 240>60 in 3 @28": lambda: conv(240, 60, 28, 1, groups=3),
    "depthwise convolution 3x3/2 96 @112": lambda: conv(96, 96, 112, 3, 2, 96),
    "depthwise convolution 3x3 576 @14": lambda: conv(576, 576, 14, 3, 1, 576),
    "depthwise convolution 5x5 240 @28": lambda: conv(240, 240, 28, 5, 1, 240),
    "transposed convolution 2x2/2 128>64 @56": lambda: transposed(128, 64, 56, 2, 2),
    "transposed convolution 4x4/2 256>128 @16": lambda: transposed(256, 128, 16, 4, 2),
    "max pooling 3x3/2 64 @112": lambda: pool("MaxPool", 64, 112, 3, 2, 1),
    "max pooling 2x2/2 128 @112": lambda: pool("MaxPool", 128, 112, 2, 2),
    "average pooling 3x3 192 @28": lambda: pool("AveragePool", 192, 28, 3, 1, 1),
    "average pooling 7x7 2048 @7": lambda: pool("AveragePool", 2048, 7, 7, 1),
    "matmul 128x768x3072": lambda: layer("MatMul", [128, 768], [768, 3072]),
    "matmul 512x512x512": lambda: layer("MatMul", [512, 512], [512, 512]),
    "matmul 1x4096x4096": lambda: layer("MatMul", [1, 4096], [4096, 4096]),
    "matmul 12 of 128x64x128": lambda: layer("MatMul", [1, 12, 128, 64], [1, 12, 64, 128]),
}


def session(model: bytes, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class Pair:
    """One model, on both sides."""

    def __init__(self, model: bytes, feeds: dict[str, Any] | None = None) -> None:
        self.session, self.one_thread = session(model, THREADS), session(model, 1)
        self.network = create_network()
        self.parser = trt.OnnxParser(self.network, log)
        if not self.parser.parse(model):
            raise SystemExit(f"the parser refuses the model: {log.take_errors()}")
        self.program: Program = read(self.network)
        random = np.random.default_rng(1)
        inputs = self.session.get_inputs()
        self.theirs = feeds or {i.name: random.standard_normal(i.shape).astype(np.float32) for i in inputs}
        self.ours = {info.name: array for info, array in zip(self.program.inputs, self.theirs.values(), strict=True)}

    def execute(self) -> list[Any]:
        results = execute(self.program, self.ours)
        return [results[info.name] for info in self.program.outputs]

    def session_run(self) -> list[Any]:
        return list(self.session.run(None, self.theirs))

    def difference(self) -> float:
        """The greatest, in the last output, as a part of its standard deviation."""
        a, b = self.execute()[-1], self.session_run()[-1]
        return float(np.abs(a.astype(np.float64) - b).max() / b.std(dtype=np.float64))

    def times(self, seconds: float) -> tuple[float, float]:
        """The best of each on THREADS threads, in milliseconds."""
        return best(self.execute, self.session_run, time.perf_counter, seconds)

    def processor_times(self, seconds: float) -> tuple[float, float]:
        """The best of each on one thread, in milliseconds of the processor."""
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})  # the executor looks there how many threads it may have
        try:
            return best(self.execute, lambda: self.one_thread.run(None, self.theirs), time.process_time, seconds)
        finally:
            os.sched_setaffinity(0, allowed)

    def memory(self) -> tuple[float, float]:
        """MB: the most that tensors take at a time, those that a layer reads and those that it computes included; and the most
        that numpy's arrays take while the executor runs. (Weights stay in TensorRT's memory, and are in neither.)"""
        live = given = sum(array.nbytes for array in self.ours.values())
        tensors = dict(self.ours)
        constants = {name for step in self.program.steps if not step.inputs for name in [o.name for o in step.outputs]}
        for step in self.program.steps:
            read = {name: array.nbytes for name, array in tensors.items() if name not in constants}
            run_step(step, tensors, np.float64)
            made = {info.name: math.prod(info.shape) * info.storage.itemsize for info in step.outputs if step.inputs}
            live = max(live, sum({**read, **made}.values()))
        shares.forget()  # what is kept from one execution to the next counts
        tracemalloc.start()
        self.execute()
        peak = tracemalloc.get_traced_memory()[1] + given
        tracemalloc.stop()
        return live / 1e6, peak / 1e6


def best(
    ours: Callable[[], Any], theirs: Callable[[], Any], clock: Callable[[], float], seconds: float
) -> tuple[float, float]:
    times = {ours: math.inf, theirs: math.inf}
    rounds, ends = 0, time.monotonic() + seconds
    while rounds < 3 or time.monotonic() < ends:
        for function in times:
            time.sleep(PAUSE)
            for _ in range(5):
                began = clock()
                function()
                taken = (clock() - began) * 1000
                times[function] = min(times[function], taken)
                if taken > 100:
                    break
        rounds += 1
    return times[ours], times[theirs]


def products() -> dict[str, float]:
    """How much longer numpy's products of matrices take in float64 than in float32."""
    ratios = {}
    for m, k, n in ((64, 576, 3136), (512, 512, 512)):
        best = {}
        for dtype in (np.float32, np.float64):
            a, b = np.ones((m, k), dtype), np.ones((k, n), dtype)
            times = []
            for _ in range(60):
                began = time.perf_counter()
                np.matmul(a, b)
                times.append(time.perf_counter() - began)
            best[dtype] = min(times)
        ratios[f"{m}x{k}x{n}"] = round(best[np.float64] / best[np.float32], 2)
    return ratios


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="for each layer and clock; for a network three times that"
    )
    parser.add_argument("--only", default="", help="layers and networks with this in their name")
    parser.add_argument(
        "--at-most", type=float, help="fail if a layer takes the processor more than so many times as long"
    )
    parser.add_argument("--networks", nargs="*", default=["light_resnet50", "transformer_block"])
    options = parser.parse_args()
    rows = []
    print(f"| layer | executor ms, {THREADS} threads | onnxruntime ms | ratio | ratio on one thread | difference |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, make in LAYERS.items():
        if options.only in name:
            rows.append(row(name, Pair(make()), options.seconds))
    for name in options.networks:
        if options.only in name:
            model, feeds = networks.made(name)
            rows.append(row(name, Pair(model, feeds), 3 * options.seconds, len(model) / 1e6))
    for found in rows:
        if "live_MB" in found:
            print(
                f"{found['name']}: {found['weights_MB']} MB of weights, {found['live_MB']} MB of tensors live at a time; "
                f"the executor takes {found['peak_MB']} MB at most beside the weights"
            )
    report = {"threads": THREADS, "float64 / float32": products(), "rows": rows}
    print(f"numpy's products, float64 / float32: {report['float64 / float32']}")
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(json.dumps(report, indent=1) + "\n")
    limit = options.at_most or 3.0
    slow = [found["name"] for found in rows if found["ratio_one_thread"] > limit and "live_MB" not in found]
    print(f"more than {limit:g} times as long on one thread: {', '.join(slow) or 'none'}")
    return int(bool(slow and options.at_most))


def row(name: str, pair: Pair, seconds: float, weights: float = 0) -> dict[str, Any]:
    difference = pair.difference()
    assert difference < 1e-5, f"{name}: the results differ by {difference:.1e} of their standard deviation"
    (ours, theirs), (work, their_work) = pair.times(seconds), pair.processor_times(seconds)
    print(
        f"| {name} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.1f} | {work / their_work:.1f} | {difference:.0e} |",
        flush=True,
    )
    found = {
        "name": name,
        "executor_ms": round(ours, 3),
        "onnxruntime_ms": round(theirs, 3),
        "ratio": round(ours / theirs, 2),
        "executor_one_thread_ms": round(work, 3),
        "onnxruntime_one_thread_ms": round(their_work, 3),
        "ratio_one_thread": round(work / their_work, 2),
        "difference": difference,
    }
    if weights:
        live, peak = pair.memory()
        found.update(weights_MB=round(weights, 1), live_MB=round(live, 1), peak_MB=round(peak, 1))
    return found


if __name__ == "__main__":
    sys.exit(main())
