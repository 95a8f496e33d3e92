"""On the mock everything but engines works where TensorRT cannot be imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.make import ROOT, case

BLOCK = """
import sys
for name in ("tensorrt_rtx", "tensorrt_rtx_libs", "tensorrt_rtx_bindings", "tensorrt", "cuda"):
    sys.modules[name] = None  # importing it is an ImportError
"""
COMPUTE = """
import numpy as np
from trtx_backend import ML, MLGraphBuilder
context = ML().create_context()
builder = MLGraphBuilder(context)
x = builder.input("x", "float32", [1, 3, 8, 8])
y = builder.relu(builder.conv2d(x, builder.constant(np.ones((4, 3, 3, 3), np.float32)), padding=[1, 1, 1, 1]))
graph = builder.build({"y": y})
print(context.compute(graph, {"x": np.ones((1, 3, 8, 8), np.float32)})["y"][0, 0, :2, :2].tolist())
"""
COMMAND = "from trtx_backend.cli import main\nsys.exit(main(sys.argv[1:]))\n"
CONFORMANCE = "from conformance.cli import main\nsys.exit(main(sys.argv[1:]))\n"


def run(code: str, *arguments: str, flavor: str = "mock") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TRTX_FLAVOR": flavor}
    command = [sys.executable, "-c", BLOCK + code, *arguments]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture
def graph(tmp_path: Path) -> str:
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(case()["graph"]))
    return str(path)


def test_a_graph_is_built_and_computed() -> None:
    assert run(COMPUTE).stdout == "[[12.0, 18.0], [18.0, 27.0]]\n"


def test_without_the_mock_the_reason_is_said() -> None:
    done = run(COMPUTE, flavor="rtx")
    assert "TensorRTNotFound: TensorRT for RTX cannot be loaded: " in done.stderr
    assert "set TRTX_FLAVOR=mock" in done.stderr


@pytest.mark.parametrize("options", [[], ["--run-trtx"], ["--device", "cpu"], ["--device", "cuda:0"]])
def test_the_command_runs_a_graph(graph: str, options: list[str]) -> None:
    done = run(COMMAND, "run", graph, *options)
    assert (done.returncode, done.stdout) == (0, "y float32[2]\n[1. 0.]\n"), done.stderr


def test_cases_are_run() -> None:
    done = run(CONFORMANCE, "run", "--target=mock", "--no-snapshots", "--op=softsign", "-n0", flavor="rtx")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "target mock (numpy executor on the mock of TensorRT)" in done.stdout
