"""WebNN graphs into TensorRT networks."""

from trtx_backend.lowering.lower import Binding, LoweredGraph, lower

__all__ = ["Binding", "LoweredGraph", "lower"]
