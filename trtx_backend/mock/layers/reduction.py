"""Layers that combine elements along axes: reduce, softmax, topk, cumulative, matrix multiplication."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trtx_backend.mock.adding import Adding, checked
from trtx_backend.mock.core import ILayer, Parameter, Refused
from trtx_backend.mock.enums import (
    CumulativeOperation,
    DataType,
    Enumeration,
    LayerType,
    MatrixOperation,
    ReduceOperation,
    TopKOperation,
)
from trtx_backend.mock.rules import (
    INDICES,
    NO_FLOAT,
    NO_NUMBER,
    at_least,
    broadcast,
    demand,
    forbid,
    integer,
    member,
    same_types,
    truth,
)

Results = Sequence[tuple[Enumeration, Sequence[int]]]
MOST_K = 3840


def axes_of(mask: int, rank: int) -> list[int]:
    """The axes that a bit mask names. Refused if there is none, or one that the input has not."""
    axes = [axis for axis in range(mask.bit_length()) if mask >> axis & 1]
    if not axes:
        raise Refused("no axis is named")
    if axes[-1] >= rank:
        raise Refused(f"axis {axes[-1]} is not one of {rank} dimensions")
    return axes


def one_bit(mask: int) -> str | None:
    return None if mask.bit_count() == 1 else "it must name one axis"


class IReduceLayer(ILayer):
    layer_type, title = LayerType.REDUCE, "Reduce"
    op = Parameter(member(ReduceOperation), check=lambda op: "NONE" if op is ReduceOperation.NONE else None)
    axes = Parameter(integer, check=lambda mask: "it is a mask of bits" if mask < 0 else None)
    keep_dims = Parameter(truth)

    def infer(self) -> Results:
        dtype, shape = self._facts()
        forbid(dtype, NO_NUMBER)
        axes = axes_of(self.axes, len(shape))
        if self.keep_dims:
            return [(dtype, [1 if axis in axes else size for axis, size in enumerate(shape)])]
        return [(dtype, [size for axis, size in enumerate(shape) if axis not in axes])]


class ISoftMaxLayer(ILayer):
    layer_type, title = LayerType.SOFTMAX, "Softmax"
    axes = Parameter(integer, 1, one_bit)

    def infer(self) -> Results:
        dtype, shape = self._facts()
        forbid(dtype, NO_FLOAT)
        at_least(2, shape)
        axes_of(self.axes, len(shape))
        return [(dtype, shape)]


class ITopKLayer(ILayer):
    layer_type, title, num_results = LayerType.TOPK, "TopK", 2
    op = Parameter(member(TopKOperation))
    k = Parameter(integer)
    axes = Parameter(integer)
    indices_type = Parameter(member(DataType), DataType.INT32)

    def infer(self) -> Results:
        dtype, shape = self._facts()
        forbid(dtype, NO_NUMBER)
        at_least(2, shape)
        axes = axes_of(self.axes, len(shape))
        if len(axes) > 1:
            raise Refused("more than one axis is named")
        if not 0 <= self.k <= min(shape[axes[0]], MOST_K):
            raise Refused(f"k is {self.k}: at most {min(shape[axes[0]], MOST_K)} of this axis can be had")
        result = [self.k if axis in axes else size for axis, size in enumerate(shape)]
        return [(dtype, result), (self.indices_type, result)]


class ICumulativeLayer(ILayer):
    """Input 1 is the axis."""

    layer_type, title, most_inputs = LayerType.CUMULATIVE, "Cumulative", 2
    op = Parameter(member(CumulativeOperation))
    exclusive = Parameter(truth)
    reverse = Parameter(truth)

    def infer(self) -> Results:
        dtype, shape = self._facts()
        demand(dtype, (DataType.FLOAT, DataType.HALF, DataType.BF16, DataType.INT32, DataType.INT64))
        demand(self._facts(1)[0], INDICES, "the axis")
        at_least(1, shape)
        return [(dtype, shape)]


class IMatrixMultiplyLayer(ILayer):
    layer_type, title, most_inputs = LayerType.MATRIX_MULTIPLY, "Matrix Multiply", 2
    op0 = Parameter(member(MatrixOperation))
    op1 = Parameter(member(MatrixOperation))

    def infer(self) -> Results:
        facts = self._facts(0), self._facts(1)
        dtype = same_types(*facts)
        forbid(dtype, NO_FLOAT)
        (batch0, rows, inner0), (batch1, inner1, columns) = (
            _as_matrix(shape, op, left)
            for (_, shape), op, left in zip(facts, (self.op0, self.op1), (True, False), strict=True)
        )
        if inner0 != inner1:
            raise Refused(f"{list(facts[0][1])} and {list(facts[1][1])} cannot be multiplied: {inner0} is not {inner1}")
        return [(dtype, [*broadcast(batch0, batch1), *rows, *columns])]


def _as_matrix(shape: Sequence[int], op: Any, left: bool) -> tuple[Any, Any, Any]:
    """Leading dimensions, then rows and inner size of the left operand, or inner size and columns of the right one. A
    vector has no rows or columns."""
    at_least(1 if op is MatrixOperation.VECTOR else 2, shape)
    if op is MatrixOperation.VECTOR:
        return (shape[:-1], [], shape[-1]) if left else (shape[:-1], shape[-1], [])
    first, second = shape[-2:] if op is MatrixOperation.NONE else (shape[-1], shape[-2])
    return (shape[:-2], [first], second) if left else (shape[:-2], first, [second])


class ReductionLayers(Adding):
    def add_reduce(self, input: Any, op: Any, axes: Any, keep_dims: Any) -> Any:
        return self._add(IReduceLayer, [checked(input)], op=op, axes=axes, keep_dims=keep_dims)

    def add_softmax(self, input: Any) -> Any:
        return self._add(ISoftMaxLayer, [checked(input)], axes=1 << self._third_last(input))

    def add_topk(self, input: Any, op: Any, k: Any, axes: Any, indices_type: Any = DataType.INT32) -> Any:
        refuse = None if indices_type in INDICES else "indices are INT32 or INT64"
        return self._add(ITopKLayer, [checked(input)], refuse, op=op, k=k, axes=axes, indices_type=indices_type)

    def add_cumulative(self, input: Any, axis: Any, op: Any, exclusive: Any, reverse: Any) -> Any:
        known = self._known(checked(axis))
        refuse = None if known is None or not known[1] else "the axis must have no dimensions"
        inputs = [checked(input), axis]
        return self._add(ICumulativeLayer, inputs, refuse, op=op, exclusive=exclusive, reverse=reverse)

    def add_matrix_multiply(self, input0: Any, op0: Any, input1: Any, op1: Any) -> Any:
        return self._add(IMatrixMultiplyLayer, [checked(input0), checked(input1)], op0=op0, op1=op1)
