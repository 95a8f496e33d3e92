"""What a context asks of the backend that it runs on. The context has checked all arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from trtx_backend.dtypes import Array
from trtx_backend.graph.ir import Graph, MLOperandDescriptor

Storage = Any
"""A tensor's data: the backend's own affair."""
Compiled = Any
"""A compiled graph: the backend's own affair."""


class Runtime(Protocol):
    """Arrays are in WebNN's types and shapes, int4 and uint4 one element a byte. Everything may be called from several
    threads. ContextLostError once `lost` is not None."""

    @property
    def lost(self) -> str | None:
        """Why nothing can be done any more."""

    def create(self, descriptor: MLOperandDescriptor) -> Storage:
        """Zeros."""

    def write(self, storage: Storage, data: Array) -> None:
        """Returns when the data has been copied."""

    def read(self, storage: Storage) -> Array:
        """A copy, after all that was dispatched."""

    def free(self, storage: Storage) -> None: ...

    def drop(self, storage: Storage) -> None:
        """`free`, for finalizers: at a time that suits."""

    def compile(self, graph: Graph) -> Compiled: ...

    def dispatch(self, compiled: Compiled, inputs: Mapping[str, Storage], outputs: Mapping[str, Storage]) -> None:
        """Compute, by WebNN names. What is read afterwards is the result; it need not be there yet."""

    def discard(self, compiled: Compiled) -> None: ...

    def drop_compiled(self, compiled: Compiled) -> None:
        """`discard`, for finalizers."""

    def close(self) -> None:
        """Release everything."""
