"""The CUDA driver API, as much of it as `driver` uses, with cuda-python's types and ways of returning."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np
from cuda.bindings import driver as real

from trtx_backend.runtime.double.memory import Allocation, Bytes, Capture, Recorded, Stream, Work
from trtx_backend.runtime.double.state import ALIGNMENT, Failed, State, entry, touches


class Cuda(State):
    """Stands in for the module cuda.bindings.driver."""

    # Devices and contexts -------------------------------------------------------------------------------------------

    @entry
    def cuInit(self, flags: int) -> None:
        assert flags == 0
        self.initialised = True

    @entry
    def cuDriverGetVersion(self) -> int:
        return 13000

    @entry
    def cuDeviceGetCount(self) -> int:
        if not self.initialised:
            raise Failed("CUDA_ERROR_NOT_INITIALIZED")
        return self.machine.devices

    @entry
    def cuDeviceGet(self, index: int) -> Any:
        if not self.initialised:
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
        self.no_capture(stream)
        stream.run_all()

    @entry
    def cuStreamQuery(self, handle: Any) -> None:
        stream = self.stream(handle)
        self.no_capture(stream)
        if stream.pending:
            raise Failed("CUDA_ERROR_NOT_READY")

    # Memory ---------------------------------------------------------------------------------------------------------

    def _allocate(self, size: int, stream: Stream | None) -> Any:
        if size < 1:
            raise Failed("CUDA_ERROR_INVALID_VALUE")
        rounded = -(-size // ALIGNMENT) * ALIGNMENT
        again = self.reusable.get((stream.handle if stream else 0, rounded))
        if again:  # as soon as it can be: whoever still holds the old address will hit the new tenant
            address = again.pop()
        else:
            address = self.next_address
            self.next_address += rounded + ALIGNMENT
        self.memory[address] = Allocation(address, size, stream)
        return real.CUdeviceptr(address)

    def _free(self, address: Any) -> Allocation:
        found = self.memory.get(int(address))
        if found is None or found.free_asked:
            self.machine.blame(f"address {int(address):#x} is freed, which {'was' if found else 'is no allocation'}")
            raise Failed("CUDA_ERROR_INVALID_VALUE")
        found.free_asked = True
        rounded = -(-found.size // ALIGNMENT) * ALIGNMENT
        self.reusable.setdefault((found.stream.handle if found.stream else 0, rounded), []).append(found.address)
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
        if found is not None and any(touches(stream, found) for stream in self.streams.values()):
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
            self.no_capture(stream)

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
        self.no_capture(stream)
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
        self.no_capture(stream)
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


def _host(address: int, size: int) -> Bytes:
    """Memory of this process, as an array."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def _copy(target: Bytes, source: Bytes) -> None:
    target[...] = source
