"""What a WebNN graph is made of: operands, the operators that connect them, and the finished graph."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trtx_backend.dtypes import Array

if TYPE_CHECKING:
    from trtx_backend.graph.builder import MLGraphBuilder

Shape = tuple[int, ...]
Operands = Mapping[str, "MLOperand | tuple[MLOperand, ...] | None"]


@dataclass(frozen=True)
class MLOperandDescriptor:
    """Data type (a WebNN name) and shape of an operand; a scalar has the shape (). Spec: MLOperandDescriptor."""

    dtype: str
    shape: Shape

    @property
    def element_count(self) -> int:
        return math.prod(self.shape)

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"


@dataclass(frozen=True, eq=False)
class MLOperand:
    """A value in a graph under construction. It belongs to the builder that made it. Spec: MLOperand."""

    builder: MLGraphBuilder = field(repr=False)
    descriptor: MLOperandDescriptor
    name: str = ""
    """The name of a graph input; empty for everything else."""
    value: Array | None = field(default=None, repr=False)
    """The data of a constant, shaped; None for everything else. int4 and uint4 hold one element a byte."""
    operator: Operator | None = field(default=None, repr=False)
    """The operator that computes it; None for inputs and constants."""

    @property
    def dtype(self) -> str:
        return self.descriptor.dtype

    @property
    def shape(self) -> Shape:
        return self.descriptor.shape

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        return str(self.descriptor)


@dataclass(eq=False)
class Operator:
    """One operator of a graph. `operands` and `attributes` together are the arguments of the builder's method, by name,
    with every default filled in; the lowering of the operator gets them under the same names."""

    name: str
    operands: Operands
    attributes: Mapping[str, Any]
    label: str = ""
    outputs: tuple[MLOperand, ...] = ()

    def inputs(self) -> Iterator[MLOperand]:
        for operand in self.operands.values():
            if isinstance(operand, tuple):
                yield from operand
            elif operand is not None:
                yield operand

    def dtype(self, operand: str) -> str:
        """The WebNN data type of a named operand (of the first one, where the operand is a list)."""
        value = self.operands[operand]
        if isinstance(value, tuple):
            value = value[0]
        assert value is not None, f"{self.name} has no {operand}"
        return value.dtype

    def __str__(self) -> str:
        label = f" “{self.label}”" if self.label else ""
        arguments = ", ".join(
            f"{name} {', '.join(map(str, value)) if isinstance(value, tuple) else value}"
            for name, value in self.operands.items()
            if value is not None
        )
        return f"{self.name}{label}({arguments})"


@dataclass(frozen=True, eq=False)
class Graph:
    """A finished graph: what the outputs need and nothing else, operators in an order in which they can be computed."""

    inputs: Mapping[str, MLOperand]
    outputs: Mapping[str, MLOperand]
    constants: tuple[MLOperand, ...]
    operators: tuple[Operator, ...]
