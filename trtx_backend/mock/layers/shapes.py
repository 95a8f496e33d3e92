"""Layers that make or move elements: constant, shuffle, slice, concatenation."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from trtx_backend.mock.adding import Adding, checked
from trtx_backend.mock.core import ILayer, Parameter, Refused
from trtx_backend.mock.enums import DataType, Enumeration, LayerType, SampleMode
from trtx_backend.mock.rules import NO_MOVE, axis_in, forbid, integer, member, same_types, truth
from trtx_backend.mock.weights import Dims, Permutation, as_weights, dims, permutation

Results = Sequence[tuple[Enumeration, Sequence[int]]]
FILL_INPUT = 4
IDENTITY = Permutation(range(Dims.MAX_DIMS))


class IConstantLayer(ILayer):
    layer_type, title, most_inputs = LayerType.CONSTANT, "Constant", 0
    shape = Parameter(dims)
    held = Parameter(as_weights)

    @property
    def weights(self) -> Any:
        """The array in one dimension, or Weights where numpy has no such type."""
        return self._state.values["held"].numpy()

    def infer(self) -> Results:
        forbid(self.held.dtype, (DataType.UINT8,), "a constant")
        if prod(self.shape) != self.held.size:
            raise Refused(f"{self.held.size} weights do not fill {list(self.shape)}")
        return [(self.held.dtype, self.shape)]


class IShuffleLayer(ILayer):
    layer_type, title = LayerType.SHUFFLE, "Shuffle"
    first_transpose = Parameter(permutation, IDENTITY)
    reshape_dims = Parameter(dims)
    second_transpose = Parameter(permutation, IDENTITY)
    zero_is_placeholder = Parameter(truth, True)

    def infer(self) -> Results:
        dtype, shape = self._facts()
        forbid(dtype, NO_MOVE)
        result = _transposed(shape, self.first_transpose)
        if self.reshape_dims is not None:
            result = _reshaped(result, self.reshape_dims, self.zero_is_placeholder)
        return [(dtype, _transposed(result, self.second_transpose))]


def _transposed(shape: Sequence[int], order: Permutation) -> Sequence[int]:
    used = order[: len(shape)]
    if sorted(used) != list(range(len(shape))):
        raise Refused(f"{list(used)} is no permutation of {len(shape)} dimensions")
    return [shape[axis] for axis in used]


def _reshaped(shape: Sequence[int], to: Dims, zero_copies: bool) -> Sequence[int]:
    sizes = list(to)
    for axis, size in enumerate(sizes):
        if size == 0 and zero_copies:
            if axis >= len(shape):
                raise Refused(f"dimension {axis} is to be copied, and the input has none")
            sizes[axis] = shape[axis]
    if sizes.count(-1) == 1:
        rest = prod(size for size in sizes if size != -1)
        if not rest:
            raise Refused(f"{list(to)}: no size of -1 can be told beside 0")
        sizes[sizes.index(-1)] = prod(shape) // rest
    if prod(sizes) != prod(shape) or min(sizes, default=0) < 0:
        raise Refused(f"{list(shape)} cannot be reshaped to {list(to)}")
    return sizes


class ISliceLayer(ILayer):
    layer_type, title, most_inputs = LayerType.SLICE, "Slice", 6
    start, shape, stride = Parameter(dims), Parameter(dims), Parameter(dims)
    mode = Parameter(member(SampleMode), SampleMode.STRICT_BOUNDS)
    axes = Parameter(dims)

    def infer(self) -> Results:
        dtype, shape = self._facts()
        forbid(dtype, NO_MOVE)
        if any(tensor is not None for index, tensor in enumerate(self._state.inputs) if index not in (0, FILL_INPUT)):
            raise Refused("the mock knows no window that is computed")
        for name, window in (("start", self.start), ("shape", self.shape), ("stride", self.stride)):
            if len(window) != len(shape):
                raise Refused(f"{name} {list(window)} must have {len(shape)} places, as the input has dimensions")
        if min(self.shape, default=0) < 0:
            raise Refused(f"the shape {list(self.shape)} has a negative size")
        return [(dtype, self.shape)]


class IConcatenationLayer(ILayer):
    layer_type, title = LayerType.CONCATENATION, "Concatenation"
    axis = Parameter(integer, 0, lambda axis: None if 0 <= axis < Dims.MAX_DIMS else "it is from 0 to 7")

    def infer(self) -> Results:
        facts = [self._facts(index) for index in range(self.num_inputs)]
        dtype, first = same_types(*facts), facts[0][1]
        axis = axis_in(self.axis, len(first))
        for _, shape in facts:
            if len(shape) != len(first) or any(shape[i] != first[i] for i in range(len(first)) if i != axis):
                raise Refused(f"{list(first)} and {list(shape)} cannot be joined along axis {axis}")
        return [(dtype, [*first[:axis], sum(shape[axis] for _, shape in facts), *first[axis + 1 :]])]


class ShapeLayers(Adding):
    def add_constant(self, shape: Any, weights: Any) -> Any:
        held = IConstantLayer.held.convert(weights)
        empty = "weights of an empty array" if held.size == 0 and held._array.flags.writeable else None
        return self._add(IConstantLayer, [], empty, shape=shape, held=held)

    def add_shuffle(self, input: Any) -> Any:
        return self._add(IShuffleLayer, [checked(input)])

    def add_slice(self, input: Any, start: Any, shape: Any, stride: Any) -> Any:
        return self._add(ISliceLayer, [checked(input)], start=start, shape=shape, stride=stride)

    def add_concatenation(self, inputs: Any) -> Any:
        if not inputs:
            return self._add(IConcatenationLayer, [], "there are no inputs")
        return self._add(IConcatenationLayer, [checked(each) for each in inputs], axis=self._third_last(inputs[0]))
