"""What a program may ask for when it creates a context. Spec: https://www.w3.org/TR/webnn/#api-mlcontextoptions

Every field's default and meaning is said here, and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from trtx_backend.errors import ArgumentError, check


class PowerPreference(StrEnum):
    DEFAULT = "default"
    HIGH_PERFORMANCE = "high-performance"
    LOW_POWER = "low-power"


class Backend(StrEnum):
    """What runs a graph: an engine of TensorRT for RTX on a CUDA device, or the executor on the CPU."""

    TRTX = "trtx"
    CPU = "cpu"


@dataclass(frozen=True)
class BackendDevice:
    """A backend and the device that it runs on. Made by `trtx` and `cpu`."""

    backend: Backend
    cuda_device_idx: int | None = None
    """The CUDA device, counted as CUDA counts (after CUDA_VISIBLE_DEVICES); None for the CPU."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "backend", _member("backend", self.backend, Backend))
        if self.backend is Backend.CPU:
            check(self.cuda_device_idx is None, "cuda_device_idx", self.cuda_device_idx, "the cpu backend has none")
        else:
            _check_integer("cuda_device_idx", self.cuda_device_idx, least=0)

    @classmethod
    def trtx(cls, cuda_device_idx: int = 0) -> BackendDevice:
        """TensorRT for RTX on a CUDA device."""
        return cls(Backend.TRTX, cuda_device_idx)

    @classmethod
    def cpu(cls) -> BackendDevice:
        """The executor."""
        return cls(Backend.CPU)

    def __str__(self) -> str:
        return "Cpu" if self.backend is Backend.CPU else f"Trtx {{ cuda_device_idx: {self.cuda_device_idx} }}"


@dataclass(frozen=True)
class TrtxOptions:
    """How the trtx backend builds, caches and runs. The cpu backend ignores them."""

    engine_caching: bool = True
    """Look for a compiled engine in the cache before one is built, and keep what was built there. An engine is kept without
    its weights, and only when all of them can be put back."""

    runtime_cache: bool = True
    """Keep what TensorRT compiles for the GPU at hand when an engine is first loaded: one file a GPU and TensorRT version."""

    cuda_graphs: bool = True
    """Capture a dispatch as a CUDA graph, one for each set of tensors that a graph is dispatched on, and replay it. Where
    capturing fails, the work is enqueued plainly; False does so always."""

    fail_on_cache_miss: bool = False
    """Never build an engine: a graph that the cache does not hold is an error that names the key. Needs engine_caching."""

    cache_dir: str | PathLike[str] | None = None
    """The directory that holds the caches, in `rustnn/trtx` and `rustnn/trtx-jit` below it. None: the user's cache
    directory ($XDG_CACHE_HOME or ~/.cache; ~/Library/Caches; %LOCALAPPDATA%)."""

    cache_size: int = 2 << 30
    """Bytes that the engine cache may hold, 2 GiB by default. Beyond that the engines go that were not used for longest."""

    runtime_cache_size: int = 256 << 20
    """Bytes that one file of the runtime cache may have, 256 MiB by default. A larger one is begun anew."""

    cuda_graph_limit: int = 16
    """CUDA graphs that one compiled graph may hold. Beyond that the one goes that was not replayed for longest."""

    def __post_init__(self) -> None:
        for name in ("engine_caching", "runtime_cache", "cuda_graphs", "fail_on_cache_miss"):
            check(isinstance(getattr(self, name), bool), name, getattr(self, name), "must be True or False")
        for name in ("cache_size", "runtime_cache_size", "cuda_graph_limit"):
            _check_integer(name, getattr(self, name), least=1)
        rule = "every graph would miss a cache that is not used"
        check(self.engine_caching or not self.fail_on_cache_miss, "fail_on_cache_miss", True, rule)
        if self.cache_dir is not None:
            check(isinstance(self.cache_dir, (str, PathLike)), "cache_dir", self.cache_dir, "must be a path or None")
            check(str(self.cache_dir) != "", "cache_dir", self.cache_dir, "must not be empty")
            object.__setattr__(self, "cache_dir", _path("cache_dir", self.cache_dir))


@dataclass(frozen=True)
class MLContextOptions:
    """What a context is to run on, and how. A wrong value is a TypeError; an enum may be given by its text."""

    power_preference: PowerPreference = PowerPreference.DEFAULT
    """Low power never runs on a CUDA device."""

    accelerated: bool = True
    """Run on a CUDA device where there is one; False: on the CPU."""

    backend: Backend | None = None
    """A hint that forces a backend: creating the context fails if it cannot be had."""

    device: BackendDevice | None = None
    """A hint that forces a backend and its device."""

    trtx: TrtxOptions = field(default_factory=TrtxOptions)

    def __post_init__(self) -> None:
        power = _member("power_preference", self.power_preference, PowerPreference)
        object.__setattr__(self, "power_preference", power)
        check(isinstance(self.accelerated, bool), "accelerated", self.accelerated, "must be True or False")
        check(isinstance(self.trtx, TrtxOptions), "trtx", self.trtx, "must be a TrtxOptions")
        if self.backend is not None:
            object.__setattr__(self, "backend", _member("backend", self.backend, Backend))
        if self.device is not None:
            check(isinstance(self.device, BackendDevice), "device", self.device, "must be a BackendDevice or None")
            rule = f"the backend hint says {self.backend}"
            check(self.backend in (None, self.device.backend), "device", str(self.device), rule)


Member = TypeVar("Member", bound=StrEnum)


def _member(name: str, value: Any, kind: type[Member]) -> Member:
    try:
        return kind(value)
    except ValueError:
        raise ArgumentError(name, value, f"must be one of {', '.join(kind)}") from None


def _path(name: str, value: str | PathLike[str]) -> Path:
    try:
        return Path(value).expanduser()
    except RuntimeError as error:
        raise ArgumentError(name, value, str(error)) from None


def _check_integer(name: str, value: Any, least: int) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    check(whole and value >= least, name, value, f"must be an integer from {least}")
