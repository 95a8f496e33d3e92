"""Gather and scatter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trtx_backend.mock.adding import Adding, checked
from trtx_backend.mock.core import ILayer, Parameter, Refused
from trtx_backend.mock.enums import Enumeration, GatherMode, LayerType, ScatterMode
from trtx_backend.mock.rules import INDICES, axis_in, broadcast, demand, integer, member, same_types

Results = Sequence[tuple[Enumeration, Sequence[int]]]


class IGatherLayer(ILayer):
    layer_type, title, most_inputs = LayerType.GATHER, "Gather", 2
    axis = Parameter(integer, 0)
    mode = Parameter(member(GatherMode), GatherMode.DEFAULT)
    num_elementwise_dims = Parameter(integer, 0, lambda count: "it is from 0" if count < 0 else None)

    def infer(self) -> Results:
        (dtype, shape), (index_type, indices) = self._facts(0), self._facts(1)
        demand(index_type, INDICES, "the index")
        batch = self.num_elementwise_dims
        if self.mode is GatherMode.ND:
            return [(dtype, _coordinates(shape, indices, batch))]
        axis = axis_in(self.axis, len(shape))
        if self.mode is GatherMode.ELEMENT:
            if batch:
                raise Refused("no dimensions go together in this mode")
            return [(dtype, indices)]  # whether the ranks fit is the compiler's question
        if axis < batch or len(indices) < batch:
            raise Refused(f"axis {axis} must not be one of the first {batch} dimensions, which both inputs must have")
        together = broadcast(shape[:batch], indices[:batch])
        return [(dtype, [*together, *shape[batch:axis], *indices[batch:], *shape[axis + 1 :]])]


def _coordinates(shape: Sequence[int], indices: Sequence[int], batch: int) -> Sequence[int]:
    if not indices or not shape or not 0 < indices[-1] <= len(shape) - batch:
        raise Refused(f"the last dimension of {list(indices)} is no number of coordinates in {list(shape)}")
    return [*indices[:-1], *shape[batch + indices[-1] :]]


class IScatterLayer(ILayer):
    """Data, indices, updates. Whether their sizes fit is the compiler's question."""

    layer_type, title, most_inputs = LayerType.SCATTER, "Scatter", 3
    axis = Parameter(integer, 0)
    mode = Parameter(member(ScatterMode))

    def infer(self) -> Results:
        data, index, updates = (self._facts(i) for i in range(3))
        same_types(data, updates)
        demand(index[0], INDICES, "the index")
        if self.mode is ScatterMode.ELEMENT and len({len(shape) for _, shape in (data, index, updates)}) > 1:
            raise Refused("data, indices and updates must have one rank")
        return [data]


class IndexingLayers(Adding):
    def add_gather(self, input: Any, indices: Any, axis: Any) -> Any:
        return self._add(IGatherLayer, [checked(input), checked(indices)], axis=axis)

    def add_gather_v2(self, input: Any, indices: Any, mode: Any) -> Any:
        return self._add(IGatherLayer, [checked(input), checked(indices)], mode=mode)

    def add_scatter(self, data: Any, indices: Any, updates: Any, mode: Any) -> Any:
        return self._add(IScatterLayer, [checked(data), checked(indices), checked(updates)], mode=mode)
