"""WebNN on TensorRT for RTX: graphs are lowered straight into TensorRT networks.

context = ML().create_context()
builder = MLGraphBuilder(context)
x = builder.input("x", "float32", [2, 2])
graph = builder.build({"y": builder.relu(x)})
context.compute(graph, {"x": array})["y"]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from trtx_backend.errors import (
    ArgumentError,
    BackendUnavailable,
    CacheMissError,
    ContextLostError,
    CudaError,
    EngineError,
    ExecutorError,
    InvalidStateError,
    NetworkError,
    RefitError,
    TensorRTError,
    UnsupportedError,
)
from trtx_backend.graph import MLGraphBuilder, MLOperand, MLOperandDescriptor
from trtx_backend.loading import TensorRTNotFound, dynamically_load_tensorrt
from trtx_backend.ml import ML
from trtx_backend.options import Backend, BackendDevice, MLContextOptions, PowerPreference, TrtxOptions

if TYPE_CHECKING:
    from trtx_backend.context import MLContext, MLGraph, MLTensor

__all__ = [
    "ML",
    "ArgumentError",
    "Backend",
    "BackendDevice",
    "BackendUnavailable",
    "CacheMissError",
    "ContextLostError",
    "CudaError",
    "EngineError",
    "ExecutorError",
    "InvalidStateError",
    "MLContext",
    "MLContextOptions",
    "MLGraph",
    "MLGraphBuilder",
    "MLOperand",
    "MLOperandDescriptor",
    "MLTensor",
    "NetworkError",
    "PowerPreference",
    "RefitError",
    "TensorRTError",
    "TensorRTNotFound",
    "TrtxOptions",
    "UnsupportedError",
    "dynamically_load_tensorrt",
]


def __getattr__(name: str) -> Any:
    """What needs TensorRT is imported when it is first asked for: graphs can be built and checked without it."""
    if name in ("MLContext", "MLGraph", "MLTensor"):
        return getattr(import_module("trtx_backend.context"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
