"""Graphs into networks: time and memory by the number of operators, and against NVIDIA's ONNX parser."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.suite.models import Onnx, WebNN, Weights, resnet50, transformer
from benchmarks.suite.rows import ROOT, Row, in_turns, median_ratio
from trtx_backend.graph import Graph, MLGraphBuilder

SIZES = (10, 100, 1000, 5000)
LINEAR, PARSER = 1.5, 1.0
MODELS: dict[str, tuple[Callable[..., Any], dict[str, int]]] = {
    "ResNet-50": (resnet50, {}),
    "a transformer of 12 layers": (transformer, {}),
}
SMALL: dict[str, dict[str, int]] = {
    "ResNet-50": {"width": 2, "image": 32},
    "a transformer of 12 layers": {"layers": 1, "hidden": 12, "tokens": 4, "heads": 2},
}
"""For tests."""


def chain(operators: int) -> Graph:
    """Each operator takes what the one before it made."""
    b = MLGraphBuilder()
    y = x = b.input("x", "float32", [4, 16])
    w, s = b.constant(np.ones((16, 16), np.float32)), b.constant(np.ones(16, np.float32))
    kinds: Sequence[Callable[[Any], Any]] = (
        b.relu,
        lambda y: b.add(y, s),
        lambda y: b.mul(y, x),
        lambda y: b.matmul(y, w),
        lambda y: b.softmax(y, 1),
    )
    for index in range(operators):
        y = kinds[index % len(kinds)](y)
    return b.finish({"y": y})


def measure(rounds: int, sizes: Sequence[int], small: bool) -> Iterator[Row]:
    yield from chains(max(rounds, 3), sizes)
    try:
        import onnx  # noqa: F401
    except ImportError:
        print("onnx is not installed, so NVIDIA's parser has no part: pip install -e '.[evidence]'", file=sys.stderr)
        return
    for name, (model, sizes_of) in MODELS.items():
        yield from against_the_parser(max(rounds, 3), name, model, SMALL[name] if small else sizes_of)


def chains(rounds: int, sizes: Sequence[int]) -> Iterator[Row]:
    """Per operator, against the smallest graph of a hundred operators or more: 1 is linear."""
    from trtx_backend.lowering import lower

    def lowering(size: int) -> Callable[[], Any]:
        graph = chain(size)
        return lambda: [lower(graph) for _ in range(max(1, sizes[-1] // size // 5))]

    lower(chain(5))
    best, all_costs = in_turns(rounds, {str(size): lowering(size) for size in sizes})
    repeats = {size: max(1, sizes[-1] // size // 5) for size in sizes}
    base = next((size for size in sizes if size >= 100), sizes[0])
    for size in sizes:
        each = best[str(size)].cpu / repeats[size] / size
        ratio = median_ratio(all_costs[str(size)], all_costs[str(base)]) * repeats[base] * base / repeats[size] / size
        yield Row("conversion", f"lowering {size:,} operators, each", each * 1e6, "µs", None, f"{base:,} operators", ratio,
                  LINEAR if size > base else None)  # fmt: skip
    for size in sizes:
        words = [sys.executable, "-m", "benchmarks.suite.conversion", str(size)]
        more = json.loads(subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
        yield Row("conversion", f"memory for {size:,} operators, each", more / size, "kB")


def against_the_parser(rounds: int, name: str, model: Callable[..., Any], sizes: dict[str, int]) -> Iterator[Row]:
    """The parser reads a model from bytes. Ours are built and lowered from weights that are views of bytes, as of a file
    that was read, and from arrays that may change, which are copied."""
    from trtx_backend.lowering import lower
    from trtx_backend.trt import create_network, log, trt

    weights = {"from bytes": Weights(), "from arrays, copied": Weights(copied=True)}
    data = model(Onnx(weights["from bytes"]), **sizes)
    kept: list[Any] = []

    def ours(what: str) -> None:
        kept[:] = [lower(model(WebNN(weights[what]), **sizes)).network]

    def parser() -> None:
        network = create_network()
        reader = trt.OnnxParser(network, log)
        assert reader.parse(data), log.take_errors()
        kept[:] = [network, reader]

    calls: dict[str, Callable[[], None]] = {"the parser": parser}
    calls |= {what: partial(ours, what) for what in weights}
    layers = {}
    for what, call in calls.items():
        call()
        layers[what] = kept[0].num_layers
    best, costs = in_turns(rounds, calls)
    for what, cost in best.items():
        ratio = median_ratio(costs[what], costs["the parser"])
        against = (None, None, None) if what == "the parser" else ("the parser", ratio, PARSER)
        shown = f"{name}, {layers[what]} layers: {what if what == 'the parser' else f'built and lowered {what}'}"
        yield Row("conversion", shown, cost.wall * 1e3, "ms", None, *against)


def _memory(size: int) -> float:
    """Kilobytes that the process grows by for a graph and its network."""
    from trtx_backend.lowering import lower

    lower(chain(5))
    before = _resident()
    lowered = lower(chain(size))
    after = _resident()
    assert lowered.network.num_layers >= size
    return after - before


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1024


if __name__ == "__main__":
    print(_memory(int(sys.argv[1])))
