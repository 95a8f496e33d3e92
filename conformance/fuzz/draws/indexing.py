"""gather* and scatter*: indices in range, negative, and out of range."""

from __future__ import annotations

import numpy as np

from conformance.fuzz.draft import Draft, Shape
from conformance.fuzz.draws import allowed, draws
from conformance.fuzz.draws.movement import axis
from trtx_backend.dtypes import ALL, DATA_TYPES


def indices(draft: Draft, name: str, shape: Shape, sizes: int | Shape) -> str:
    """Indices into so many elements (each along the last dimension into its own number)."""
    dtype = draft.dtype(allowed(name, "indices"))
    row, rng = DATA_TYPES[dtype], np.random.default_rng(draft.integer(0, 9999))
    limit = np.broadcast_to(np.array(sizes, np.int64), shape)
    places = rng.integers(0, limit)
    kind = draft.pick(("inside", "negative", "outside"))
    if kind == "negative" and not row.is_unsigned:
        places = places - limit * rng.integers(0, 2, shape)
    values = [int(v) for v in np.asarray(places).reshape(-1)]
    if kind == "outside":
        far = (int(row.max), int(row.min), int(row.max) // 2 + 1, 7, max(int(row.min), -9))
        values = [far[int(rng.integers(0, 5))] if rng.integers(0, 3) == 0 else v for v in values]
    return draft.tensor(dtype, shape, np.array(values, object), name="i")


@draws("gather")
def gather(draft: Draft, name: str) -> None:
    operand = draft.operand(ALL, low=1)
    place = axis(draft, operand)
    rank = draft.integer(0, min(3, 9 - draft[operand].rank))
    chosen = indices(draft, name, draft.sizes(rank, 3), draft[operand].shape[place])
    draft.call(name, {"axis": place} if place or draft.chance() else {}, input=operand, indices=chosen)


@draws("gatherElements")
def gather_elements(draft: Draft, name: str) -> None:
    operand = draft.operand(ALL, low=1)
    place, shape = axis(draft, operand), draft[operand].shape
    chosen = indices(draft, name, (*shape[:place], draft.integer(1, 4), *shape[place + 1 :]), shape[place])
    draft.call(name, {"axis": place} if place or draft.chance() else {}, input=operand, indices=chosen)


@draws("scatterElements")
def scatter_elements(draft: Draft, name: str) -> None:
    operand = draft.operand(ALL, low=1)
    place, shape = axis(draft, operand), draft[operand].shape
    chosen = indices(draft, name, (*shape[:place], draft.integer(1, 2), *shape[place + 1 :]), shape[place])
    updates = draft.of_shape(draft[operand].dtype, draft[chosen].shape)
    options = {"axis": place} if place or draft.chance() else {}
    draft.call(name, options, input=operand, indices=chosen, updates=updates)


def _coordinates(draft: Draft, name: str, shape: Shape) -> str:
    depth = draft.integer(1, len(shape))
    leading = draft.sizes(draft.integer(0, min(2, 7 - len(shape) + depth)), 2)
    return indices(draft, name, (*leading, depth), shape[:depth])


@draws("gatherND")
def gather_nd(draft: Draft, name: str) -> None:
    operand = draft.operand(ALL, low=1)
    draft.call(name, input=operand, indices=_coordinates(draft, name, draft[operand].shape))


@draws("scatterND")
def scatter_nd(draft: Draft, name: str) -> None:
    operand = draft.operand(ALL, low=1)
    shape = draft[operand].shape
    chosen = _coordinates(draft, name, shape)
    places = draft[chosen].shape
    updates = draft.of_shape(draft[operand].dtype, (*places[:-1], *shape[places[-1] :]))
    draft.call(name, input=operand, indices=chosen, updates=updates)
