"""What data types and ranks an operand may have: data, checked in one place.

Spec: https://www.w3.org/TR/webnn/#api-mlcontext-opsupportlimits and the "Tensor limits" table of every operator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trtx_backend.dtypes import ALL, ANY, FLOATS, data_type
from trtx_backend.errors import ArgumentError, check
from trtx_backend.graph.ir import MLOperand, Operands

MAX_RANK = 8
"""TensorRT's Dims.MAX_DIMS; the specification leaves the bound to the implementation."""

MAX_DIMENSION = 2**31 - 1
"""Spec, valid dimension: an integer greater than zero in the range of a `long`; holds for the element count as well."""

MAX_TENSOR_COUNT = 8192
"""Spec, valid tensor count."""


@dataclass(frozen=True)
class Limits:
    """Row of a limits table: the data types an operand may have, or the operand whose type it shares, and its ranks."""

    dtypes: tuple[str, ...] = ANY
    min_rank: int = 0
    max_rank: int = MAX_RANK
    same_as: str = ""
    optional: bool = False


def tensor(
    *dtypes: str, rank: int | None = None, min_rank: int = 0, same_as: str = "", optional: bool = False
) -> Limits:
    """A row: allowed data types (any of the specification's, when none is named) and an exact or a least rank."""
    low, high = (rank, rank) if rank is not None else (min_rank, MAX_RANK)
    return Limits(dtypes or ANY, low, high, same_as, optional)


def floats(rank: int | None = None, min_rank: int = 0) -> Limits:
    return tensor(*FLOATS, rank=rank, min_rank=min_rank)


def like(operand: str, rank: int | None = None, min_rank: int = 0, optional: bool = False) -> Limits:
    """A row whose data type is that of another operand."""
    return tensor(*ALL, rank=rank, min_rank=min_rank, same_as=operand, optional=optional)


def check_limits(limits: Mapping[str, Limits], operands: Operands) -> None:
    """Check every operand against its row. ArgumentError names the operand and the rule."""
    for name, row in limits.items():
        operand = operands[name]
        if operand is None:
            check(row.optional, name, None, "must be an MLOperand")
            continue
        items = operand if isinstance(operand, tuple) else (operand,)
        for index, item in enumerate(items):
            where = f"{name}[{index}]" if isinstance(operand, tuple) else name
            _check_row(where, item, row, operands)


def _check_row(name: str, operand: MLOperand, row: Limits, operands: Operands) -> None:
    if row.same_as:
        other = operands[row.same_as]
        assert isinstance(other, MLOperand)
        if operand.dtype != other.dtype:
            rule = f"the data type must be that of {row.same_as}, {other.dtype}"
            raise ArgumentError(name, str(operand), rule)
    if operand.dtype not in row.dtypes:
        raise ArgumentError(name, str(operand), f"the data type must be one of {', '.join(row.dtypes)}")
    if not row.min_rank <= operand.rank <= row.max_rank:
        ranks = str(row.min_rank) if row.min_rank == row.max_rank else f"{row.min_rank} to {row.max_rank}"
        raise ArgumentError(name, str(operand), f"the rank must be {ranks}")


def check_shape(name: str, shape: tuple[int, ...]) -> None:
    """Spec, check dimensions: every dimension and the element count are valid dimensions, and the rank is supported."""
    check(len(shape) <= MAX_RANK, name, shape, f"the rank must be at most {MAX_RANK}")
    count = 1
    for size in shape:
        check(0 < size <= MAX_DIMENSION, name, shape, f"each dimension must be from 1 to {MAX_DIMENSION}")
        count *= size
    check(count <= MAX_DIMENSION, name, shape, f"the number of elements, {count}, must be at most {MAX_DIMENSION}")


def byte_length(dtype: str, element_count: int) -> int:
    """Bytes of a tensor at the API's edge, where int4 and uint4 are packed two a byte."""
    return (element_count * data_type(dtype).bits + 7) // 8
