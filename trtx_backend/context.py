"""MLContext, MLGraph and MLTensor. Spec: https://www.w3.org/TR/webnn/#api-ml

The specification's promises are plain calls here. `dispatch` returns when the work is under way, all others when it is
done.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from trtx_backend.dtypes import ALL, Array, data_type
from trtx_backend.errors import ArgumentError, ContextLostError, InvalidStateError, check
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import Graph, MLOperandDescriptor
from trtx_backend.graph.limits import MAX_RANK, Limits, byte_length, check_shape
from trtx_backend.graph.operator import RULES
from trtx_backend.options import Backend, BackendDevice, MLContextOptions
from trtx_backend.runtime.backend import Compiled, Runtime, Storage
from trtx_backend.runtime.cpu import CpuRuntime
from trtx_backend.runtime.trtx import TrtxRuntime
from trtx_backend.trt import flavor


class MLTensor:
    """Memory of a context that graphs read and write. Made by MLContext.create_tensor.

    `with` destroys it at the end of the block; so does dropping the last reference, at a later time.
    """

    def __init__(self, context: MLContext, descriptor: MLOperandDescriptor, readable: bool, writable: bool) -> None:
        self.context, self.descriptor = context, descriptor
        self.readable, self.writable = readable, writable
        self._storage: Storage | None = context.runtime.create(descriptor)
        self._dropped = weakref.finalize(self, context.runtime.drop, self._storage)
        self._dropped.atexit = False

    def __repr__(self) -> str:
        return f"<MLTensor {self.descriptor}{', destroyed' if self._storage is None else ''}>"

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
    def storage(self) -> Storage:
        """The data, as the backend holds it."""
        if self._storage is None:
            raise ArgumentError("tensor", str(self.descriptor), "it was destroyed")
        return self._storage

    def destroy(self) -> None:
        """Give the memory back, after the work that uses it. Destroying twice does nothing."""
        storage, self._storage = self._storage, None
        if self._dropped.detach() is not None:
            self.context.runtime.free(storage)

    def __enter__(self) -> MLTensor:
        return self

    def __exit__(self, *exception: object) -> None:
        self.destroy()


class MLGraph:
    """A compiled graph. Made by MLGraphBuilder.build. `with` and dropping it destroy it, as with MLTensor."""

    def __init__(self, context: MLContext, graph: Graph) -> None:
        self.context = context
        self.inputs = {name: operand.descriptor for name, operand in graph.inputs.items()}
        self.outputs = {name: operand.descriptor for name, operand in graph.outputs.items()}
        self._compiled: Compiled | None = context.runtime.compile(graph)
        self._dropped = weakref.finalize(self, context.runtime.drop_compiled, self._compiled)
        self._dropped.atexit = False

    def __repr__(self) -> str:
        ends = (", ".join(f"{name} {d}" for name, d in each.items()) for each in (self.inputs, self.outputs))
        return f"<MLGraph {' -> '.join(ends)}{', destroyed' if self._compiled is None else ''}>"

    @property
    def compiled(self) -> Compiled:
        """The graph, as the backend holds it."""
        if self._compiled is None:
            raise InvalidStateError("this MLGraph was destroyed")
        return self._compiled

    def destroy(self) -> None:
        """Give back what it holds, after the work that is pending. Destroying twice does nothing."""
        compiled, self._compiled = self._compiled, None
        if self._dropped.detach() is not None:
            self.context.runtime.discard(compiled)

    def __enter__(self) -> MLGraph:
        return self

    def __exit__(self, *exception: object) -> None:
        self.destroy()


class MLContext:
    """Compiles graphs, owns tensors and runs graphs on them. Made by ML.create_context.

    Several threads may use it at a time. `with` destroys it, as does dropping it or the end of the program.
    """

    def __init__(self, device: BackendDevice, options: MLContextOptions, runtime: Runtime | None = None) -> None:
        """`runtime` is what the device's backend runs on, unless it is given."""
        self.device, self.options = device, options
        self.runtime = runtime or _runtime(device, options)
        self._dropped = weakref.finalize(self, self.runtime.close)

    def __repr__(self) -> str:
        return f"<MLContext {self.device}{'' if self.lost is None else ', lost'}>"

    @property
    def lost(self) -> str | None:
        """Why the context cannot be used any more; None while it can. Calls then raise ContextLostError."""
        return self.runtime.lost

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
        arguments.boolean("create_tensor: readable", readable)
        arguments.boolean("create_tensor: writable", writable)
        return MLTensor(self, MLOperandDescriptor(dtype, sizes), readable, writable)

    def write_tensor(self, tensor: MLTensor, data: Array) -> None:
        """Copy an array of the tensor's data type into it: in its shape, or flat (int4, uint4: one element a byte)."""
        self._check_mine("write_tensor: tensor", tensor)
        check(tensor.writable, "write_tensor: tensor", str(tensor.descriptor), "it was not created writable")
        self.runtime.write(tensor.storage, _checked_data("write_tensor: data", data, tensor.descriptor))

    def read_tensor(self, tensor: MLTensor) -> Array:
        """A copy of the tensor's data, in its shape."""
        self._check_mine("read_tensor: tensor", tensor)
        check(tensor.readable, "read_tensor: tensor", str(tensor.descriptor), "it was not created readable")
        return self.runtime.read(tensor.storage)

    def dispatch(self, graph: MLGraph, inputs: Mapping[str, MLTensor], outputs: Mapping[str, MLTensor]) -> None:
        """Compute a graph: read its inputs from tensors, by name, and write its outputs to others."""
        self._check_alive()
        self._check_graph("dispatch: graph", graph)
        compiled = graph.compiled
        _check_names("dispatch: inputs", inputs, graph.inputs)
        _check_names("dispatch: outputs", outputs, graph.outputs)
        seen: set[int] = set()
        for name, tensor in (*inputs.items(), *outputs.items()):
            self._check_mine(f"dispatch: tensor of {name!r}", tensor)
            if id(tensor) in seen:
                raise ArgumentError(f"dispatch: tensor of {name!r}", str(tensor.descriptor), "it is bound twice")
            seen.add(id(tensor))
        for expected, given in ((graph.inputs, inputs), (graph.outputs, outputs)):
            for name, descriptor in expected.items():
                if given[name].descriptor != descriptor:
                    rule = f"the graph has {descriptor}"
                    raise ArgumentError(f"dispatch: {name!r}", str(given[name].descriptor), rule)
        self.runtime.dispatch(
            compiled,
            {name: inputs[name].storage for name in graph.inputs},
            {name: outputs[name].storage for name in graph.outputs},
        )

    def compute(self, graph: MLGraph, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Compute a graph on arrays: tensors are made, written, dispatched, read and destroyed. A convenience that the
        specification does not have."""
        self._check_graph("compute: graph", graph)
        _check_names("compute: inputs", inputs, graph.inputs)
        with ExitStack() as stack:

            def tensor(descriptor: MLOperandDescriptor, *, read: bool) -> MLTensor:
                made = self.create_tensor(descriptor.dtype, descriptor.shape, readable=read, writable=not read)
                return stack.enter_context(made)

            given = {name: tensor(descriptor, read=False) for name, descriptor in graph.inputs.items()}
            taken = {name: tensor(descriptor, read=True) for name, descriptor in graph.outputs.items()}
            for name, each in given.items():
                self.runtime.write(
                    each.storage, _checked_data(f"compute: input {name!r}", inputs[name], each.descriptor)
                )
            self.dispatch(graph, given, taken)
            return {name: self.read_tensor(each) for name, each in taken.items()}

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
        """The context cannot be used any more; all its tensors and graphs are given back. Destroying twice does nothing."""
        if self._dropped.detach() is not None:
            self.runtime.close()

    def __enter__(self) -> MLContext:
        return self

    def __exit__(self, *exception: object) -> None:
        self.destroy()

    def _check_alive(self) -> None:
        if self.lost is not None:
            raise ContextLostError(f"this MLContext is lost: {self.lost}")

    def _check_graph(self, name: str, graph: Any) -> None:
        if not isinstance(graph, MLGraph):
            raise ArgumentError(name, graph, "must be an MLGraph")
        if graph.context is not self:
            raise ArgumentError(name, graph, "it was built by another context")

    def _check_mine(self, name: str, tensor: Any) -> None:
        self._check_alive()
        if not isinstance(tensor, MLTensor):
            raise ArgumentError(name, tensor, "must be an MLTensor")
        if tensor.context is not self:
            raise ArgumentError(name, str(tensor.descriptor), "it belongs to another context")
        assert tensor.storage is not None  # raises if it was destroyed


def _runtime(device: BackendDevice, options: MLContextOptions) -> Runtime:
    if device.backend is Backend.CPU or not flavor.runs:
        return CpuRuntime()
    assert device.cuda_device_idx is not None
    return TrtxRuntime(device.cuda_device_idx, options.trtx)


def _limits(row: Limits, rows: Mapping[str, Limits] | None = None) -> dict[str, Any]:
    while row.same_as and rows:
        row = Limits(rows[row.same_as].dtypes, row.min_rank, row.max_rank, rows[row.same_as].same_as)
    return {"data_types": list(row.dtypes), "rank_range": {"min": row.min_rank, "max": min(row.max_rank, MAX_RANK)}}


def _check_names(what: str, given: Mapping[str, Any], expected: Iterable[str]) -> None:
    check(isinstance(given, Mapping), what, given, "must be a mapping of names")
    missing = [name for name in expected if name not in given]
    unknown = [name for name in given if name not in set(expected)]
    check(not missing, what, sorted(given), f"{', '.join(map(repr, missing))} is missing")
    check(not unknown, what, sorted(given), f"the graph has no {', '.join(map(repr, unknown))}")


def _checked_data(name: str, given: Any, descriptor: MLOperandDescriptor) -> Array:
    """The data in the descriptor's shape."""
    data, row = arguments.array(name, given), data_type(descriptor.dtype)
    rule = f"{descriptor} takes a numpy array of {row.numpy.name}"
    check(data.dtype == row.numpy, name, arguments.kind(given), rule)
    arguments.check_fits(name, data, descriptor, given)
    in_range = row.bits >= 8 or not data.size or (data.min() >= row.min and data.max() <= row.max)
    check(bool(in_range), name, "out of range", f"{descriptor.dtype} is from {row.min} to {row.max}")
    return data.reshape(descriptor.shape)
