"""TensorRT's data types in numpy: how a tensor of each is held between layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trtx_backend.errors import ExecutorError
from trtx_backend.trt import TensorType, trt

STORAGE: dict[Any, np.dtype[Any]] = {
    trt.float32: np.dtype(np.float32),
    trt.float16: np.dtype(np.float16),
    trt.int32: np.dtype(np.int32),
    trt.int64: np.dtype(np.int64),
    trt.int8: np.dtype(np.int8),
    trt.uint8: np.dtype(np.uint8),
    trt.bool: np.dtype(np.bool_),
    trt.int4: np.dtype(np.int8),  # one element a byte
}


@dataclass(frozen=True)
class Grid:
    """A float type that numpy has not: its tensors are float32 arrays of values that the type can hold."""

    digits: int
    """Binary digits of the significand, with the leading one."""
    lowest: int
    """Exponent of the least normal number."""
    greatest: float
    saturates: bool
    """What is too great becomes the greatest value, else infinity. NVIDIA's documentation does not say."""

    def round(self, x: NDArray[Any]) -> NDArray[Any]:
        """To the nearest value, ties to even. Float4 has no NaN: it becomes 0, as NVIDIA's documentation does not say."""
        x = np.nan_to_num(x, nan=0.0, posinf=np.inf, neginf=-np.inf) if self.digits == 2 else x
        exponent = np.maximum(np.frexp(x)[1] - 1, self.lowest) - (self.digits - 1)
        rounded = np.ldexp(np.rint(np.ldexp(x, -exponent)), exponent)
        if self.saturates:
            return np.asarray(np.clip(rounded, -self.greatest, self.greatest))
        return np.asarray(np.where(np.abs(rounded) > self.greatest, np.copysign(np.inf, rounded), rounded))


_GRIDS_BY_NAME = {
    "BF16": Grid(8, -126, (2 - 2**-7) * 2.0**127, saturates=False),
    "FP8": Grid(4, -6, 448, saturates=True),
    "FP4": Grid(2, 0, 6, saturates=True),
}
GRIDS: dict[Any, Grid] = {
    getattr(trt.DataType, name): grid for name, grid in _GRIDS_BY_NAME.items() if hasattr(trt.DataType, name)
}

STORAGE.update({dtype: np.dtype(np.float32) for dtype in GRIDS})

FLOATS = (trt.float32, trt.float16, *GRIDS)


def storage(dtype: TensorType, what: str) -> np.dtype[Any]:
    if dtype not in STORAGE:
        raise ExecutorError(f"{what}: the executor does not compute with {dtype.name}")
    return STORAGE[dtype]
