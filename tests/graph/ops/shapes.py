"""Operands of a type and shape for the tests of output rules."""

from __future__ import annotations

from trtx_backend.graph import MLGraphBuilder, MLOperand


def operands(
    *shapes: tuple[int, ...] | list[int], dtype: str = "float32"
) -> tuple[MLGraphBuilder, *tuple[MLOperand, ...]]:
    """A builder, and one of its inputs a shape."""
    builder = MLGraphBuilder()
    return builder, *(builder.input(f"x{index}", dtype, shape) for index, shape in enumerate(shapes))
