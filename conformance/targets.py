"""What a case can be run on."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np

from trtx_backend.dtypes import Array
from trtx_backend.graph import Graph


class ContextLost(RuntimeError):
    """The device's context is dead, as a CUDA context is after an illegal address: nothing that this process runs can
    succeed any more. A target raises it; the case counts as a crash, and another process goes on."""


class Target(Protocol):
    """A way to judge a graph. `run` returns the outputs, or None where the target has no numbers: then that it could be
    run at all is the verdict. `unavailable` says what is missing on this machine, or None."""

    name: str
    device: str

    def unavailable(self) -> str | None: ...
    def versions(self) -> dict[str, str]: ...
    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None: ...


def _tensorrt_missing() -> str | None:
    try:
        import trtx_backend.trt  # noqa: F401
    except ImportError as error:
        return f"TensorRT for RTX cannot be loaded: {error}"
    return None


def _versions() -> dict[str, str]:
    from trtx_backend.trt import trt

    return {"tensorrt_rtx": trt.__version__, "numpy": np.__version__, "python": platform.python_version()}


class Cpu:
    """The network's numbers: lowered to a TensorRT network, which the executor reads back and computes with numpy."""

    name = "cpu"
    device = "numpy executor"

    def __init__(self, accumulate: str = "exact") -> None:
        self.accumulate = np.float32 if accumulate == "float32" else np.float64

    def unavailable(self) -> str | None:
        return _tensorrt_missing()

    def versions(self) -> dict[str, str]:
        return _versions()

    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None:
        from trtx_backend.runtime.cpu import CpuGraph

        return CpuGraph(graph).compute(inputs, self.accumulate)


class Mock(Cpu):
    """As cpu, on the mock of TensorRT: the process uses that, and must not have loaded another."""

    name = "mock"
    device = "numpy executor on the mock of TensorRT"

    def __init__(self) -> None:
        super().__init__()
        os.environ["TRTX_FLAVOR"] = "mock"

    def unavailable(self) -> str | None:
        from trtx_backend.trt import flavor

        return None if flavor.name == "mock" else f"this process has loaded {flavor.title} already"


class Engine:
    """The compiler's verdict: one plan for GPUs from Ampere to Blackwell, built ahead of time. No numbers."""

    name = "engine"
    device = "ahead of time: SM80, SM86, SM89, SM120, SM121"

    def unavailable(self) -> str | None:
        return _tensorrt_missing()

    def versions(self) -> dict[str, str]:
        return _versions()

    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None:
        from trtx_backend.engine import build
        from trtx_backend.lowering import lower

        build(lower(graph).network)
        return None


class Missing:
    """A target whose backend is not here yet."""

    device = "none"

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason

    def unavailable(self) -> str | None:
        return self.reason

    def versions(self) -> dict[str, str]:
        return {}

    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None:
        raise RuntimeError(self.reason)


TARGETS: Mapping[str, Callable[[], Target]] = {
    "cpu": Cpu,
    "engine": Engine,
    "trtx": lambda: Missing("trtx", "running on a GPU is not implemented yet"),
    "mock": Mock,
}
