"""Loops: the loop and the four layers that belong to one by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trtx_backend.mock.adding import Adding, checked
from trtx_backend.mock.core import ILayer, ITensor, Parameter, Refused
from trtx_backend.mock.enums import Enumeration, LayerType, LoopOutput, TripLimit
from trtx_backend.mock.rules import axis_in, integer, member, truth

Results = Sequence[tuple[Enumeration, Sequence[int]]]
UNKNOWN = -1


class _Part(ILayer):
    loop = Parameter(lambda loop: loop)


class ITripLimitLayer(_Part):
    layer_type, title, num_results = LayerType.TRIP_LIMIT, "TripLimit", 0
    kind = Parameter(member(TripLimit))

    def infer(self) -> Results:
        return []


class IRecurrenceLayer(_Part):
    """Input 0 is the value in the first turn, input 1 that of the turn before."""

    layer_type, title, most_inputs = LayerType.RECURRENCE, "Recurrence", 2

    @classmethod
    def sources(cls, inputs: list[ITensor | None]) -> Sequence[ITensor | None]:
        return inputs[:1]

    def infer(self) -> Results:
        return [self._facts()]


class IIteratorLayer(_Part):
    layer_type, title = LayerType.ITERATOR, "Iterator"
    axis = Parameter(integer)
    reverse = Parameter(truth)

    def infer(self) -> Results:
        dtype, shape = self._facts()
        axis = axis_in(self.axis, len(shape))
        return [(dtype, [*shape[:axis], *shape[axis + 1 :]])]


class ILoopOutputLayer(_Part):
    """Input 1 is how many turns there are, where they are all kept."""

    layer_type, title, most_inputs = LayerType.LOOP_OUTPUT, "LoopOutput", 2
    axis = Parameter(integer)
    kind = Parameter(member(LoopOutput))

    def infer(self) -> Results:
        dtype, shape = self._facts()
        if self.kind is LoopOutput.LAST_VALUE:
            if self.get_input(1) is not None:
                raise Refused("the last value has no number of turns")
            return [(dtype, shape)]
        axis = axis_in(self.axis, len(shape) + 1)
        length = self._input(1)._state
        held = length.values.get("held") if length else None
        if held is not None and held.size != 1:
            raise Refused("the number of turns must be one number")
        turns = UNKNOWN if held is None else int(held.numpy()[0])
        return [(dtype, [*shape[:axis], turns, *shape[axis:]])]


class ILoop:
    """A loop. Its layers are the network's."""

    def __init__(self, network: Any, name: str) -> None:
        self._network, self.name = network, name

    def add_trip_limit(self, tensor: Any, kind: Any) -> Any:
        return self._network._add(ITripLimitLayer, [checked(tensor)], kind=kind, loop=self)

    def add_recurrence(self, initial_value: Any) -> Any:
        return self._network._add(IRecurrenceLayer, [checked(initial_value)], loop=self)

    def add_iterator(self, tensor: Any, axis: Any = 0, reverse: Any = False) -> Any:
        return self._network._add(IIteratorLayer, [checked(tensor)], axis=axis, reverse=reverse, loop=self)

    def add_loop_output(self, tensor: Any, kind: Any, axis: Any = 0) -> Any:
        return self._network._add(ILoopOutputLayer, [checked(tensor)], kind=kind, axis=axis, loop=self)


class LoopLayers(Adding):
    def __init__(self) -> None:
        super().__init__()
        self._loops = 0

    def add_loop(self) -> ILoop:
        self._loops += 1
        return ILoop(self, f"(Unnamed Loop* {self._loops - 1})")
