"""The double as a whole: one machine with its devices, its faults, and what was done wrong on it."""

from __future__ import annotations

import threading
from collections import Counter, deque
from typing import Any

from trtx_backend.runtime.driver import Driver


class Fault:
    """Which call fails, and how: the one with number `at`, the next one called `at_name`, or all that are called `always`.
    `calls` counts those that could, from 0."""

    def __init__(self) -> None:
        self.at: int | None = None
        self.at_name: str | None = None
        self.always: str | None = None
        self.status = "CUDA_ERROR_UNKNOWN"
        self.calls = 0
        self.hit: str | None = None
        """Name of the call that failed on request."""

    def due(self, name: str) -> bool:
        self.calls += 1
        if self.calls - 1 != self.at and name not in (self.at_name, self.always):
            return False
        self.at = self.at_name = None
        self.hit = name
        return True


class Machine:
    """`wrong` lists what a GPU would have punished: use after free, leaks, work in the wrong order. `calls` counts calls by
    name, `order` lists the latest of them. `capability` and `pools` describe the one device."""

    def __init__(self, capability: tuple[int, int] = (8, 9), pools: bool = True, devices: int = 1) -> None:
        from trtx_backend.runtime.double.cuda import Cuda
        from trtx_backend.runtime.double.tensorrt import TensorRT
        from trtx_backend.trt import log

        self.capability, self.pools, self.devices = capability, pools, devices
        self.lock = threading.RLock()
        self.fault = Fault()
        self.wrong: list[str] = []
        self.calls: Counter[str] = Counter()
        self.order: deque[str] = deque(maxlen=2_000)
        self.capturable = True
        """What `is_stream_capturable` says."""
        self.log: Any = log
        self.cuda = Cuda(self)
        self.tensorrt = TensorRT(self)

    def driver(self) -> Driver:
        return Driver(self.cuda, self.tensorrt, self.log)

    def fails(self, name: str) -> bool:
        """Count a call. Whether it is to fail."""
        self.calls[name] += 1
        self.order.append(name)
        return self.fault.due(name)

    def blame(self, what: str) -> None:
        self.wrong.append(what)

    def left(self) -> dict[str, int]:
        """What is still allocated, by kind; empty once every context ended well."""
        with self.lock:
            cuda = self.cuda
            streams = [stream for stream in cuda.streams.values() if stream.alive]
            found = {
                "memory": sum(1 for one in cuda.memory.values() if not one.free_asked),
                "streams": len(streams),
                "graphs": len(cuda.graphs),
                "executables": len(cuda.executables),
                "contexts": sum(cuda.retained.values()),
                "engines": len(self.tensorrt.engines),
                "executions": len(self.tensorrt.executions),
            }
        return {kind: count for kind, count in found.items() if count}
