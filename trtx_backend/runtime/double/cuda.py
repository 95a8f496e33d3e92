"""The CUDA driver API, as much of it as `driver` uses, with cuda-python's types and ways of returning."""

from __future__ import annotations

import ctypes
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from cuda.bindings import driver as real

from trtx_backend.runtime.double.machine import Machine
from trtx_backend.runtime.double.memory import Allocation, Bytes, Capture, Recorded, Stream, Work
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

    def call(self: Cuda, *arguments: Any) -> Returned:
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


class Cuda:
    """Stands in for the module cuda.bindings.driver."""

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
        self._initialised = False
        self._local = threading.local()
        self._last_handle = 0x1000
        self._next_address = FIRST_ADDRESS
        self._reusable: dict[tuple[int, int], list[int]] = {}

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
        elif any(other is not stream and _touches(other, found) for other in self.streams.values()):
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

    def _no_capture(self, stream: Stream) -> None:
        if stream.capture is not None:
            stream.capture.invalid = True
            raise Failed("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED")

    # Devices and contexts -------------------------------------------------------------------------------------------

    @entry
    def cuInit(self, flags: int) -> None:
        assert flags == 0
        self._initialised = True

    @entry
    def cuDriverGetVersion(self) -> int:
        return 13000

    @entry
    def cuDeviceGetCount(self) -> int:
        if not self._initialised:
            raise Failed("CUDA_ERROR_NOT_INITIALIZED")
        return self.machine.devices

    @entry
    def cuDeviceGet(self, index: int) -> Any:
        if not self._initialised:
            raise Failed("CUDA_ERROR_NOT_INITIALIZED")
        if not 0 <= index < self.machine.devices:
            raise Failed("CUDA_ERROR_INVALID_DEVICE")
        return real.CUdevice(index)

    @entry
    def cuDeviceGetName(self, length: int, device: Any) -> bytes:
        return b"Double of an RTX GPU".ljust(length, b"\0")

    @entry
    def cuDeviceGetPCIBusId(self, length: int, device: Any) -> bytes:
        return f"0000:{int(device) + 1:02x}:00.0".encode().ljust(length, b"\0")

    @entry
    def cuDeviceTotalMem(self, device: Any) -> int:
        return 8 << 30

    @entry
    def cuDeviceGetAttribute(self, attribute: Any, device: Any) -> int:
        known = self.CUdevice_attribute
        values = {
            known.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: self.machine.capability[0],
            known.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: self.machine.capability[1],
            known.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: int(self.machine.pools),
        }
        return values[attribute]

    @entry
    def cuDevicePrimaryCtxRetain(self, device: Any) -> Any:
        if self.sticky is not None:
            raise Failed(self.sticky)
        self.retained[int(device)] += 1
        return real.CUcontext(0x100 + int(device))

    @entry
    def cuDevicePrimaryCtxRelease(self, device: Any) -> None:
        if not self.retained[int(device)]:
            self.machine.blame("a context is released that is not retained")
            raise Failed("CUDA_ERROR_INVALID_CONTEXT")
        self.retained[int(device)] -= 1
        if not +self.retained:
            self._end()

    @entry
    def cuDevicePrimaryCtxReset(self, device: Any) -> None:
        self.sticky = None
        for stream in self.streams.values():
            stream.alive = False
        for each in (self.streams, self.memory, self.graphs, self.executables):
            each.clear()

    def _end(self) -> None:
        """The last user let go: what is still there is lost."""
        excused = self.sticky is not None or self.machine.fault.hit is not None
        for kind, count in self.machine.left().items():
            if kind != "contexts" and not excused:
                self.machine.blame(f"{count} {kind} left when the context ended")
        for each in (self.streams, self.memory, self.graphs, self.executables):
            each.clear()
        self.sticky = None

    @entry
    def cuCtxPushCurrent(self, context: Any) -> None:
        if not self.retained[int(context) - 0x100]:
            self.machine.blame("a context is made current that is not retained")
            raise Failed("CUDA_ERROR_INVALID_CONTEXT")
        self.stack.append(int(context))

    @entry
    def cuCtxPopCurrent(self) -> Any:
        if not self.stack:
            self.machine.blame("cuCtxPopCurrent: no context is current")
            raise Failed("CUDA_ERROR_INVALID_CONTEXT")
        return real.CUcontext(self.stack.pop())

    # Streams --------------------------------------------------------------------------------------------------------

    @entry
    def cuStreamCreate(self, flags: int) -> Any:
        assert flags == int(self.CUstream_flags.CU_STREAM_NON_BLOCKING)
        handle = self.handle()
        self.streams[handle] = Stream(handle)
        return real.CUstream(handle)

    @entry
    def cuStreamDestroy(self, handle: Any) -> None:
        stream = self.stream(handle)
        if stream.pending:
            self.machine.blame("a stream is destroyed that has work pending")
        stream.alive = False
        del self.streams[stream.handle]

    @entry
    def cuStreamSynchronize(self, handle: Any) -> None:
        stream = self.stream(handle)
        self._no_capture(stream)
        stream.run_all()

    @entry
    def cuStreamQuery(self, handle: Any) -> None:
        stream = self.stream(handle)
        self._no_capture(stream)
        if stream.pending:
            raise Failed("CUDA_ERROR_NOT_READY")

    # Memory ---------------------------------------------------------------------------------------------------------

    def _allocate(self, size: int, stream: Stream | None) -> Any:
        if size < 1:
            raise Failed("CUDA_ERROR_INVALID_VALUE")
        rounded = -(-size // ALIGNMENT) * ALIGNMENT
        again = self._reusable.get((stream.handle if stream else 0, rounded))
        if again:  # as soon as it can be: whoever still holds the old address will hit the new tenant
            address = again.pop()
        else:
            address = self._next_address
            self._next_address += rounded + ALIGNMENT
        self.memory[address] = Allocation(address, size, stream)
        return real.CUdeviceptr(address)

    def _free(self, address: Any) -> Allocation:
        found = self.memory.get(int(address))
        if found is None or found.free_asked:
            self.machine.blame(f"address {int(address):#x} is freed, which {'was' if found else 'is no allocation'}")
            raise Failed("CUDA_ERROR_INVALID_VALUE")
        found.free_asked = True
        rounded = -(-found.size // ALIGNMENT) * ALIGNMENT
        self._reusable.setdefault((found.stream.handle if found.stream else 0, rounded), []).append(found.address)
        del self.memory[found.address]
        return found

    @entry
    def cuMemAlloc(self, size: int) -> Any:
        self.disturb_captures(this_thread_only=True)
        return self._allocate(size, None)

    @entry
    def cuMemFree(self, address: Any) -> None:
        self.disturb_captures(this_thread_only=True)
        found = self.memory.get(int(address))
        if found is not None and any(_touches(stream, found) for stream in self.streams.values()):
            self.machine.blame("cuMemFree: work is pending on the memory")
        if found is not None and found.stream is not None:
            self.machine.blame("cuMemFree: the memory is a stream's")
        self._free(address)

    @entry
    def cuMemAllocAsync(self, size: int, handle: Any) -> Any:
        if not self.machine.pools:
            raise Failed("CUDA_ERROR_NOT_SUPPORTED")
        stream = self.stream(handle)
        self._not_in_graph(stream, "cuMemAllocAsync")
        return self._allocate(size, stream)

    @entry
    def cuMemFreeAsync(self, address: Any, handle: Any) -> None:
        stream = self.stream(handle)
        self._not_in_graph(stream, "cuMemFreeAsync")
        self.place(address, 0, stream, "cuMemFreeAsync")
        self._free(address)

    def _not_in_graph(self, stream: Stream, what: str) -> None:
        if stream.capture is not None:
            self.machine.blame(f"{what} while the stream is captured")
            self._no_capture(stream)

    @entry
    def cuMemsetD8Async(self, address: Any, value: int, size: int, handle: Any) -> None:
        def issue(stream: Stream) -> Work:
            place = self.place(address, size, stream, "cuMemsetD8Async")
            return Work("memset", lambda: place.data[:size].fill(value), (place,))

        self.issue(self.stream(handle), Recorded("memset", issue))

    @entry
    def cuMemcpyHtoDAsync(self, address: Any, source: int, size: int, handle: Any) -> None:
        def issue(stream: Stream) -> Work:
            place = self.place(address, size, stream, "cuMemcpyHtoDAsync")
            return Work("upload", lambda: _copy(place.data[:size], _host(source, size)), (place,))

        self.issue(self.stream(handle), Recorded("upload", issue))

    @entry
    def cuMemcpyDtoHAsync(self, target: int, address: Any, size: int, handle: Any) -> None:
        def issue(stream: Stream) -> Work:
            place = self.place(address, size, stream, "cuMemcpyDtoHAsync")
            return Work("download", lambda: _copy(_host(target, size), place.data[:size]), (place,))

        self.issue(self.stream(handle), Recorded("download", issue))

    # Graphs ---------------------------------------------------------------------------------------------------------

    @entry
    def cuStreamBeginCapture(self, handle: Any, mode: Any) -> None:
        assert mode is self.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
        stream = self.stream(handle)
        self._no_capture(stream)
        stream.capture = Capture(threading.get_ident())

    @entry
    def cuStreamIsCapturing(self, handle: Any) -> Any:
        capture = self.stream(handle).capture
        status = self.CUstreamCaptureStatus
        if capture is None:
            return status.CU_STREAM_CAPTURE_STATUS_NONE
        if capture.invalid:
            return status.CU_STREAM_CAPTURE_STATUS_INVALIDATED
        return status.CU_STREAM_CAPTURE_STATUS_ACTIVE

    @entry
    def cuStreamEndCapture(self, handle: Any) -> Any:
        stream = self.stream(handle)
        capture, stream.capture = stream.capture, None
        if capture is None:
            raise Failed("CUDA_ERROR_ILLEGAL_STATE")
        if capture.thread != threading.get_ident():
            raise Failed("CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD")
        if capture.invalid:
            raise Failed("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED")
        graph = self.handle()
        self.graphs[graph] = capture.recorded
        return real.CUgraph(graph)

    @entry
    def cuGraphInstantiate(self, graph: Any, flags: int) -> Any:
        assert flags == 0
        executable = self.handle()
        self.executables[executable] = self._known(self.graphs, graph, "graph")
        return real.CUgraphExec(executable)

    @entry
    def cuGraphDestroy(self, graph: Any) -> None:
        self._known(self.graphs, graph, "graph")
        del self.graphs[int(graph)]

    @entry
    def cuGraphLaunch(self, executable: Any, handle: Any) -> None:
        stream = self.stream(handle)
        self._no_capture(stream)
        for recorded in self._known(self.executables, executable, "executable"):
            self.issue(stream, recorded)

    @entry
    def cuGraphExecDestroy(self, executable: Any) -> None:
        self._known(self.executables, executable, "executable")
        del self.executables[int(executable)]

    def _known(self, table: dict[int, list[Recorded]], handle: Any, what: str) -> list[Recorded]:
        if int(handle) not in table:
            self.machine.blame(f"{what} {int(handle):#x} is used, which does not exist")
            raise Failed("CUDA_ERROR_INVALID_HANDLE")
        return table[int(handle)]


def _touches(stream: Stream, place: Allocation) -> bool:
    return any(place in work.uses for work in stream.pending)


def _host(address: int, size: int) -> Bytes:
    """Memory of this process, as an array."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def _copy(target: Bytes, source: Bytes) -> None:
    target[...] = source
