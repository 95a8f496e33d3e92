"""TRTX_FLAVOR=enterprise, with a stand-in for the `tensorrt` module: the mock, less what only TensorRT for RTX has.

It shows that nothing of that is asked for. Full TensorRT itself was not at hand.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.make import ROOT, case

STAND_IN = '''
"""Full TensorRT, as far as this package uses it."""
from trtx_backend import mock
from trtx_backend.mock import *
from trtx_backend.mock.enums import _enumeration

__version__ = "10.16.1"
NetworkDefinitionCreationFlag = _enumeration("NetworkDefinitionCreationFlag", "EXPLICIT_BATCH STRONGLY_TYPED")
del ComputeCapability


class Config(mock.IBuilderConfig):
    def __setattr__(self, name, value):
        if "compute_capab" in name:
            raise AttributeError(f"full TensorRT has no {name}")
        super().__setattr__(name, value)

    def set_compute_capability(self, *_):
        raise AttributeError("full TensorRT has no compute capabilities")


class Builder(mock.Builder):
    def create_network(self, flags=0):
        assert flags == 1 << int(NetworkDefinitionCreationFlag.STRONGLY_TYPED), flags
        return super().create_network(1)

    def create_builder_config(self):
        return Config()
'''

COMMAND = "import sys\nfrom trtx_backend.cli import main\nsys.exit(main())"
BUILD = """
from trtx_backend.engine import build
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.lowering import lower
from trtx_backend.trt import flavor, trt
b = MLGraphBuilder()
plan = build(lower(b.finish({"y": b.relu(b.input("x", "float32", [2]))})).network)
print(flavor.name, trt.__version__, len(plan) > 0, hasattr(trt, "ComputeCapability"))
"""


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    (tmp_path / "tensorrt.py").write_text(STAND_IN)
    (tmp_path / "tensorrt_libs.py").write_text("")
    return tmp_path


def run(modules: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(modules), str(ROOT)])
    environment = {**os.environ, "TRTX_FLAVOR": "enterprise", "PYTHONPATH": path}
    block = "import sys\nsys.modules['tensorrt_rtx'] = None\n"
    command = [sys.executable, "-c", block + code, *arguments]
    return subprocess.run(command, env=environment, cwd=modules, capture_output=True, text=True, check=False)


def test_networks_are_built_without_what_only_rtx_has(modules: Path) -> None:
    done = run(modules, BUILD)
    assert done.stdout == "enterprise 10.16.1 True False\n", done.stderr


def test_it_is_for_validation_only(modules: Path) -> None:
    done = run(modules, COMMAND, "devices")
    assert done.stdout.splitlines()[0] == "tensorrt  enterprise: TensorRT 10.16.1, from the wheel tensorrt_libs"
    assert "cuda      not available: TRTX_FLAVOR=enterprise runs nothing on CUDA devices" in done.stdout
    graph = modules / "graph.json"
    graph.write_text(json.dumps(case()["graph"]))
    done = run(modules, COMMAND, "run", str(graph))
    assert done.stdout == "y float32[2]\n[1. 0.]\n", done.stderr
    done = run(modules, COMMAND, "run", str(graph), "--run-trtx")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.endswith("cannot be had: TRTX_FLAVOR=enterprise runs nothing on CUDA devices\n")


def test_without_the_module_it_says_what_to_install(tmp_path: Path) -> None:
    done = run(tmp_path, BUILD)
    assert "TensorRTNotFound: TensorRT cannot be loaded: the wheel tensorrt_libs: " in done.stderr
    assert "libnvinfer.so.10 by LD_LIBRARY_PATH" in done.stderr or sys.platform != "linux"
    assert "pip install tensorrt," in done.stderr
