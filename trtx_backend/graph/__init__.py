"""WebNN graphs: operands, operators, the builder with the specification's checks. Imports nothing of TensorRT."""

from trtx_backend.graph.builder import MLGraphBuilder
from trtx_backend.graph.ir import Graph, MLOperand, MLOperandDescriptor, Operator

__all__ = ["Graph", "MLGraphBuilder", "MLOperand", "MLOperandDescriptor", "Operator"]
