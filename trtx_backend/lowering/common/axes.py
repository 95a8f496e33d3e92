"""Axes and layouts."""

from __future__ import annotations

from collections.abc import Iterable

from trtx_backend.graph.ir import Shape


def permutation(layout: str, target: str) -> Shape:
    """How to transpose a tensor of one layout into another: `permutation("nhwc", "nchw")` is (0, 3, 1, 2)."""
    return tuple(layout.index(dim) for dim in target)


def mask(axes: Iterable[int]) -> int:
    """Axes as TensorRT's bit mask."""
    return sum(1 << axis for axis in set(axes))
