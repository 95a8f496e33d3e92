"""TensorRT, imported here and nowhere else: every other module says `from trtx_backend.trt import trt`.

`trt` is the module of the flavor that $TRTX_FLAVOR chooses, and `flavor` says what that can do. `log` keeps what TensorRT
logs, so that an error can quote it.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from typing import Any, TypeAlias

from trtx_backend import logs
from trtx_backend.loading import load

__all__ = ["ITensor", "Layer", "Network", "TensorType", "builder", "create_network", "flavor", "log", "trt"]

ITensor: TypeAlias = Any
Layer: TypeAlias = Any
Network: TypeAlias = Any
TensorType: TypeAlias = Any
"""TensorRT's DataType. The bindings have no type information."""

logs.set_up()
flavor, trt = load()

_LEVELS = {
    trt.ILogger.Severity.INTERNAL_ERROR: logging.CRITICAL,
    trt.ILogger.Severity.ERROR: logging.ERROR,
    trt.ILogger.Severity.WARNING: logging.WARNING,
    trt.ILogger.Severity.INFO: logging.INFO,
    trt.ILogger.Severity.VERBOSE: logging.DEBUG,
}
_NO_DRIVER = "CUDA driver version is insufficient"


class Log(trt.ILogger):  # type: ignore[misc, name-defined]
    """Passes TensorRT's messages on to `logging` and keeps the last errors. They go at debug level, since an error is
    raised by whoever sees the failure; with RUSTNN_TRTX_LOG_VERBOSITY at their own, down to the severity it names.

    Each thread that takes errors has its own. What TensorRT's own threads log goes to whoever takes next."""

    def __init__(self) -> None:
        super().__init__()
        self._thread = threading.local()
        self._others: deque[str] = deque(maxlen=8)
        self._logger = logging.getLogger(logs.TENSORRT)
        self._least = logs.tensorrt_level()

    def log(self, severity: Any, message: str) -> None:
        level = _LEVELS[severity]
        if level >= logging.ERROR and _NO_DRIVER not in message:
            getattr(self._thread, "errors", self._others).append(" ".join(message.split()))
        if self._least is None:
            self._logger.debug("%s", message)
        elif level >= self._least:
            self._logger.log(level, "%s", message)

    def take_errors(self) -> str:
        """What TensorRT has complained of since the last call, and forget it."""
        if not hasattr(self._thread, "errors"):
            self._thread.errors = deque(maxlen=8)
        if not self._thread.errors and not self._others:
            return ""
        found: list[str] = []
        for errors in (self._others, self._thread.errors):
            while errors:
                found.append(errors.popleft())
        return "; ".join(dict.fromkeys(found))


log = Log()
_builder: Any = None


def builder() -> Any:
    """The process's TensorRT builder; one serves any number of networks."""
    global _builder
    if _builder is None:
        _builder = trt.Builder(log)
    return _builder


def create_network() -> Network:
    """A network in which every layer's types are what they are said to be. TensorRT for RTX knows no other."""
    if flavor.name != "enterprise":
        return builder().create_network()
    return builder().create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
