"""Start-up: the import of the package, the first graph, and the memory of a worker."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.suite.rows import ROOT, Cost, Row, command

NUMPY = "import numpy"
PACKAGE = "import trtx_backend"
TENSORRT = "import trtx_backend.context"
GRAPH = """
import numpy as np
from trtx_backend import ML, MLContextOptions, MLGraphBuilder
context = ML().create_context(MLContextOptions(accelerated=False))
b = MLGraphBuilder(context)
context.compute(b.build({"y": b.relu(b.input("x", "float32", [2]))}), {"x": np.ones(2, np.float32)})
"""
WORKER = """
import re, sys
from pathlib import Path
from conformance.cases import find_corpus, load
from conformance.runner import run_case
from conformance.shards import shard_of
from conformance.targets import TARGETS
target, part = TARGETS[sys.argv[1]](), shard_of(sys.argv[2])
for paths in find_corpus(None, Path()).files.values():
    for path in paths:
        for case in load(path):
            if case.id in part:
                run_case(case, target)
print(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
"""


def measure(rounds: int, shard: str) -> Iterator[Row]:
    named = {"an empty program": "pass", "numpy": NUMPY, "the package": PACKAGE, "with TensorRT": TENSORRT}
    named["the first graph, on the CPU"] = GRAPH
    costs: dict[str, list[Cost]] = {name: [] for name in named}
    for _ in range(rounds):
        for name, code in named.items():
            costs[name].append(command("-c", code))
    least = {name: Cost(min(c.wall for c in each), min(c.cpu for c in each)) for name, each in costs.items()}
    for name, cost in least.items():
        ratio = cost.cpu / least["numpy"].cpu
        yield Row("startup", name, cost.wall * 1e3, "ms", cost.cpu, "numpy", ratio)
    for target in ("cpu", "engine"):
        part = half(shard) if target == "cpu" else part_of(shard, 8)
        yield Row("startup", f"memory of a process that ran part {part} on {target}", memory_of(target, part), "MiB")


def memory_of(target: str, part: str) -> float:
    """The most that a process held that ran these cases."""
    words = [sys.executable, "-c", WORKER, target, part]
    return int(subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout) / 1024


def half(shard: str) -> str:
    return part_of(shard, 2)


def part_of(shard: str, more: int) -> str:
    """A part of a part."""
    number, _, count = shard.partition("/")
    return f"{number}/{int(count) * more}"
