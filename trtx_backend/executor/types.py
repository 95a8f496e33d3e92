"""TensorRT's data types in numpy: how a tensor of each is held between layers."""

from __future__ import annotations

from typing import Any

import numpy as np

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

FLOATS = (trt.float32, trt.float16)


def storage(dtype: TensorType, what: str) -> np.dtype[Any]:
    if dtype not in STORAGE:
        raise ExecutorError(f"{what}: the executor does not compute with {dtype.name}")
    return STORAGE[dtype]
