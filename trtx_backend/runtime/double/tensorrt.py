"""TensorRT's runtime, as much of it as `driver` uses: engines are plans of the double, played by the executor."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from trtx_backend.dtypes import Array
from trtx_backend.executor import Program, execute
from trtx_backend.executor.types import storage
from trtx_backend.runtime.double.machine import Machine
from trtx_backend.runtime.double.memory import Recorded, Stream, Work
from trtx_backend.runtime.double.plan import PlannedNetwork, Tensor, load_plan, program
from trtx_backend.runtime.double.state import Failed
from trtx_backend.trt import trt

CACHE_MAGIC = b"runtime cache of the double\n"


class TensorRT:
    """Stands in for TensorRT's module."""

    TensorIOMode = trt.TensorIOMode
    CudaGraphStrategy = trt.CudaGraphStrategy
    Weights = trt.Weights
    __version__ = f"{trt.__version__} of the double"

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.engines: weakref.WeakSet[Engine] = weakref.WeakSet()
        self.executions: weakref.WeakSet[Execution] = weakref.WeakSet()

    def Runtime(self, log: Any) -> Any:
        return None if self.refuses("Runtime") else Runtime(self)

    def Refitter(self, engine: Engine, log: Any) -> Any:
        return None if self.refuses("Refitter") else Refitter(engine)

    def refuses(self, name: str, whole_device: bool = False) -> bool:
        """Count a call of TensorRT. Whether it fails: on request, without a current context, or after a sticky error.
        `whole_device`: it waits for all that the device does."""
        machine = self.machine
        with machine.lock:
            if whole_device:
                machine.cuda.disturb_captures()
            if machine.fails(name):
                if machine.fault.status.startswith("CUDA_ERROR"):
                    machine.cuda.failure(machine.fault.status, ())
                return self.says(f"{name}: made to fail ({machine.fault.status})")
            if machine.cuda.sticky is not None:
                return self.says(f"{name}: CUDA failure: {machine.cuda.sticky}")
            if not machine.cuda.stack:
                machine.blame(f"{name}: no context is current")
                return self.says(f"{name}: no context is current")
        return False

    def says(self, message: str) -> bool:
        self.machine.log.log(trt.ILogger.Severity.ERROR, message)
        return True


class Runtime:
    def __init__(self, tensorrt: TensorRT) -> None:
        self._tensorrt = tensorrt

    def deserialize_cuda_engine(self, plan: bytes) -> Engine | None:
        if self._tensorrt.refuses("deserialize_cuda_engine", whole_device=True):
            return None
        try:
            return Engine(self, self._tensorrt, load_plan(plan))
        except ValueError as error:
            self._tensorrt.says(str(error))
            return None


class Engine:
    """`weights` hold garbage until they are refitted."""

    def __init__(self, runtime: Runtime, tensorrt: TensorRT, network: PlannedNetwork) -> None:
        self._runtime = weakref.ref(runtime)
        self.tensorrt, self.network = tensorrt, network
        self.weights: dict[str, Array] = {
            name: np.full(weight.size * weight.dtype.itemsize, 0xCD, np.uint8).view(weight.dtype)
            for name, weight in network.weights.items()
        }
        self.missing = set(self.weights)
        self._tensors = {tensor.name: tensor for tensor in (*network.inputs, *network.outputs)}
        tensorrt.engines.add(self)

    def __del__(self) -> None:
        _ended(self, self.tensorrt, "an engine")

    @property
    def num_io_tensors(self) -> int:
        return len(self._tensors)

    def get_tensor_name(self, index: int) -> str:
        return list(self._tensors)[index]

    def get_tensor_mode(self, name: str) -> Any:
        is_input = any(tensor.name == name for tensor in self.network.inputs)
        return trt.TensorIOMode.INPUT if is_input else trt.TensorIOMode.OUTPUT

    def get_tensor_dtype(self, name: str) -> Any:
        return self._tensors[name].dtype

    def get_tensor_shape(self, name: str) -> tuple[int, ...]:
        return self._tensors[name].shape

    def create_runtime_config(self) -> RuntimeConfig | None:
        return None if self.tensorrt.refuses("create_runtime_config") else RuntimeConfig(self.tensorrt)

    def create_execution_context(self, config: RuntimeConfig) -> Execution | None:
        if self.tensorrt.refuses("create_execution_context", whole_device=True):
            return None
        if self._runtime() is None:
            self.tensorrt.machine.blame("an engine is used whose runtime is gone")
        assert config.cuda_graph_strategy == trt.CudaGraphStrategy.DISABLED
        if config.cache is not None:
            config.cache.compiled.add(repr(self.network.outputs))
        return Execution(self)

    @property
    def tensors(self) -> dict[str, Tensor]:
        return self._tensors


class Refitter:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._given: dict[str, Array] = {}

    def get_missing_weights(self) -> list[str]:
        return sorted(self._engine.missing - set(self._given))

    def get_all_weights(self) -> list[str]:
        return sorted(self._engine.weights)

    def set_named_weights(self, name: str, weights: Any) -> bool:
        tensorrt = self._engine.tensorrt
        if tensorrt.refuses("set_named_weights"):
            return False
        expected = self._engine.weights.get(name)
        if expected is None:
            return not tensorrt.says(f"there are no refittable weights named {name}")
        data = weights.numpy()
        if data.dtype != expected.dtype or data.size != expected.size:
            given, wanted = f"{data.dtype.name} x {data.size}", f"{expected.dtype.name} x {expected.size}"
            return not tensorrt.says(f"weights {name} are {given}, the engine has {wanted}")
        self._given[name] = data
        return True

    def refit_cuda_engine(self) -> bool:
        tensorrt, engine = self._engine.tensorrt, self._engine
        if tensorrt.refuses("refit_cuda_engine", whole_device=True):
            return False
        if self.get_missing_weights():
            return not tensorrt.says(f"missing weights: {self.get_missing_weights()}")
        if any(stream.waits_for(id(engine)) for stream in tensorrt.machine.cuda.streams.values()):
            tensorrt.machine.blame("an engine is refitted that has work pending")
        for name, data in self._given.items():
            engine.weights[name][...] = data
        engine.missing.clear()
        return True


class RuntimeConfig:
    def __init__(self, tensorrt: TensorRT) -> None:
        self._tensorrt = tensorrt
        self.cuda_graph_strategy = trt.CudaGraphStrategy.WHOLE_GRAPH_CAPTURE
        self.cache: RuntimeCache | None = None

    def create_runtime_cache(self) -> RuntimeCache | None:
        return None if self._tensorrt.refuses("create_runtime_cache") else RuntimeCache(self._tensorrt)

    def set_runtime_cache(self, cache: RuntimeCache) -> bool:
        if self._tensorrt.refuses("set_runtime_cache"):
            return False
        self.cache = cache
        return True


class RuntimeCache:
    def __init__(self, tensorrt: TensorRT) -> None:
        self._tensorrt = tensorrt
        self.compiled: set[str] = set()

    def serialize(self) -> Any:
        if self._tensorrt.refuses("serialize"):
            return None
        return memoryview(CACHE_MAGIC + "\n".join(sorted(self.compiled)).encode())

    def deserialize(self, data: bytes) -> bool:
        if self._tensorrt.refuses("deserialize"):
            return False
        if not data.startswith(CACHE_MAGIC):
            return not self._tensorrt.says("a runtime cache of another environment")
        self.compiled.update(data[len(CACHE_MAGIC) :].decode().split("\n"))
        return True


class Execution:
    """An execution context. Its first run compiles, which nothing that is captured survives."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._tensorrt, self._program = engine.tensorrt, program(engine.network, engine.weights)
        self._addresses: dict[str, int] = {}
        self._cold = True
        engine.tensorrt.executions.add(self)

    def __del__(self) -> None:
        _ended(self, self._tensorrt, "an execution context")

    def set_tensor_address(self, name: str, address: int) -> bool:
        if self._tensorrt.refuses("set_tensor_address"):
            return False
        if name not in self._engine.tensors or not isinstance(address, int) or not address:
            return not self._tensorrt.says(f"no tensor {name}, or a null address")
        self._addresses[name] = address
        return True

    def is_stream_capturable(self, stream: int) -> bool:
        return self._tensorrt.machine.capturable

    def execute_async_v3(self, stream_handle: int) -> bool:
        tensorrt, cuda = self._tensorrt, self._tensorrt.machine.cuda
        if tensorrt.refuses("execute_async_v3", whole_device=self._cold):
            return False
        absent = set(self._engine.tensors) - set(self._addresses)
        if absent:
            return not tensorrt.says(f"no address for {sorted(absent)}")
        with tensorrt.machine.lock:
            self._cold = False
            played, addresses, owners = self._program, dict(self._addresses), (id(self), id(self._engine))
            tensors, alive, machine = dict(self._engine.tensors), weakref.ref(self), tensorrt.machine
            sizes = {name: _nbytes(tensor) for name, tensor in tensors.items()}

            def issue(stream: Stream) -> Work:
                if alive() is None:
                    machine.blame("a CUDA graph is launched whose execution context is gone")
                places = {
                    name: cuda.place(addresses[name], size, stream, f"run of {name}") for name, size in sizes.items()
                }
                if cuda.idle_kernels:
                    return Work("run", lambda: None, tuple(places.values()), owners)
                return Work("run", lambda: _run(played, places, tensors), tuple(places.values()), owners)

            try:
                cuda.issue(cuda.stream(stream_handle), Recorded("run", issue))
            except Failed as failed:
                cuda.failure(failed.status, ())
                return not tensorrt.says(f"CUDA failure: {failed.status}")
        return True


def _run(played: Program, places: dict[str, Any], tensors: dict[str, Tensor]) -> None:
    feeds = {}
    for info in played.inputs:
        raw = places[info.name].data[: _nbytes(tensors[info.name])]
        feeds[info.name] = raw.view(info.storage).reshape(info.shape).copy()
    for name, result in execute(played, feeds).items():
        raw = np.asarray(result, order="C").reshape(-1).view(np.uint8)
        places[name].data[: raw.size] = raw


def _nbytes(tensor: Tensor) -> int:
    return int(np.prod(tensor.shape, dtype=np.int64)) * storage(tensor.dtype, tensor.name).itemsize


def _ended(one: object, tensorrt: TensorRT, what: str) -> None:
    machine = tensorrt.machine
    with machine.lock:
        machine.cuda.disturb_captures()
        sticky = machine.cuda.sticky is not None
        if not sticky and any(stream.waits_for(id(one)) for stream in machine.cuda.streams.values()):
            machine.blame(f"{what} is destroyed that has work pending")
