"""gather, gatherElements, gatherND, scatterElements, scatterND. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gather …

An index from -N to -1 counts from the end. No two updates here have one place: which one wins is not specified.
"""

from __future__ import annotations

from typing import Any

from tests.by_hand.form import INF, NAN, Case, Tensor, count, f16, f32, fill, flat, i32, i64, one, refused, tensor, u8


def _at(index: int, size: int) -> int:
    return index + size if index < 0 else index


def _gather(name: str, x: Tensor, indices: Tensor, axis: int | None = None) -> Case:
    along, rank = axis or 0, len(indices.shape)
    shape = (*x.shape[:along], *indices.shape, *x.shape[along + 1 :])

    def element(index: tuple[int, ...]) -> Any:
        taken = _at(indices[index[along : along + rank]], x.shape[along])
        return x[(*index[:along], taken, *index[along + rank :])]

    options = {} if axis is None else {"axis": axis}
    return one(name, "gather", fill(x.dtype, shape, element), input=x, indices=indices, options=options)


def _gather_elements(name: str, x: Tensor, indices: Tensor, axis: int | None = None) -> Case:
    along = axis or 0

    def element(index: tuple[int, ...]) -> Any:
        return x[(*index[:along], _at(indices[index], x.shape[along]), *index[along + 1 :])]

    options = {} if axis is None else {"axis": axis}
    expected = fill(x.dtype, indices.shape, element)
    return one(name, "gatherElements", expected, input=x, indices=indices, options=options)


def _coordinate(x: Tensor, indices: Tensor, lead: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(_at(indices[(*lead, k)], x.shape[k]) for k in range(indices.shape[-1]))


def _gather_nd(name: str, x: Tensor, indices: Tensor) -> Case:
    lead = len(indices.shape) - 1
    shape = (*indices.shape[:-1], *x.shape[indices.shape[-1] :])
    expected = fill(x.dtype, shape, lambda i: x[(*_coordinate(x, indices, i[:lead]), *i[lead:])])
    return one(name, "gatherND", expected, input=x, indices=indices)


def _scatter_elements(name: str, x: Tensor, indices: Tensor, updates: Tensor, axis: int | None = None) -> Case:
    along = axis or 0
    written: dict[tuple[int, ...], Any] = {}
    for position in product_of(indices.shape):
        place = (*position[:along], _at(indices[position], x.shape[along]), *position[along + 1 :])
        assert place not in written
        written[place] = updates[position]
    options = {} if axis is None else {"axis": axis}
    expected = fill(x.dtype, x.shape, lambda i: written.get(i, x[i]))
    return one(name, "scatterElements", expected, input=x, indices=indices, updates=updates, options=options)


def _scatter_nd(name: str, x: Tensor, indices: Tensor, updates: Tensor) -> Case:
    lead, depth = len(indices.shape) - 1, indices.shape[-1]
    written: dict[tuple[int, ...], Any] = {}
    for position in product_of(updates.shape):
        place = (*_coordinate(x, indices, position[:lead]), *position[lead:])
        assert place not in written
        written[place] = updates[position]
    assert updates.shape == (*indices.shape[:-1], *x.shape[depth:])
    expected = fill(x.dtype, x.shape, lambda i: written.get(i, x[i]))
    return one(name, "scatterND", expected, input=x, indices=indices, updates=updates)


def product_of(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    places: list[tuple[int, ...]] = [()]
    for size in shape:
        places = [(*place, position) for place in places for position in range(size)]
    return places


def u32(nested: Any) -> Tensor:
    return tensor("uint32", nested)


GRID = f32([[0, 1, 2], [10, 11, 12], [20, 21, 22], [30, 31, 32]])
"""The specification's own."""

TOP = tensor("uint64", [[2**64 - 1, 2**63], [1, 0], [2**63 + 1, 7]])

CASES: dict[str, list[Case]] = {
    "gather": [
        one(
            "by hand, last axis, from the end",
            "gather",
            f32([[2, 1], [12, 11], [22, 21], [32, 31]]),
            input=GRID,
            indices=i32([-1, 1]),
            options={"axis": 1},
        ),
        _gather("scalar index", GRID, i64(-4)),
        _gather("scalar index, last axis", GRID, u32(2), 1),
        _gather("scalar of rank 1", f16([1, 2, 3]), i32(-1)),
        _gather("indices of rank 3", GRID, i64([[[0, -1]], [[3, 1]]])),
        _gather("middle axis, indices of rank 2", count("int32", (2, 3, 4)), i32([[2, 0], [1, -3], [-1, -2]]), 1),
        _gather("uint64", TOP, u32([2, 0, 0])),
        _gather("int64 beyond 2^53, constant indices", i64([2**53 + 1, -(2**53) - 1]), i32([1, 0, -1]).const()),
        _gather("int8", tensor("int8", [[-128, 127]]), i64([1, 1, 0]), 1),
        _gather("a constant input", GRID.const(), i32([[3], [-4]])),
        _gather("what is not taken does not leak", f32([1, NAN, INF, 4]), i32([3, 0])),
        _gather("a dimension of size 1", u8([[5, 6, 7]]), i32([0, -1, 0])),
        _gather("rank 5, last axis", count("float16", (1, 2, 1, 2, 3)), i32([2, -3]), 4),
    ],
    "gatherElements": [
        one(
            "by hand",
            "gatherElements",
            f32([[30, 11, 12], [20, 1, 32]]),
            input=GRID,
            indices=i32([[3, 1, 1], [-2, 0, -1]]),
        ),
        _gather_elements("last axis, fewer", GRID, i64([[2], [-2], [0], [-1]]), 1),
        _gather_elements("last axis, more", f16([[1, 2], [3, 4]]), i32([[0, 1, -1, -2, 0], [1, 1, 0, -2, -1]]), 1),
        _gather_elements("middle axis, rank 3", count("int32", (2, 3, 2)), u32([[[2, 0]], [[1, 2]]]), 1),
        _gather_elements("rank 1", tensor("uint64", [2**63, 2**64 - 1]), i32([-1, 0, 1])),
        _gather_elements("int64", i64([[2**53 + 1, 1], [-1, -(2**53) - 1]]), i64([[1, -1]])),
        _gather_elements("int8, more than there are", tensor("int8", [[-128, 127]]), i32([[0, -1], [0, 0], [-1, 0]])),
        _gather_elements(
            "rank 5, first axis",
            count("float32", (3, 1, 2, 1, 2)),
            flat("int32", (2, 1, 2, 1, 2), [2, 0, -1, 1, 0, -3, 1, 2]),
        ),
    ],
    "gatherND": [
        one("by hand", "gatherND", f32([32, 0, 21]), input=GRID, indices=i32([[-1, -1], [0, 0], [2, 1]])),
        _gather_nd("rows", GRID, i64([[3], [-4]])),
        _gather_nd("one coordinate: a scalar", GRID, u32([2, 1])),
        _gather_nd("one index: a row", GRID, i32([-2])),
        _gather_nd(
            "a grid of coordinates, rank 4",
            count("int32", (2, 3, 2, 2)),
            i32([[[0, -1], [1, 0]], [[-1, 1], [0, 0]], [[1, -2], [-2, 2]]]),
        ),
        _gather_nd(
            "whole coordinates, rank 4", count("float16", (2, 1, 3, 2)), i32([[[1, 0, -1, 1]], [[-2, -1, 0, 0]]])
        ),
        _gather_nd("uint64", TOP, i32([[2, 0], [0, 1], [-3, 0]])),
        _gather_nd("int8 by constants", tensor("int8", [-128, 5, 127]), i64([[2], [0], [-2]]).const()),
        _gather_nd("uint8, rank 5 input", count("uint8", (2, 1, 2, 1, 3), 200), i32([[1, 0, -1], [0, -1, 0]])),
    ],
    "scatterElements": [
        one(
            "by hand",
            "scatterElements",
            f32([[0, -5, 2], [10, -2, -3], [-4, 21, 22], [-1, 31, -6]]),
            input=GRID,
            indices=i32([[3, 1, 1], [-2, 0, -1]]),
            updates=f32([[-1, -2, -3], [-4, -5, -6]]),
        ),
        _scatter_elements("last axis", GRID, i64([[2], [-2], [0], [-1]]), f32([[-1], [-2], [-3], [-4]]), 1),
        _scatter_elements(
            "middle axis, rank 3",
            count("int32", (2, 4, 2)),
            u32([[[3, 0], [0, 2]], [[1, 1], [2, 0]]]),
            count("int32", (2, 2, 2), 100),
            1,
        ),
        _scatter_elements(
            "rank 1, all replaced", tensor("uint64", [1, 2]), i32([-1, 0]), tensor("uint64", [2**64 - 1, 2**63])
        ),
        _scatter_elements("float16 infinities", f16([[1, 2], [3, 4]]), i32([[-1, 0]]), f16([[-INF, NAN]])),
        _scatter_elements("int64", i64([2**53 + 1, 5, 7]), i64([-2]), i64([-(2**53) - 1])),
        _scatter_elements(
            "int8 into a constant",
            tensor("int8", [[-128, 1, 127]]).const(),
            i32([[0, 2]]),
            tensor("int8", [[7, -7]]),
            1,
        ),
        _scatter_elements(
            "uint8, rank 5",
            count("uint8", (1, 2, 1, 3, 1), 200),
            flat("int32", (1, 2, 1, 2, 1), [2, 0, -2, -1]),
            flat("uint8", (1, 2, 1, 2, 1), [1, 2, 3, 4]),
            3,
        ),
    ],
    "scatterND": [
        one(
            "by hand",
            "scatterND",
            f32([[0, 1, -1], [10, 11, 12], [20, 21, 22], [-2, 31, 32]]),
            input=GRID,
            indices=i32([[0, -1], [-1, 0]]),
            updates=f32([-1, -2]),
        ),
        _scatter_nd("rows", GRID, i64([[-1], [1]]), f32([[-1, -2, -3], [-4, -5, -6]])),
        _scatter_nd("one coordinate, a scalar update", GRID, u32([2, 1]), f32(-9)),
        _scatter_nd("one index, a row", GRID, i32([-3]), f32([7, 8, 9])),
        _scatter_nd(
            "a grid of coordinates",
            count("int32", (3, 2, 2)),
            i32([[[0, -1], [1, 0]], [[2, 1], [-1, 0]]]),
            count("int32", (2, 2, 2), 100),
        ),
        _scatter_nd("uint64", TOP, i32([[0, 1], [2, -1]]), tensor("uint64", [2**64 - 2, 2**63 + 5])),
        _scatter_nd("float16", f16([1, 2, 3, 4]), i32([[3], [-4]]), f16([INF, 65504])),
        _scatter_nd(
            "int8 by constants",
            tensor("int8", [[-128, 1], [127, 2]]),
            i64([[1, 0], [0, -1]]).const(),
            tensor("int8", [5, -5]),
        ),
        _scatter_nd(
            "rank 5, slices",
            count("float32", (2, 2, 1, 1, 2)),
            i32([[1, -1], [0, 0]]),
            flat("float32", (2, 1, 1, 2), [-1, -2, -3, -4]),
        ),
    ],
}

REFUSED = [
    refused("axis beyond the rank", "gather", input=GRID, indices=i32([0]), options={"axis": 2}),
    refused("indices of float32", "gather", input=GRID, indices=f32([0])),
    refused("indices of uint8", "gather", input=GRID, indices=u8([0])),
    refused("indices of uint64", "gather", input=GRID, indices=tensor("uint64", [0])),
    refused("of a scalar", "gather", input=f32(1), indices=i32([0])),
    refused("another size beside the axis", "gatherElements", input=GRID, indices=i32([[0, 0]])),
    refused("another rank", "gatherElements", input=GRID, indices=i32([0, 0, 0])),
    refused("axis beyond the rank", "gatherElements", input=GRID, indices=i32([[0, 0, 0]]), options={"axis": 2}),
    refused("indices of int8", "gatherElements", input=GRID, indices=tensor("int8", [[0, 0, 0]])),
    refused("more coordinates than the rank", "gatherND", input=GRID, indices=i32([[0, 0, 0]])),
    refused("indices of rank 0", "gatherND", input=GRID, indices=i32(0)),
    refused("of a scalar", "gatherND", input=f32(1), indices=i32([[0]])),
    refused("indices of float16", "gatherND", input=GRID, indices=f16([[0]])),
    refused("updates of another shape", "scatterElements", input=GRID, indices=i32([[0, 0, 0]]), updates=f32([[1, 2]])),
    refused(
        "updates of another type", "scatterElements", input=GRID, indices=i32([[0, 0, 0]]), updates=f16([[1, 2, 3]])
    ),
    refused(
        "another size beside the axis", "scatterElements", input=GRID, indices=i32([[0, 0]]), updates=f32([[1, 2]])
    ),
    refused(
        "axis beyond the rank",
        "scatterElements",
        input=GRID,
        indices=i32([[0, 0, 0]]),
        updates=f32([[1, 2, 3]]),
        options={"axis": 2},
    ),
    refused("updates of another shape", "scatterND", input=GRID, indices=i32([[0], [1]]), updates=f32([[1, 2, 3]])),
    refused("updates of another type", "scatterND", input=GRID, indices=i32([[0, 0]]), updates=f16([1])),
    refused("more coordinates than the rank", "scatterND", input=GRID, indices=i32([[0, 0, 0]]), updates=f32([1])),
    refused("indices of uint64", "scatterND", input=GRID, indices=tensor("uint64", [[0, 0]]), updates=f32([1])),
]
