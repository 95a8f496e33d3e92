"""Which TensorRT this process uses, chosen by $TRTX_FLAVOR when TensorRT is first needed.

rtx (the default): TensorRT for RTX. enterprise: full TensorRT, to validate networks and engines with; what only TensorRT
for RTX has is off, and nothing is run. mock: TensorRT's network API in pure Python, for machines without a wheel; what
it says is run by the executor.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from trtx_backend.errors import BackendUnavailable

VARIABLE = "TRTX_FLAVOR"


@dataclass(frozen=True)
class Flavor:
    """A TensorRT and what it can do."""

    name: str
    title: str
    module: str
    """The Python module of its API."""
    package: str
    """What to install."""
    libraries: tuple[str, ...]
    """Shared libraries that the module's extension needs, by stem."""
    majors: tuple[str, ...]
    """Versions in the libraries' names."""
    ahead_of_time: bool
    """It compiles for GPUs that are not there."""
    runtime_cache: bool
    """It compiles again for the GPU at hand, and can keep what that gave."""
    runs: bool
    """Engines are run on CUDA devices."""

    @property
    def libraries_module(self) -> str:
        """The module of the wheel that brings the libraries."""
        return f"{self.module}_libs"


FLAVORS = {
    flavor.name: flavor
    for flavor in (
        Flavor(
            "rtx",
            "TensorRT for RTX",
            "tensorrt_rtx",
            "tensorrt-rtx",
            ("tensorrt_rtx", "tensorrt_onnxparser_rtx"),
            ("1",),
            ahead_of_time=True,
            runtime_cache=True,
            runs=True,
        ),
        Flavor(
            "enterprise",
            "TensorRT",
            "tensorrt",
            "tensorrt",
            ("nvinfer", "nvinfer_plugin", "nvonnxparser"),
            ("10", "11"),
            ahead_of_time=False,
            runtime_cache=False,
            runs=False,
        ),
        Flavor(
            "mock",
            "the mock of TensorRT",
            "trtx_backend.mock",
            "trtx-webnn",
            (),
            (),
            ahead_of_time=True,
            runtime_cache=False,
            runs=False,
        ),
    )
}


def chosen() -> Flavor:
    """The flavor that the environment asks for. BackendUnavailable if there is none of that name."""
    name = os.environ.get(VARIABLE) or "rtx"
    if name not in FLAVORS:
        raise BackendUnavailable(f"{VARIABLE}={name}: must be one of {', '.join(FLAVORS)}")
    return FLAVORS[name]
