"""WebNN graphs into TensorRT networks."""

from trtx_backend.lowering.lower import Binding, LoweredGraph, lower
from trtx_backend.lowering.writer import Computed, NetworkConstant

__all__ = ["Binding", "Computed", "LoweredGraph", "NetworkConstant", "lower"]
