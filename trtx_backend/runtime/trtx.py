"""Runs graphs on a CUDA device: engines of TensorRT for RTX, out of the cache or built, on the context's stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from trtx_backend.dtypes import DATA_TYPES, Array, data_type
from trtx_backend.edge import from_binding, to_binding
from trtx_backend.engine import (
    Compiler,
    EngineCache,
    EngineSettings,
    Plan,
    TensorRTCompiler,
    Weight,
    for_device,
    obtain,
)
from trtx_backend.engine.dump import dump_engine, is_asked
from trtx_backend.engine.jit_cache import JitCache
from trtx_backend.engine.stack import on_large_stack
from trtx_backend.graph.ir import Graph, MLOperandDescriptor
from trtx_backend.lowering import LoweredGraph
from trtx_backend.options import TrtxOptions
from trtx_backend.runtime.device import default_driver, describe, shared_device
from trtx_backend.runtime.dispatch import Execution
from trtx_backend.runtime.driver import Binding, Driver, Handle
from trtx_backend.runtime.jit import SharedCache, shared_cache
from trtx_backend.runtime.loader import Loader, Runtime
from trtx_backend.runtime.queue import Buffer, Queue


@dataclass(frozen=True)
class DeviceTensor:
    """A tensor's memory. It holds what a network's binding takes: int4 and uint4 are one element a byte there."""

    buffer: Buffer
    descriptor: MLOperandDescriptor


@dataclass(frozen=True)
class TrtxGraph:
    """A compiled graph: its execution, and the network's names of its inputs and outputs. `cached`: the engine came from
    the cache."""

    execution: Execution
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    cached: bool


class TrtxRuntime:
    """As backend.Runtime says, on CUDA device `index`. `driver` and `compiler` are the machine's own unless given."""

    def __init__(
        self, index: int, options: TrtxOptions, driver: Driver | None = None, compiler: Compiler | None = None
    ) -> None:
        driver = driver or default_driver()
        self.device = describe(driver, index)
        self._options = options
        self._settings = for_device(self.device.compute_capability)
        if is_asked():  # an engine tells no more of its layers than it was built to
            self._settings = replace(self._settings, profiling="DETAILED")
        self._compiler = compiler or default_compiler()
        self._cache_dir = None if options.cache_dir is None else Path(options.cache_dir)
        self._cache = EngineCache(self._cache_dir, options.cache_size) if options.engine_caching else None
        self._jit: JitCache | None = None
        self._runtime = Runtime()
        self.queue = Queue(shared_device(driver, index))

    @property
    def lost(self) -> str | None:
        return self.queue.lost

    def create(self, descriptor: MLOperandDescriptor) -> DeviceTensor:
        size = descriptor.element_count * data_type(descriptor.dtype).numpy.itemsize
        return DeviceTensor(self.queue.allocate(size), descriptor)

    def write(self, storage: DeviceTensor, data: Array) -> None:
        self.queue.upload(storage.buffer, to_binding(np.asarray(data, order="C"), storage.descriptor.dtype))

    def read(self, storage: DeviceTensor) -> Array:
        descriptor = storage.descriptor
        data = np.empty(descriptor.shape, data_type(descriptor.dtype).numpy)
        self.queue.download(storage.buffer, to_binding(data, descriptor.dtype))
        return from_binding(data, descriptor.dtype)

    def free(self, storage: DeviceTensor) -> None:
        self.queue.free(storage.buffer)

    def drop(self, storage: DeviceTensor) -> None:
        self.queue.drop_buffer(storage.buffer)

    def compile(self, graph: Graph) -> TrtxGraph:
        self.queue.check()
        loader = Loader(self.queue, self._runtime)
        execution = None
        try:
            engine = obtain(
                graph,
                self._settings,
                _OnDevice(self._compiler, self.queue),
                loader,
                self._cache,
                self._options.fail_on_cache_miss,
            )
            dump_engine(engine.engine.handle, engine.lowered.network)
            limit = self._options.cuda_graph_limit if self._options.cuda_graphs else 0
            find_cache = self._runtime_cache if self._options.runtime_cache else None
            execution = Execution(self.queue, engine.engine, _bindings(engine.lowered), limit, find_cache)
        finally:
            loader.discard_others(engine.engine if execution else None)
        if self._jit is not None and not engine.cached:
            self._jit.save()
        inputs, outputs = (
            {name: binding.name for name, binding in side.items()}
            for side in (engine.lowered.inputs, engine.lowered.outputs)
        )
        return TrtxGraph(execution, inputs, outputs, engine.cached)

    def _runtime_cache(self, config: Handle) -> SharedCache:
        limit = self._options.runtime_cache_size
        self._jit, cache = shared_cache(self.queue.device, self.device, config, self._cache_dir, limit)
        return cache

    def dispatch(
        self, compiled: TrtxGraph, inputs: Mapping[str, DeviceTensor], outputs: Mapping[str, DeviceTensor]
    ) -> None:
        given = {name: inputs[webnn].buffer for webnn, name in compiled.inputs.items()}
        taken = {name: outputs[webnn].buffer for webnn, name in compiled.outputs.items()}
        compiled.execution.run({**given, **taken})

    def discard(self, compiled: TrtxGraph) -> None:
        self.queue.release(compiled.execution)

    def drop_compiled(self, compiled: TrtxGraph) -> None:
        self.queue.drop_resource(compiled.execution)

    def close(self) -> None:
        self.queue.close()


stand_in: Compiler | None = None
"""Taken for TensorRT's builder, where it is set."""


def default_compiler() -> Compiler:
    return stand_in or TensorRTCompiler()


class _OnDevice:
    """A compiler, with the device's context current: TensorRT uses the GPU to build what can be refitted."""

    def __init__(self, compiler: Compiler, queue: Queue) -> None:
        self._compiler, self._queue = compiler, queue

    def compile(self, lowered: LoweredGraph, settings: EngineSettings, weights: Sequence[Weight]) -> Plan:
        device = self._queue.device

        def compile() -> Plan:
            with device.driver.current(device.context):  # of the thread that compiles
                return self._compiler.compile(lowered, settings, weights)

        with device.gate.work():
            return on_large_stack(lowered.network, compile)


def _bindings(lowered: LoweredGraph) -> list[Binding]:
    return [
        Binding(binding.name, is_input, DATA_TYPES[binding.descriptor.dtype].binding, tuple(binding.descriptor.shape))
        for side, is_input in ((lowered.inputs, True), (lowered.outputs, False))
        for binding in side.values()
    ]
