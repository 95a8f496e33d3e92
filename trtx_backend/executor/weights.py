"""Values of weights. TensorRT's API gives those of its own types back as numpy arrays; of bfloat16, float8, int4 and float4
only their number, though the memory that they refer to is there to read."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trtx_backend.errors import ExecutorError

Array = NDArray[Any]


class _Weights(ctypes.Structure):
    """nvinfer1::Weights, to which the Python object holds a pointer behind its 16 bytes of header."""

    _fields_ = [("type", ctypes.c_int32), ("values", ctypes.c_void_p), ("count", ctypes.c_int64)]


def values(weights: Any) -> Array:
    """The flat array; floats that numpy has not are float32, int4 is int8."""
    if isinstance(weights, np.ndarray):
        return weights
    if weights.size == 0:
        return np.zeros(0, np.float32)
    address = ctypes.c_void_p.from_address(id(weights) + 16).value
    found = _Weights.from_address(address or 0)
    if not address or found.count != weights.size or found.type != int(weights.dtype):
        raise ExecutorError(f"weights of {weights.dtype.name} cannot be read back in this version of TensorRT")
    name, count = weights.dtype.name, found.count
    size = {"BF16": 2 * count, "FP8": count, "E8M0": count}.get(name, (count + 1) // 2)
    data = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(found.values or 0)).copy()
    if name == "BF16":
        return np.asarray((data.view(np.uint16).astype(np.uint32) << 16).view(np.float32))
    if name == "FP8":
        return _decoded(data, 4, 3)
    nibbles = np.stack([data & 15, data >> 4], 1).reshape(-1)[:count]  # the low one first
    if name == "FP4":
        return _decoded(nibbles, 2, 1)
    if name == "INT4":
        return ((nibbles.astype(np.int8) ^ 8) - 8).astype(np.int8)
    raise ExecutorError(f"the executor does not compute with {name}")


def _decoded(bits: Array, exponent_bits: int, digits: int) -> Array:
    """Small floats from their bits. The all-ones pattern of float8 E4M3 is NaN; neither type has infinities."""
    width = exponent_bits + digits
    exponent = (bits >> digits).astype(np.int32) & ((1 << exponent_bits) - 1)
    fraction = (bits & ((1 << digits) - 1)).astype(np.int32)
    bias = (1 << (exponent_bits - 1)) - 1
    significand = np.where(exponent > 0, fraction + (1 << digits), fraction)
    size = np.ldexp(significand.astype(np.float32), np.maximum(exponent, 1) - bias - digits)
    if width == 7:
        size = np.where((bits & 127) == 127, np.float32(np.nan), size)
    return np.asarray(np.where(bits >> width & 1, -size, size), np.float32)
