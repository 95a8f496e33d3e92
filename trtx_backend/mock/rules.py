"""What several layers ask of their inputs: types, ranks, shapes. Each raises Refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from trtx_backend.mock.core import Inferred, Refused
from trtx_backend.mock.enums import DataType, Enumeration

INDICES = (DataType.INT32, DataType.INT64)
NO_FLOAT = (DataType.UINT8, DataType.INT32, DataType.INT64, DataType.BOOL)
"""What layers of float arithmetic do not take. (INT8 and 4-bit types pass the inference and fail in the compiler.)"""
NO_NUMBER = (DataType.UINT8, DataType.BOOL)
NO_MOVE = (DataType.UINT8,)


def forbid(dtype: Enumeration, forbidden: Sequence[Enumeration], what: str = "the input") -> None:
    if dtype in forbidden:
        raise Refused(f"{what} cannot be {dtype.name}")


def demand(dtype: Enumeration, allowed: Sequence[Enumeration], what: str = "the input") -> None:
    if dtype not in allowed:
        raise Refused(f"{what} is {dtype.name}: must be {' or '.join(member.name for member in allowed)}")


def same_types(*facts: Inferred) -> Enumeration:
    names = [dtype.name for dtype, _ in facts]
    if len(set(names)) > 1:
        raise Refused(f"the inputs must have one type, they have {', '.join(names)}")
    return facts[0][0]


def at_least(rank: int, shape: Sequence[int]) -> None:
    if len(shape) < rank:
        raise Refused(f"the input has {len(shape)} dimensions: at least {rank} are needed")


def axis_in(axis: int, rank: int) -> int:
    if not 0 <= axis < rank:
        raise Refused(f"axis {axis} is not one of {rank} dimensions")
    return axis


def broadcast(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The common shape: of one rank, each dimension equal or 1."""
    if len({len(shape) for shape in shapes}) > 1:
        raise Refused(f"the inputs must have one rank, they are {', '.join(str(list(shape)) for shape in shapes)}")
    result = []
    for axis, sizes in enumerate(zip(*shapes, strict=True)):
        distinct = set(sizes) - {1} or {1}
        if len(distinct) > 1:
            raise Refused(f"dimension {axis} is {' and '.join(map(str, sizes))}: must be equal, or 1")
        result.append(distinct.pop())
    return tuple(result)


def member(kind: type[Enumeration] | Any) -> Callable[[Any], Any]:
    """A converter to Parameter: a member of an enumeration."""

    def convert(value: Any) -> Any:
        if not isinstance(value, kind):
            raise TypeError(f"must be a {kind.__name__}, not {value!r}")
        return value

    return convert


def integer(value: Any) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"must be an integer, not {value!r}")
    return int(value)


def number(value: Any) -> float:
    """A float32, as TensorRT keeps it."""
    if not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"must be a number, not {value!r}")
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def truth(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"must be True or False, not {value!r}")
    return bool(value)
