"""A WebNN operand inside the network, in as many forms as its users ask for.

TensorRT has fewer types than WebNN, and lets some of them touch few layers. So one operand can be held as tensors of
different TensorRT types: a uint8 as UINT8 at the network's edge, INT32 where it is computed with, BOOL as a condition.
A form is made when it is first asked for, always from the one in which the value was produced, which is exact.

Likewise for layouts: what convolutions and pooling compute is held as they leave it, channels second, and transposed into
the layout of the graph only for those who ask for that. Element-wise operators do not ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trtx_backend.dtypes import DATA_TYPES, Array
from trtx_backend.graph.ir import MLOperand, MLOperandDescriptor, Shape
from trtx_backend.lowering.common.casts import zero_extend
from trtx_backend.lowering.writer import TENSORRT_TO_NUMPY, Writer
from trtx_backend.trt import ITensor, TensorType, trt

EDGE_ONLY = (trt.uint8,)
"""Of use at the network's inputs and outputs only."""


@dataclass(eq=False)
class Value:
    """`origin` is the tensor that the value was produced as, None for a constant (`array`)."""

    descriptor: MLOperandDescriptor
    origin: ITensor | None = None
    array: Array | None = None
    operands: tuple[MLOperand, ...] = ()
    """The constants of the graph that `array` was made from."""
    constant: bool = False
    """Computed from constants alone. TensorRT folds such a value when it builds."""
    permutation: Shape | None = None
    """The value is `origin` with its dimensions in this order; None: as it is."""
    _forms: dict[tuple[TensorType, int, Shape | None], ITensor] = field(default_factory=dict, repr=False)

    @property
    def carrier(self) -> TensorType:
        return getattr(trt.DataType, DATA_TYPES[self.descriptor.dtype].carrier)

    def movable(self, w: Writer, view: Shape | None = None) -> ITensor:
        """The form that is cheapest to move about: the one that it has, if layers take it. In the order `view`."""
        if self.origin is None or self.origin.dtype in EDGE_ONLY:
            return self.form(w, view=view)
        return self.form(w, self.origin.dtype, view=view)

    def held(self, w: Writer) -> tuple[ITensor, Shape]:
        """The carrier form as it is held, and its permutation: the value is that tensor with its dimensions in this order."""
        order = self.permutation or tuple(range(len(self.descriptor.shape)))
        return self.form(w, view=inverse(order)), order

    def form(
        self, w: Writer, to: TensorType | None = None, rank: int | None = None, view: Shape | None = None
    ) -> ITensor:
        """The value as a tensor of a TensorRT type (its carrier, if none is named), with dimensions of 1 in front up to
        `rank` where one is given, and then in the order `view`."""
        to = self.carrier if to is None else to
        rank = len(self.descriptor.shape) if rank is None else rank
        key = (to, rank, None if view is None or list(view) == list(range(rank)) else tuple(view))
        if key not in self._forms:
            self._forms[key] = self._make(w, *key)
        return self._forms[key]

    def _make(self, w: Writer, to: TensorType, rank: int, view: Shape | None) -> ITensor:
        own_rank = len(self.descriptor.shape)
        if to in EDGE_ONLY and (self.origin is None or self.origin.dtype not in EDGE_ONLY):
            # converted last: no layer reshapes or transposes it
            via = self.carrier if self.origin is None else self.origin.dtype
            return _convert(w, self.form(w, via, rank, view), to, self.descriptor.dtype)
        if self.array is not None:
            array = _as_type(self.array, to).reshape((1,) * (rank - own_rank) + self.array.shape)
            return w.constant(array if view is None else array.transpose(view), *self.operands)
        assert self.origin is not None
        if rank != own_rank:
            placed = w.at_rank(self.form(w, to), rank)
            return placed if view is None else w.transpose(placed, view)
        plain = tuple(range(rank))
        order, view = self.permutation or plain, view or plain
        held = inverse(order)
        if view == held:
            return _convert(w, self.origin, to, self.descriptor.dtype)
        return w.transpose(self.form(w, to, view=held), [order[axis] for axis in view])


@dataclass(frozen=True)
class Transposed:
    """A lowering's result that is `tensor` with its dimensions in another order."""

    tensor: ITensor
    permutation: Shape


def inverse(permutation: Shape) -> Shape:
    """The permutation that undoes another."""
    return tuple(permutation.index(axis) for axis in range(len(permutation)))


def shared_permutation(values: Sequence[Value]) -> Shape | None:
    """The order in which all these values are held, if it is one, or can be had for nothing: constants are stored as they
    are needed, and where every dimension is 1 there is no order."""
    rank = max((len(value.descriptor.shape) for value in values), default=0)
    held = {value.permutation for value in values if not _free(value)}
    (permutation,) = held if len(held) == 1 else (None,)
    return permutation if permutation is not None and len(permutation) == rank else None


def _free(value: Value) -> bool:
    return value.array is not None or value.descriptor.element_count == 1


def _convert(w: Writer, origin: ITensor, to: TensorType, dtype: str) -> ITensor:
    """Another form of a value of a WebNN data type."""
    if origin.dtype == to:
        return origin
    if dtype == "uint32" and (origin.dtype, to) == (trt.int32, trt.int64):
        return zero_extend(w, origin)
    return w.cast(origin, to)


def _as_type(array: Any, to: TensorType) -> Any:
    """Constant data in another form. Unsigned 32- and 64-bit values keep their bits, as everywhere in the network."""
    if to == trt.bool:
        return array != 0
    if to == trt.int8:
        return array.astype(np.int8, copy=False)
    target = TENSORRT_TO_NUMPY[to]
    if array.dtype.kind == "u" and array.dtype.itemsize == target.itemsize:
        return array.view(target)
    return array.astype(target, copy=False)
