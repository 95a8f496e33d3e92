"""Dims, Permutation and Weights."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from trtx_backend.mock.enums import DataType, Enumeration

NUMPY: dict[Enumeration, np.dtype[Any]] = {
    DataType.FLOAT: np.dtype(np.float32),
    DataType.HALF: np.dtype(np.float16),
    DataType.INT8: np.dtype(np.int8),
    DataType.INT32: np.dtype(np.int32),
    DataType.INT64: np.dtype(np.int64),
    DataType.UINT8: np.dtype(np.uint8),
    DataType.BOOL: np.dtype(np.bool_),
}
TENSORRT = {dtype: tensorrt for tensorrt, dtype in NUMPY.items()}


class Dims(tuple[int, ...]):
    """Sizes of a tensor."""

    MAX_DIMS = 8


class Permutation(tuple[int, ...]):
    """An order of dimensions, always of MAX_DIMS places."""


def dims(value: Any) -> Dims:
    """A sequence of at most 8 integers; TypeError for anything else."""
    sizes = Dims(_integer(size) for size in value)
    if len(sizes) > Dims.MAX_DIMS:
        raise TypeError(f"{len(sizes)} dimensions: at most {Dims.MAX_DIMS} are possible")
    return sizes


def permutation(value: Any) -> Permutation:
    order = dims(value)
    return Permutation((*order, *(0,) * (Dims.MAX_DIMS - len(order))))


def _integer(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"a size is an integer, not {value!r}")
    return int(value)


class Weights:
    """Numbers of a layer. `Weights(array)` refers to a contiguous array; `Weights(dtype)` is empty; `Weights(dtype, address,
    count)` refers to memory that somebody else keeps."""

    def __init__(self, a: Any = DataType.FLOAT, ptr: int | None = None, count: int = 0) -> None:
        if isinstance(a, DataType):
            self.dtype: Enumeration = a
            self._array = _at(a, ptr, count) if ptr is not None and count else np.zeros(0, NUMPY.get(a, np.uint8))
            self._array.setflags(write=ptr is not None)
        elif isinstance(a, np.ndarray):
            if a.dtype not in TENSORRT:
                raise ValueError(f"numpy's {a.dtype.name} has no counterpart in TensorRT")
            if not a.flags.c_contiguous:
                raise ValueError("weights must be contiguous: numpy.ascontiguousarray makes them so")
            self.dtype, self._array = TENSORRT[a.dtype], a.reshape(-1)
        else:
            raise TypeError(f"weights are an array or a data type, not {type(a).__name__}")

    @property
    def size(self) -> int:
        return int(self._array.size)

    @property
    def nbytes(self) -> int:
        return int(self._array.nbytes)

    def numpy(self) -> Any:
        """The numbers in one dimension, without a copy; the weights themselves where numpy has no such type."""
        return self._array if self.dtype in NUMPY else self

    def __len__(self) -> int:
        return self.size

    @property
    def _identity(self) -> tuple[Any, ...]:
        """Weights are the same where type, memory and count are."""
        return self.dtype, self._array.ctypes.data, self.size


def as_weights(value: Any) -> Weights:
    """Weights, or an array, which stands for its weights; TypeError for anything else."""
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous or value.dtype not in TENSORRT:
            raise TypeError("this array cannot be weights")
        return Weights(value)
    if not isinstance(value, Weights):
        raise TypeError(f"weights are an array or Weights, not {type(value).__name__}")
    return value


def _at(dtype: Enumeration, address: int, count: int) -> np.ndarray[Any, Any]:
    kind = NUMPY.get(dtype, np.dtype(np.uint8))
    memory: Any = (ctypes.c_char * (count * kind.itemsize)).from_address(address)
    return np.ndarray(count, kind, memory)
