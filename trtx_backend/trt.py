"""TensorRT, imported here and nowhere else: every other module says `from trtx_backend.trt import trt`.

`trt` is the module of TensorRT for RTX. `log` keeps what TensorRT logs, so that an error can quote it.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import Any, TypeAlias

import tensorrt_rtx as trt

__all__ = ["ITensor", "Layer", "Network", "TensorType", "builder", "log", "trt"]

ITensor: TypeAlias = Any
Layer: TypeAlias = Any
Network: TypeAlias = Any
TensorType: TypeAlias = Any
"""TensorRT's DataType. The bindings have no type information."""

_LEVELS = {
    trt.ILogger.Severity.INTERNAL_ERROR: logging.ERROR,
    trt.ILogger.Severity.ERROR: logging.ERROR,
    trt.ILogger.Severity.WARNING: logging.WARNING,
    trt.ILogger.Severity.INFO: logging.INFO,
    trt.ILogger.Severity.VERBOSE: logging.DEBUG,
}
_NO_DRIVER = "CUDA driver version is insufficient"


class Log(trt.ILogger):  # type: ignore[misc]
    """Passes TensorRT's messages on to `logging` (at debug level: an error is raised by whoever sees the failure) and
    keeps the last errors."""

    def __init__(self) -> None:
        super().__init__()
        self._errors: deque[str] = deque(maxlen=8)
        self._logger = logging.getLogger("trtx.tensorrt")

    def log(self, severity: Any, message: str) -> None:
        level = _LEVELS[severity]
        if level >= logging.ERROR and _NO_DRIVER not in message:
            self._errors.append(" ".join(message.split()))
        self._logger.log(min(level, logging.DEBUG), "%s", message)

    def take_errors(self) -> str:
        """What TensorRT has complained of since the last call, and forget it."""
        errors = "; ".join(dict.fromkeys(self._errors))
        self._errors.clear()
        return errors


log = Log()
_builder: Any = None


def builder() -> Any:
    """The process's TensorRT builder; one serves any number of networks."""
    global _builder
    if _builder is None:
        _builder = trt.Builder(log)
    return _builder
