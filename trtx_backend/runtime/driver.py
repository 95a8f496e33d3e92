"""The CUDA driver and TensorRT's runtime, called here and nowhere else.

Each method is one or two calls, whose statuses are checked; a failure is one typed error with the call's name. The CUDA
side is cuda-python's `cuda.bindings.driver`: its `cuda.core` keeps a current device of its own, frees on garbage
collection, and names no call in its errors. A `Driver` takes the two libraries as arguments, so that a double can stand
in for them. Addresses and handles are what the libraries give; none outlives the context it was made in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from trtx_backend.dtypes import Array
from trtx_backend.errors import CudaError, TensorRTError

Handle = Any
"""A CUDA or TensorRT object."""

STICKY = frozenset(
    f"CUDA_ERROR_{name}"
    for name in (
        "DEINITIALIZED",
        "ECC_UNCORRECTABLE",
        "NVLINK_UNCORRECTABLE",
        "CONTAINED",
        "ILLEGAL_ADDRESS",
        "LAUNCH_TIMEOUT",
        "CONTEXT_IS_DESTROYED",
        "ASSERT",
        "HARDWARE_STACK_ERROR",
        "ILLEGAL_INSTRUCTION",
        "MISALIGNED_ADDRESS",
        "INVALID_ADDRESS_SPACE",
        "INVALID_PC",
        "LAUNCH_FAILED",
        "TENSOR_MEMORY_LEAK",
    )
)
"""Statuses after which a CUDA context answers every call with the same one."""


@dataclass(frozen=True)
class Binding:
    """An input or output of an engine, as TensorRT says. `dtype` is the name of its DataType."""

    name: str
    is_input: bool
    dtype: str
    shape: tuple[int, ...]


class Driver:
    """`cuda` is cuda.bindings.driver, `tensorrt` the TensorRT module, `log` its logger."""

    def __init__(self, cuda: Any, tensorrt: Any, log: Any) -> None:
        self._cuda, self._trt, self._log = cuda, tensorrt, log
        self.shared: dict[int, Any] = {}
        """By device, what all contexts on it share. Looked after by `device`."""

    def call(self, name: str, *arguments: Any) -> Any:
        """Call the driver: what it returns behind its status. CudaError if the status is not success, or cuda-python
        has not found the driver or the function in it."""
        try:
            status, *values = getattr(self._cuda, name)(*arguments)
        except (RuntimeError, OSError, AttributeError) as error:
            raise CudaError(name, None, type(error).__name__, " ".join(str(error).split())) from error
        if status != self._cuda.CUresult.CUDA_SUCCESS:
            raise CudaError(name, int(status), status.name, sticky=status.name in STICKY)
        return values[0] if len(values) == 1 else tuple(values)

    # Devices and contexts -------------------------------------------------------------------------------------------

    def device_count(self) -> int:
        """Initialises the driver first."""
        self.call("cuInit", 0)
        return int(self.call("cuDeviceGetCount"))

    def device(self, index: int) -> Handle:
        return self.call("cuDeviceGet", index)

    def device_name(self, device: Handle) -> str:
        return _text(self.call("cuDeviceGetName", 256, device))

    def pci_bus_id(self, device: Handle) -> str:
        return _text(self.call("cuDeviceGetPCIBusId", 32, device))

    def device_memory(self, device: Handle) -> int:
        """Bytes."""
        return int(self.call("cuDeviceTotalMem", device))

    def attribute(self, device: Handle, name: str) -> int:
        """`name` without its CU_DEVICE_ATTRIBUTE_."""
        attribute = getattr(self._cuda.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(self.call("cuDeviceGetAttribute", attribute, device))

    def driver_version(self) -> int:
        """1000 * major + 10 * minor of the CUDA version that the driver supports."""
        return int(self.call("cuDriverGetVersion"))

    def retain(self, device: Handle) -> Handle:
        """The device's primary context, which all of the process shares; TensorRT uses that too."""
        return self.call("cuDevicePrimaryCtxRetain", device)

    def release(self, device: Handle) -> None:
        self.call("cuDevicePrimaryCtxRelease", device)

    def reset(self, device: Handle) -> None:
        """Make all that the primary context holds invalid, and the context usable again."""
        self.call("cuDevicePrimaryCtxReset", device)

    @contextmanager
    def current(self, context: Handle) -> Iterator[None]:
        """The context is this thread's current one inside; what was current before is so again afterwards."""
        self.call("cuCtxPushCurrent", context)
        try:
            yield
        except BaseException:
            self._pop_quietly()  # the error on its way says more
            raise
        self.call("cuCtxPopCurrent")

    def _pop_quietly(self) -> None:
        try:
            self.call("cuCtxPopCurrent")
        except CudaError:
            return

    # Streams and memory ---------------------------------------------------------------------------------------------

    def create_stream(self) -> Handle:
        """One that does not wait for the default stream."""
        return self.call("cuStreamCreate", int(self._cuda.CUstream_flags.CU_STREAM_NON_BLOCKING))

    def destroy_stream(self, stream: Handle) -> None:
        self.call("cuStreamDestroy", stream)

    def synchronize(self, stream: Handle) -> None:
        """Return when all work of the stream is done. Errors of that work show here."""
        self.call("cuStreamSynchronize", stream)

    def check_stream(self, stream: Handle) -> None:
        """CudaError if work of the stream has failed. Does not wait."""
        try:
            self.call("cuStreamQuery", stream)
        except CudaError as error:
            if error.name != "CUDA_ERROR_NOT_READY":
                raise

    def allocate(self, size: int, stream: Handle | None) -> int:
        """Device memory of `size` bytes, from 1; in order with the stream, or, for None, at once. Its address."""
        if stream is None:
            return int(self.call("cuMemAlloc", size))
        return int(self.call("cuMemAllocAsync", size, stream))

    def free(self, address: int, stream: Handle | None) -> None:
        """As it was allocated. For None no work may be pending on it."""
        if stream is None:
            self.call("cuMemFree", address)
        else:
            self.call("cuMemFreeAsync", address, stream)

    def zero(self, address: int, size: int, stream: Handle) -> None:
        self.call("cuMemsetD8Async", address, 0, size, stream)

    def upload(self, address: int, data: Array, stream: Handle) -> None:
        """Copy a contiguous array to the device. It must stay as it is until the stream is synchronized."""
        assert data.flags.c_contiguous
        if data.nbytes:
            self.call("cuMemcpyHtoDAsync", address, data.ctypes.data, data.nbytes, stream)

    def download(self, data: Array, address: int, stream: Handle) -> None:
        """Copy from the device into a contiguous array, which is filled when the stream is synchronized."""
        assert data.flags.c_contiguous and data.flags.writeable
        if data.nbytes:
            self.call("cuMemcpyDtoHAsync", data.ctypes.data, address, data.nbytes, stream)

    # CUDA graphs ----------------------------------------------------------------------------------------------------

    def begin_capture(self, stream: Handle) -> None:
        """Gather what comes next on the stream into a graph instead of running it. Calls of other threads are free."""
        mode = self._cuda.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
        self.call("cuStreamBeginCapture", stream, mode)

    def end_capture(self, stream: Handle) -> Handle:
        """The graph. CudaError if the capture was invalidated; the stream is as before it in any case."""
        return self.call("cuStreamEndCapture", stream)

    def is_capturing(self, stream: Handle) -> bool:
        """Also after the capture was invalidated, until it is ended."""
        none = self._cuda.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE
        return bool(self.call("cuStreamIsCapturing", stream) != none)

    def instantiate(self, graph: Handle) -> Handle:
        """A graph that can be launched."""
        return self.call("cuGraphInstantiate", graph, 0)

    def destroy_graph(self, graph: Handle) -> None:
        self.call("cuGraphDestroy", graph)

    def launch(self, executable: Handle, stream: Handle) -> None:
        self.call("cuGraphLaunch", executable, stream)

    def destroy_executable(self, executable: Handle) -> None:
        """One that is running still ends first, on its own."""
        self.call("cuGraphExecDestroy", executable)

    # TensorRT -------------------------------------------------------------------------------------------------------

    def _tensorrt(self, name: str, function: Any, *arguments: Any) -> Any:
        """Call TensorRT: what it returns. TensorRTError for None and False, with what it logged."""
        self._log.take_errors()
        try:
            result = function(*arguments)
        except (RuntimeError, TypeError, ValueError) as error:
            raise TensorRTError(name, f"{error} {self._log.take_errors()}".strip()) from error
        if result is None or result is False:
            raise TensorRTError(name, self._log.take_errors() or "TensorRT gave no reason")
        return result

    @property
    def tensorrt_version(self) -> str:
        return str(self._trt.__version__)

    def create_runtime(self) -> Handle:
        return self._tensorrt("Runtime", self._trt.Runtime, self._log)

    def deserialize(self, runtime: Handle, plan: bytes) -> Handle:
        """The engine of a plan. The runtime must outlive it."""
        return self._tensorrt("Runtime.deserialize_cuda_engine", runtime.deserialize_cuda_engine, plan)

    def bindings(self, engine: Handle) -> tuple[Binding, ...]:
        names = [engine.get_tensor_name(index) for index in range(engine.num_io_tensors)]
        return tuple(
            Binding(
                name,
                engine.get_tensor_mode(name) == self._trt.TensorIOMode.INPUT,
                engine.get_tensor_dtype(name).name,
                tuple(engine.get_tensor_shape(name)),
            )
            for name in names
        )

    def create_refitter(self, engine: Handle) -> Handle:
        return self._tensorrt("Refitter", self._trt.Refitter, engine, self._log)

    def missing_weights(self, refitter: Handle) -> Sequence[str]:
        """Names of weights that the engine has not."""
        return list(refitter.get_missing_weights())

    def refittable_weights(self, refitter: Handle) -> Sequence[str]:
        return list(refitter.get_all_weights())

    def set_weights(self, refitter: Handle, name: str, data: Array) -> None:
        """Give a weight its value. The array must stay as it is until `refit` returns."""
        weights = self._trt.Weights(data.reshape(-1))
        self._tensorrt(f"Refitter.set_named_weights({name!r})", refitter.set_named_weights, name, weights)

    def refit(self, refitter: Handle) -> None:
        """Put the weights that were set into the engine. No work may be pending on it."""
        self._tensorrt("Refitter.refit_cuda_engine", refitter.refit_cuda_engine)

    def create_runtime_config(self, engine: Handle) -> Handle:
        """How an engine is run: TensorRT captures no CUDA graphs of its own."""
        config = self._tensorrt("ICudaEngine.create_runtime_config", engine.create_runtime_config)
        config.cuda_graph_strategy = self._trt.CudaGraphStrategy.DISABLED
        return config

    def create_runtime_cache(self, config: Handle) -> Handle:
        """Holds what TensorRT compiles for the GPU at hand; any number of engines may share it."""
        return self._tensorrt("IRuntimeConfig.create_runtime_cache", config.create_runtime_cache)

    def load_runtime_cache(self, cache: Handle, data: bytes) -> None:
        """TensorRTError if it is not of this GPU, driver and TensorRT."""
        self._tensorrt("IRuntimeCache.deserialize", cache.deserialize, data)

    def save_runtime_cache(self, cache: Handle) -> bytes:
        memory = self._tensorrt("IRuntimeCache.serialize", cache.serialize)
        return bytes(memoryview(memory).cast("B"))

    def use_runtime_cache(self, config: Handle, cache: Handle) -> None:
        self._tensorrt("IRuntimeConfig.set_runtime_cache", config.set_runtime_cache, cache)

    def create_execution_context(self, engine: Handle, config: Handle) -> Handle:
        """The engine must outlive it."""
        return self._tensorrt("ICudaEngine.create_execution_context", engine.create_execution_context, config)

    def set_address(self, execution: Handle, name: str, address: int) -> None:
        """Where a binding's data is, from the next `enqueue` on."""
        self._tensorrt(f"IExecutionContext.set_tensor_address({name!r})", execution.set_tensor_address, name, address)

    def can_capture(self, execution: Handle, stream: Handle) -> bool:
        """Whether TensorRT's work can be captured as a CUDA graph."""
        return bool(execution.is_stream_capturable(int(stream)))

    def enqueue(self, execution: Handle, stream: Handle) -> None:
        """Compute the outputs from the inputs, on the stream."""
        self._tensorrt("IExecutionContext.execute_async_v3", execution.execute_async_v3, int(stream))


def _text(raw: bytes) -> str:
    """C text, which cuda-python gives as a buffer."""
    return raw.split(b"\0", 1)[0].decode(errors="replace").strip()
