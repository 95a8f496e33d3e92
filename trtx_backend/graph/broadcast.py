"""Shape rules of broadcasting. Spec: https://www.w3.org/TR/webnn/#algorithms-broadcasting"""

from __future__ import annotations

from itertools import zip_longest

from trtx_backend.errors import ArgumentError
from trtx_backend.graph.ir import Shape


def broadcast(a: Shape, b: Shape, name: str = "b") -> Shape:
    """The shape that both broadcast to (bidirectionally), or ArgumentError."""
    sizes = []
    for x, y in zip_longest(reversed(a), reversed(b), fillvalue=1):
        if x != y and 1 not in (x, y):
            raise ArgumentError(name, b, f"the shape must broadcast with {list(a)}: sizes {x} and {y} differ")
        sizes.append(max(x, y))
    return tuple(reversed(sizes))


def broadcasts_to(shape: Shape, target: Shape) -> bool:
    """Whether `shape` can be stretched to `target` (unidirectionally)."""
    return len(shape) <= len(target) and all(
        x in (1, y) for x, y in zip(reversed(shape), reversed(target), strict=False)
    )


def broadcasts_blockwise_to(shape: Shape, target: Shape) -> bool:
    """Whether every dimension of `target` is a multiple of that of `shape`, at the same rank."""
    return len(shape) == len(target) and all(y % x == 0 for x, y in zip(shape, target, strict=True))
