"""Operators that move data, and triangular."""

from __future__ import annotations

import math
from typing import Any

from conformance.fuzz.draft import MAX_ELEMENTS, Draft
from conformance.fuzz.draws import allowed, draws
from conformance.fuzz.draws.elementwise import bound
from trtx_backend.dtypes import ALL


def axes(draft: Draft, rank: int) -> list[int]:
    """Some axes, in any order."""
    order = list(range(rank))
    picked: list[int] = []
    for _ in range(draft.integer(0, rank)):
        picked.append(order.pop(draft.integer(0, len(order) - 1)))
    return picked


def permutation(draft: Draft, rank: int) -> list[int]:
    order = list(range(rank))
    return [order.pop(draft.integer(0, len(order) - 1)) for _ in range(rank)]


def axis(draft: Draft, operand: str) -> int:
    return draft.integer(0, draft[operand].rank - 1)


@draws("concat")
def concat(draft: Draft, name: str) -> None:
    first = draft.operand(ALL, low=1)
    place, shape = axis(draft, first), draft[first].shape
    others = []
    for _ in range(draft.integer(0, 3)):
        size = draft.integer(1, 3)
        others.append(draft.of_shape(draft[first].dtype, (*shape[:place], size, *shape[place + 1 :])))
    draft.call(name, inputs=[first, *others], axis=place)


@draws("expand")
def expand(draft: Draft, name: str) -> None:
    operand = draft.operand(ALL)
    shape = [draft.integer(1, 3) if size == 1 else size for size in draft[operand].shape]
    leading = draft.sizes(draft.integer(0, min(2, 8 - len(shape))), 3)
    draft.call(name, input=operand, newShape=[*leading, *shape])


@draws("reshape")
def reshape(draft: Draft, name: str) -> None:
    operand = draft.operand(ALL)
    left, shape = draft[operand].descriptor.element_count, []
    for _ in range(draft.integer(0, 6)):
        size = draft.pick([d for d in range(1, left + 1) if left % d == 0])
        shape.append(size)
        left //= size
    draft.call(name, input=operand, newShape=[*shape, left] if left > 1 else shape)


@draws("transpose")
def transpose(draft: Draft, name: str) -> None:
    operand = draft.operand(ALL)
    options = draft.options(permutation=lambda: permutation(draft, draft[operand].rank))
    draft.call(name, options, input=operand)


@draws("reverse")
def reverse(draft: Draft, name: str) -> None:
    operand = draft.operand(ALL)
    draft.call(name, draft.options(axes=lambda: axes(draft, draft[operand].rank)), input=operand)


@draws("slice")
def slice_(draft: Draft, name: str) -> None:
    operand = draft.operand(ALL)
    shape = draft[operand].shape
    starts = [draft.integer(0, size - 1) for size in shape]
    sizes = [draft.integer(1, size - start) for size, start in zip(shape, starts, strict=True)]
    options = draft.options(strides=lambda: [draft.integer(1, 4) for _ in shape])
    draft.call(name, options, input=operand, starts=starts, sizes=sizes)


@draws("split")
def split(draft: Draft, name: str) -> None:
    operand = draft.operand(ALL, low=1)
    place = axis(draft, operand)
    left, sizes = draft[operand].shape[place], []
    if draft.chance():
        count = draft.pick([d for d in range(1, left + 1) if left % d == 0])
        splits: Any = count
    else:
        while left:
            sizes.append(draft.integer(1, left))
            left -= sizes[-1]
        splits, count = sizes, len(sizes)
    options = {"axis": place} if place or draft.chance() else {}
    draft.call(name, options, count, input=operand, splits=splits)


@draws("tile")
def tile(draft: Draft, name: str) -> None:
    operand = draft.operand(ALL)
    shape = draft[operand].shape
    room = MAX_ELEMENTS * 4 // math.prod(shape)
    counts = []
    for _ in shape:
        counts.append(draft.integer(1, max(1, min(3, room))))
        room //= counts[-1]
    draft.call(name, input=operand, repetitions=counts)


@draws("pad")
def pad(draft: Draft, name: str) -> None:
    operand = draft.operand(allowed(name, "input"), high=5)
    shape, dtype = draft[operand].shape, draft[operand].dtype
    mode = draft.pick(("constant", "edge", "reflection"))
    before, after = ([draft.integer(0, size - 1 if mode == "reflection" else 2) for size in shape] for _ in range(2))
    options = {"mode": mode} if mode != "constant" or draft.chance() else {}
    options |= draft.options(value=lambda: bound(draft, dtype))
    draft.call(name, options, input=operand, beginningPadding=before, endingPadding=after)


@draws("triangular")
def triangular(draft: Draft, name: str) -> None:
    operand = draft.operand(allowed(name, "input"), low=2)
    options = draft.options(upper=draft.chance, diagonal=lambda: draft.pick((0, 1, -1, 3, -4, 2**31 - 1, -(2**31))))
    draft.call(name, options, input=operand)


@draws("shape")
def shape_(draft: Draft, name: str) -> None:
    draft.call(name, input=draft.operand(ALL, low=1))
