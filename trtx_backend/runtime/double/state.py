"""What the double of the CUDA driver holds, and how its entry points are called."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from cuda.bindings import driver as real

from trtx_backend.runtime.double.machine import Machine
from trtx_backend.runtime.double.memory import Allocation, Recorded, Stream
from trtx_backend.runtime.driver import STICKY

Returned = tuple[Any, ...]

MOST_PENDING = 256
FIRST_ADDRESS, ALIGNMENT = 0x7000_0000_0000, 256


class Failed(Exception):
    """A status that is not success; `invalidates` the captures in progress."""

    def __init__(self, status: str) -> None:
        self.status = status


def entry(method: Callable[..., Any]) -> Callable[..., Returned]:
    """An entry point: counted, made to fail on request, refused after a sticky error."""

    def call(self: State, *arguments: Any) -> Returned:
        name = method.__name__
        with self.machine.lock:
            none = RETURNS.get(name, ())
            if self.machine.fails(name):
                return self.failure(self.machine.fault.status, none)
            if self.sticky is not None and name not in NEEDS_NO_CONTEXT:
                return self.failure(self.sticky, none)
            if name not in NEEDS_NO_CONTEXT and not self.stack:
                self.machine.blame(f"{name}: no context is current")
                return self.failure("CUDA_ERROR_INVALID_CONTEXT", none)
            try:
                result = method(self, *arguments)
            except Failed as failed:
                return self.failure(failed.status, none)
        success = self.CUresult.CUDA_SUCCESS
        return (success,) if result is None else (success, result)

    call.__name__, call.__doc__ = method.__name__, method.__doc__
    return call


NEEDS_NO_CONTEXT = frozenset(
    (
        "cuInit",
        "cuDriverGetVersion",
        "cuDeviceGetCount",
        "cuDeviceGet",
        "cuDeviceGetName",
        "cuDeviceGetPCIBusId",
        "cuDeviceTotalMem",
        "cuDeviceGetAttribute",
        "cuDevicePrimaryCtxRetain",
        "cuDevicePrimaryCtxRelease",
        "cuDevicePrimaryCtxReset",
        "cuCtxPushCurrent",
        "cuCtxPopCurrent",
    )
)
RETURNS: dict[str, tuple[Any, ...]] = dict.fromkeys(
    (
        "cuDeviceGetCount",
        "cuDeviceGet",
        "cuDeviceGetName",
        "cuDeviceGetPCIBusId",
        "cuDeviceTotalMem",
        "cuDeviceGetAttribute",
        "cuDriverGetVersion",
        "cuDevicePrimaryCtxRetain",
        "cuCtxPopCurrent",
        "cuStreamCreate",
        "cuMemAlloc",
        "cuMemAllocAsync",
        "cuStreamIsCapturing",
        "cuStreamEndCapture",
        "cuGraphInstantiate",
    ),
    (None,),
)
"""What a call returns behind a status of failure."""


class State:
    """Streams, memory and graphs, by handle or address, and the enumerations that cuda-python has."""

    CUresult = real.CUresult
    CUdevice_attribute = real.CUdevice_attribute
    CUstream_flags = real.CUstream_flags
    CUstreamCaptureMode = real.CUstreamCaptureMode
    CUstreamCaptureStatus = real.CUstreamCaptureStatus

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.sticky: str | None = None
        self.idle_kernels = False
        """Engines compute nothing: for tests that count."""
        self.retained: Counter[int] = Counter()
        self.streams: dict[int, Stream] = {}
        self.memory: dict[int, Allocation] = {}
        self.graphs: dict[int, list[Recorded]] = {}
        self.executables: dict[int, list[Recorded]] = {}
        self.initialised = False
        self._local = threading.local()
        self._last_handle = 0x1000
        self.next_address = FIRST_ADDRESS
        self.reusable: dict[tuple[int, int], list[int]] = {}

    # Inside ---------------------------------------------------------------------------------------------------------

    @property
    def stack(self) -> list[int]:
        """Contexts of this thread, the current one last."""
        if not hasattr(self._local, "stack"):
            self._local.stack = []
        found: list[int] = self._local.stack
        return found

    def failure(self, status: str, none: tuple[Any, ...]) -> Returned:
        if status in STICKY and +self.retained:  # a context has it, if there is one
            self.sticky = status
        return (getattr(self.CUresult, status), *none)

    def handle(self) -> int:
        self._last_handle += 16
        return self._last_handle

    def stream(self, handle: Any) -> Stream:
        found = self.streams.get(int(handle))
        if found is None or not found.alive:
            self.machine.blame(f"stream {int(handle):#x} is used, which does not exist")
            raise Failed("CUDA_ERROR_INVALID_HANDLE")
        return found

    def place(self, address: Any, size: int, stream: Stream, what: str) -> Allocation:
        """The allocation that a piece of work touches from its beginning."""
        found = self.memory.get(int(address))
        problem = None
        if found is None:
            problem = "is no allocation's"
        elif found.free_asked:
            problem = "was freed"
        elif size > found.size:
            problem = f"has {found.size} bytes, {size} are touched"
        elif any(other is not stream and touches(other, found) for other in self.streams.values()):
            problem = "has work pending on another stream"
        if problem or found is None:
            self.machine.blame(f"{what}: address {int(address):#x} {problem}")
            raise Failed("CUDA_ERROR_ILLEGAL_ADDRESS")
        return found

    def issue(self, stream: Stream, recorded: Recorded) -> None:
        """Put work on a stream, or into the capture that is made of it."""
        capture = stream.capture
        if capture is not None:
            if capture.invalid:
                raise Failed("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED")
            recorded.issue(stream)  # what it uses must be there now as well
            capture.recorded.append(recorded)
            return
        stream.pending.append(recorded.issue(stream))
        if len(stream.pending) > MOST_PENDING:  # as a GPU does, which launches while its queue is full
            stream.pending.popleft().run()

    def disturb_captures(self, this_thread_only: bool = False) -> None:
        """Something was done that no capture survives."""
        for stream in self.streams.values():
            if stream.capture and (not this_thread_only or stream.capture.thread == threading.get_ident()):
                stream.capture.invalid = True

    def no_capture(self, stream: Stream) -> None:
        if stream.capture is not None:
            stream.capture.invalid = True
            raise Failed("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED")


def touches(stream: Stream, place: Allocation) -> bool:
    return any(place in work.uses for work in stream.pending)
