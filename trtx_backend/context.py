"""MLContext, MLGraph and MLTensor. Spec: https://www.w3.org/TR/webnn/#api-ml

The specification's promises are plain calls here: they return when the work is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from trtx_backend.dtypes import ALL, Array, data_type
from trtx_backend.errors import ArgumentError, InvalidStateError, check
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import Graph, MLOperandDescriptor
from trtx_backend.graph.limits import MAX_RANK, Limits, byte_length, check_shape
from trtx_backend.graph.operator import RULES
from trtx_backend.options import Backend, BackendDevice, MLContextOptions
from trtx_backend.runtime.cpu import CpuGraph


class MLTensor:
    """Memory of a context that graphs read and write. Made by MLContext.create_tensor."""

    def __init__(self, context: MLContext, descriptor: MLOperandDescriptor, readable: bool, writable: bool) -> None:
        self.context, self.descriptor = context, descriptor
        self.readable, self.writable = readable, writable
        self._data: Array | None = np.zeros(descriptor.shape, data_type(descriptor.dtype).numpy)

    @property
    def dtype(self) -> str:
        return self.descriptor.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.descriptor.shape

    @property
    def byte_length(self) -> int:
        """Bytes of the data; int4 and uint4 are packed two a byte."""
        return byte_length(self.dtype, self.descriptor.element_count)

    @property
    def data(self) -> Array:
        if self._data is None:
            raise ArgumentError("tensor", str(self.descriptor), "it was destroyed")
        return self._data

    def destroy(self) -> None:
        """Give the memory back. Destroying twice does nothing."""
        self._data = None


class MLGraph:
    """A compiled graph. Made by MLGraphBuilder.build."""

    def __init__(self, context: MLContext, graph: Graph) -> None:
        self.context = context
        self.inputs = {name: operand.descriptor for name, operand in graph.inputs.items()}
        self.outputs = {name: operand.descriptor for name, operand in graph.outputs.items()}
        self._compiled: CpuGraph | None = CpuGraph(graph)

    @property
    def compiled(self) -> CpuGraph:
        if self._compiled is None:
            raise InvalidStateError("this MLGraph was destroyed")
        return self._compiled

    def destroy(self) -> None:
        self._compiled = None


class MLContext:
    """Compiles graphs, owns tensors and runs graphs on them. Made by ML.create_context."""

    def __init__(self, device: BackendDevice, options: MLContextOptions) -> None:
        self.device, self.options = device, options
        self.lost: str | None = None
        """Why the context cannot be used any more; None while it can."""

    @property
    def backend(self) -> Backend:
        return self.device.backend

    def create_tensor(
        self, dtype: str, shape: Sequence[int] = (), *, readable: bool = False, writable: bool = False
    ) -> MLTensor:
        """A tensor of zeros. `readable` and `writable` allow `read_tensor` and `write_tensor`."""
        self._check_alive()
        sizes = arguments.unsigned_list("create_tensor: shape", shape)
        check_shape("create_tensor: shape", sizes)
        arguments.choice("create_tensor: dtype", dtype, ALL)
        return MLTensor(self, MLOperandDescriptor(dtype, sizes), readable, writable)

    def write_tensor(self, tensor: MLTensor, data: Array) -> None:
        """Copy an array of the tensor's data type and number of elements (int4, uint4: one a byte) into it."""
        self._check_mine("write_tensor: tensor", tensor)
        check(tensor.writable, "write_tensor: tensor", str(tensor.descriptor), "it was not created writable")
        _check_data("write_tensor: data", np.asarray(data), tensor.descriptor)
        tensor.data[...] = np.asarray(data).reshape(tensor.shape)

    def read_tensor(self, tensor: MLTensor) -> Array:
        """A copy of the tensor's data, in its shape."""
        self._check_mine("read_tensor: tensor", tensor)
        check(tensor.readable, "read_tensor: tensor", str(tensor.descriptor), "it was not created readable")
        return np.array(tensor.data)

    def dispatch(self, graph: MLGraph, inputs: Mapping[str, MLTensor], outputs: Mapping[str, MLTensor]) -> None:
        """Compute a graph: read its inputs from tensors, by name, and write its outputs to others."""
        self._check_alive()
        if graph.context is not self:
            raise ArgumentError("dispatch: graph", graph, "it was built by another context")
        compiled = graph.compiled
        _check_names("dispatch: inputs", inputs, graph.inputs)
        _check_names("dispatch: outputs", outputs, graph.outputs)
        seen: set[int] = set()
        for name, tensor in (*inputs.items(), *outputs.items()):
            self._check_mine(f"dispatch: tensor of {name!r}", tensor)
            check(id(tensor) not in seen, f"dispatch: tensor of {name!r}", str(tensor.descriptor), "it is bound twice")
            seen.add(id(tensor))
        for expected, given in ((graph.inputs, inputs), (graph.outputs, outputs)):
            for name, descriptor in expected.items():
                rule = f"the graph has {descriptor}"
                check(given[name].descriptor == descriptor, f"dispatch: {name!r}", str(given[name].descriptor), rule)
        results = compiled.compute({name: inputs[name].data for name in graph.inputs})
        for name, result in results.items():
            outputs[name].data[...] = result

    def compute(self, graph: MLGraph, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Compute a graph on arrays: tensors are made, written, dispatched, read and destroyed. A convenience that the
        specification does not have."""
        _check_names("compute: inputs", inputs, graph.inputs)
        tensors = {name: self.create_tensor(d.dtype, d.shape, writable=True) for name, d in graph.inputs.items()}
        results = {name: self.create_tensor(d.dtype, d.shape, readable=True) for name, d in graph.outputs.items()}
        try:
            for name, tensor in tensors.items():
                self.write_tensor(tensor, inputs[name])
            self.dispatch(graph, tensors, results)
            return {name: self.read_tensor(tensor) for name, tensor in results.items()}
        finally:
            for tensor in (*tensors.values(), *results.values()):
                tensor.destroy()

    def compile(self, graph: Graph) -> MLGraph:
        """Compile a graph; MLGraphBuilder.build calls this."""
        self._check_alive()
        return MLGraph(self, graph)

    def op_support_limits(self) -> dict[str, Any]:
        """Data types and ranks by operator and operand, from the tables that the builder checks with. Spec:
        opSupportLimits(); keys are the Python names."""
        any_tensor = _limits(Limits())
        operators = {
            name: {operand: _limits(row, rule.limits) for operand, row in {**rule.limits, **rule.results}.items()}
            for name, rule in sorted(RULES.items())
        }
        return {
            "preferred_input_layout": "nchw",
            "max_tensor_byte_length": 2**31 - 1,
            "input": any_tensor,
            "constant": any_tensor,
            "output": any_tensor,
            **operators,
        }

    def destroy(self) -> None:
        """The context cannot be used any more. Destroying twice does nothing."""
        self.lost = self.lost or "destroy() was called"

    def _check_alive(self) -> None:
        if self.lost is not None:
            raise InvalidStateError(f"this MLContext is lost: {self.lost}")

    def _check_mine(self, name: str, tensor: Any) -> None:
        self._check_alive()
        if not isinstance(tensor, MLTensor):
            raise ArgumentError(name, tensor, "must be an MLTensor")
        check(tensor.context is self, name, str(tensor.descriptor), "it belongs to another context")
        assert tensor.data is not None  # raises if it was destroyed


def _limits(row: Limits, rows: Mapping[str, Limits] | None = None) -> dict[str, Any]:
    while row.same_as and rows:
        row = Limits(rows[row.same_as].dtypes, row.min_rank, row.max_rank, rows[row.same_as].same_as)
    return {"data_types": list(row.dtypes), "rank_range": {"min": row.min_rank, "max": min(row.max_rank, MAX_RANK)}}


def _check_names(what: str, given: Mapping[str, Any], expected: Iterable[str]) -> None:
    missing = [name for name in expected if name not in given]
    unknown = [name for name in given if name not in set(expected)]
    check(not missing, what, sorted(given), f"{', '.join(map(repr, missing))} is missing")
    check(not unknown, what, sorted(given), f"the graph has no {', '.join(map(repr, unknown))}")


def _check_data(name: str, data: Array, descriptor: MLOperandDescriptor) -> None:
    row = data_type(descriptor.dtype)
    rule = f"{descriptor.dtype} needs {row.numpy.name}"
    check(data.dtype == row.numpy, name, data.dtype.name, rule)
    rule = f"the shape {list(descriptor.shape)} needs {descriptor.element_count} elements"
    check(data.size == descriptor.element_count, name, f"{data.size} elements", rule)
    in_range = row.bits >= 8 or not data.size or (data.min() >= row.min and data.max() <= row.max)
    check(bool(in_range), name, "out of range", f"{descriptor.dtype} is from {row.min} to {row.max}")
