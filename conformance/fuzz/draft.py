"""A graph while it is drawn: a case without expectations, and the builder's operands, which say what fits where."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st

from conformance.fuzz.values import FLOAT_CLASSES, INTEGER_CLASSES, floats, integers
from conformance.house.spec import number
from trtx_backend.dtypes import DATA_TYPES, Array
from trtx_backend.graph import MLGraphBuilder, MLOperand
from trtx_backend.graph.serial import replay_operator

MAX_ELEMENTS = 96

Shape = tuple[int, ...]
T = TypeVar("T")
Draw = Callable[[st.SearchStrategy[Any]], Any]


class Draft:
    """`graph` has the form of a case. Whatever is drawn is valid by construction: a TypeError of the builder is a
    mistake, here or there."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.builder = MLGraphBuilder()
        self.graph: dict[str, Any] = {"inputs": {}, "operators": [], "expectedOutputs": {}}
        self.operands: dict[str, MLOperand] = {}
        self.recent: list[str] = []
        """What operators computed, the last first."""

    # Draws shrink towards the first item, the least number, False.
    def pick(self, items: Sequence[T]) -> T:
        picked: T = self.draw(st.sampled_from(items))
        return picked

    def integer(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def chance(self, one_in: int = 2) -> bool:
        """True in one of so many cases."""
        return bool(self.integer(0, one_in - 1) == one_in - 1)

    def rank(self, low: int, high: int) -> int:
        return self.integer(low, min(high, 8 if self.chance(12) else max(4, low)))

    def shape(self, low: int, high: int) -> Shape:
        return self.sizes(self.rank(low, high))

    def sizes(self, rank: int, limit: int = 5) -> Shape:
        """Sizes whose product stays small."""
        sizes: list[int] = []
        for _ in range(rank):
            room = MAX_ELEMENTS // math.prod(sizes)
            sizes.append(self.integer(1, max(1, min(limit, room))))
        return tuple(sizes)

    def dtype(self, dtypes: Sequence[str]) -> str:
        return self.pick(tuple(dtypes))

    def options(self, **choices: Callable[[], Any]) -> dict[str, Any]:
        """Each option given, or left to its default, at random."""
        return {name: make() for name, make in choices.items() if self.chance()}

    def tensor(self, dtype: str, shape: Shape, values: Array | Sequence[Any] | None = None, name: str = "x") -> str:
        """A new input, sometimes a constant; its values are drawn unless they are given."""
        array = self._values(dtype, math.prod(shape)) if values is None else np.asarray(values)
        data = [number(value, dtype) for value in array.reshape(-1).tolist()]
        resource: dict[str, Any] = {"data": data, "descriptor": {"shape": list(shape), "dataType": dtype}}
        label = f"{name}{len(self.graph['inputs'])}"
        if self.chance(3):
            resource["constant"] = True
            typed = np.asarray(array).astype(DATA_TYPES[dtype].numpy).reshape(shape)
            self.operands[label] = self.builder.constant(dtype, typed, shape)
        else:
            self.operands[label] = self.builder.input(label, dtype, shape)
        self.graph["inputs"][label] = resource
        return label

    def _values(self, dtype: str, count: int) -> Array:
        made, classes = (floats, tuple(FLOAT_CLASSES)) if DATA_TYPES[dtype].is_float else (integers, INTEGER_CLASSES)
        return made(dtype, self.pick(classes), self.integer(0, 9999), count)

    def operand(self, dtypes: Sequence[str], low: int = 0, high: int = 8) -> str:
        """An operand of one of these types and ranks: one that an operator computed, if one fits, or a new one."""
        fits = [n for n in self.recent if self.operands[n].dtype in dtypes and low <= self.operands[n].rank <= high]
        fits = [name for name in fits if self.operands[name].descriptor.element_count <= MAX_ELEMENTS]
        if fits and not self.chance(6):
            return self.pick(fits[:3])
        return self.tensor(self.dtype(dtypes), self.shape(low, high))

    def of_shape(self, dtype: str, shape: Shape) -> str:
        """An operand of this type and shape, likewise."""
        fits = [n for n in self.recent if self.operands[n].dtype == dtype and self.operands[n].shape == shape]
        return self.pick(fits) if fits and self.chance() else self.tensor(dtype, shape)

    def broadcastable(self, shape: Shape) -> Shape:
        """A shape that broadcasts to this one."""
        kept = shape[self.integer(0, len(shape)) :]
        return tuple(1 if self.chance(3) else size for size in kept)

    def __getitem__(self, name: str) -> MLOperand:
        return self.operands[name]

    def call(self, name: str, options: Mapping[str, Any] | None = None, outputs: int = 1, **arguments: Any) -> None:
        """Add an operator to the graph."""
        names = [f"y{len(self.graph['operators'])}" + (f"_{i}" if outputs > 1 else "") for i in range(outputs)]
        listed: list[dict[str, Any]] = [{key: value} for key, value in arguments.items()]
        if options:
            listed.append({"options": dict(options)})
        call = {"name": name, "arguments": listed, "outputs": names if outputs > 1 else names[0]}
        made = replay_operator(self.builder, call, self.operands)
        self.graph["operators"].append(call)
        results = made if isinstance(made, tuple) else (made,)
        self.operands.update(zip(names, results, strict=True))
        self.recent[:0] = names
