"""Sliding windows in two dimensions: how far they reach, and windows made of slices where no layer makes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from trtx_backend.dtypes import Array
from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor


@dataclass(frozen=True)
class Windows:
    """Windows over the last two dimensions. `before` and `after` are the padding in front and behind, `size` the number
    of windows."""

    window: Shape
    strides: Shape
    dilations: Shape
    before: Shape
    after: Shape
    size: Shape

    def reach(self, axis: int) -> int:
        return (self.window[axis] - 1) * self.dilations[axis] + 1

    def over(self, shape: Shape) -> Windows:
        """The same windows with as much padding behind as they need, so that the size follows when it is rounded down."""
        after = tuple(
            max((self.size[i] - 1) * self.strides[i] + self.reach(i) - self.before[i] - shape[i], 0) for i in range(2)
        )
        return replace(self, after=after)

    def touching(self, shape: Shape) -> Windows:
        """The first windows, up to the last that touches the input: behind it there may be more, wholly in padding."""
        last = [(shape[i] - 1 + self.before[i]) // self.strides[i] + 1 for i in range(2)]
        return replace(self, size=tuple(min(self.size[i], last[i]) for i in range(2))).over(shape)

    def counts(self, shape: Shape) -> Array:
        """How many elements of the input each window has, [1, 1, *size]."""
        inside = []
        for i in range(2):
            first = np.arange(self.size[i]) * self.strides[i] - self.before[i]
            taps = first[:, None] + np.arange(self.window[i]) * self.dilations[i]
            inside.append(((taps >= 0) & (taps < shape[i])).sum(axis=1))
        counts: Array = np.outer(*inside)[None, None]
        return counts

    @property
    def starts_in_padding(self) -> bool:
        """Whether a window in front lies wholly in the padding."""
        return any(self.before[i] >= self.reach(i) for i in range(2))


def combine(w: Writer, padded: ITensor, windows: Windows, operation: Callable[[ITensor, ITensor], ITensor]) -> ITensor:
    """Combine each window's elements, tap by tap: one strided slice of the padded input a tap."""
    leading = tuple(padded.shape[:2])
    result = None
    for tap in product(*map(range, windows.window)):
        start = tuple(i * step for i, step in zip(tap, windows.dilations, strict=True))
        part = w.slice(padded, (0, 0, *start), (*leading, *windows.size), (1, 1, *windows.strides))
        result = part if result is None else operation(result, part)
    assert result is not None
    return result
