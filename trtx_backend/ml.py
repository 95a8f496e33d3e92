"""ML, from which a program gets its contexts. Spec: https://www.w3.org/TR/webnn/#api-ml"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trtx_backend.errors import ArgumentError
from trtx_backend.options import MLContextOptions
from trtx_backend.selection import select

if TYPE_CHECKING:
    from trtx_backend.context import MLContext


class ML:
    """The entry point. Spec: navigator.ml. TensorRT is not loaded before a context is created."""

    def create_context(self, options: MLContextOptions | None = None) -> MLContext:
        """A context on the best device that the options and this machine allow. BackendUnavailable if a backend was
        forced and cannot be had, or TensorRT cannot be loaded, without which no backend works."""
        if options is not None and not isinstance(options, MLContextOptions):
            raise ArgumentError("options", options, "must be an MLContextOptions", "createContext")
        options = options or MLContextOptions()
        device = select(options)

        from trtx_backend.context import MLContext

        return MLContext(device, options)
