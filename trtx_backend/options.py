"""What a program may ask for when it creates a context. Spec: https://www.w3.org/TR/webnn/#api-mlcontextoptions"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PowerPreference(StrEnum):
    DEFAULT = "default"
    HIGH_PERFORMANCE = "high-performance"
    LOW_POWER = "low-power"


class Backend(StrEnum):
    """What runs a graph: an engine of TensorRT for RTX on a CUDA device, or the executor on the CPU."""

    TRTX = "trtx"
    CPU = "cpu"


@dataclass(frozen=True)
class MLContextOptions:
    """`accelerated` asks for a GPU where there is one. `backend` forces a backend; creating the context then fails if
    that cannot be had."""

    power_preference: PowerPreference = PowerPreference.DEFAULT
    accelerated: bool = True
    backend: Backend | None = None
