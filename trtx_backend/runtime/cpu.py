"""Runs graphs on the CPU: lowered to a TensorRT network, computed by the executor."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from trtx_backend.dtypes import Array, data_type
from trtx_backend.edge import from_binding, to_binding
from trtx_backend.engine.dump import dump_network
from trtx_backend.errors import ContextLostError, InvalidStateError
from trtx_backend.executor import execute, read
from trtx_backend.graph.ir import Graph, MLOperandDescriptor
from trtx_backend.lowering import lower


class CpuGraph:
    """A graph ready to be computed. Arrays are in WebNN's types, int4 and uint4 one element a byte."""

    def __init__(self, graph: Graph) -> None:
        self._lowered = lower(graph)
        dump_network(self._lowered.network)
        self._program = read(self._lowered.network)

    def compute(self, inputs: Mapping[str, Array], accumulate: type[np.floating[Any]] = np.float64) -> dict[str, Array]:
        """The outputs by name, from the inputs by name; the caller has checked types and shapes. `accumulate` as in
        `executor.execute`."""
        feeds = {
            binding.name: to_binding(inputs[name], binding.descriptor.dtype)
            for name, binding in self._lowered.inputs.items()
        }
        results = execute(self._program, feeds, accumulate)
        return {
            name: from_binding(results[binding.name], binding.descriptor.dtype)
            for name, binding in self._lowered.outputs.items()
        }


class Memory:
    """A tensor's data, until it is freed."""

    def __init__(self, descriptor: MLOperandDescriptor) -> None:
        self._data: Array | None = np.zeros(descriptor.shape, data_type(descriptor.dtype).numpy)

    @property
    def data(self) -> Array:
        if self._data is None:
            raise InvalidStateError("the tensor was destroyed by another thread")
        return self._data

    def free(self) -> None:
        self._data = None


class CpuRuntime:
    """As backend.Runtime says. A dispatch is done when it returns."""

    def __init__(self) -> None:
        self.lost: str | None = None
        self._lock = threading.Lock()

    def create(self, descriptor: MLOperandDescriptor) -> Memory:
        self._check()
        return Memory(descriptor)

    def write(self, storage: Memory, data: Array) -> None:
        with self._lock:
            self._check()
            storage.data[...] = data.reshape(storage.data.shape)

    def read(self, storage: Memory) -> Array:
        with self._lock:
            self._check()
            return np.array(storage.data)

    def free(self, storage: Memory) -> None:
        storage.free()

    drop = free

    def compile(self, graph: Graph) -> CpuGraph:
        self._check()
        return CpuGraph(graph)

    def dispatch(self, compiled: CpuGraph, inputs: Mapping[str, Memory], outputs: Mapping[str, Memory]) -> None:
        with self._lock:
            self._check()
            results = compiled.compute({name: memory.data for name, memory in inputs.items()})
            for name, result in results.items():
                outputs[name].data[...] = result

    def discard(self, compiled: CpuGraph) -> None:
        """Nothing but memory, which goes with the last reference."""

    drop_compiled = discard

    def close(self) -> None:
        self.lost = self.lost or "destroy() was called"

    def _check(self) -> None:
        if self.lost is not None:
            raise ContextLostError(f"this MLContext is lost: {self.lost}")
