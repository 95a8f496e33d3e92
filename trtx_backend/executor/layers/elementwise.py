"""IElementWiseLayer. Integers are computed in their own type and wrap."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, as_stored, reads
from trtx_backend.trt import Layer, trt

Op = trt.ElementWiseOperation


def divide(a: Array, b: Array) -> Array:
    """Integers truncate towards zero. By zero gives -1, all bits set, as CUDA's integer division leaves it: it is not
    defined, and numpy would give 0."""
    if a.dtype.kind == "f":
        return np.true_divide(a, b)
    quotient = np.floor_divide(a, b)
    inexact = (quotient * b != a) & ((a < 0) != (b < 0))
    return np.where(b == 0, np.array(-1, a.dtype), quotient + inexact.astype(a.dtype))


def power(a: Array, b: Array) -> Array:
    """Integer powers wrap; a negative exponent truncates the true result."""
    if a.dtype.kind == "f":
        return np.power(a, b)
    powers = np.power(a, np.maximum(b, 0))
    sign = np.where(b % 2 == 0, a * a, a)
    return np.where(b >= 0, powers, np.where(np.abs(a) == 1, sign, 0)).astype(a.dtype)


FUNCTIONS: dict[object, Callable[[Array, Array], Array]] = {
    Op.SUM: np.add,
    Op.PROD: np.multiply,
    Op.MAX: np.maximum,
    Op.MIN: np.minimum,
    Op.SUB: np.subtract,
    Op.DIV: divide,
    Op.POW: power,
    Op.FLOOR_DIV: np.floor_divide,
    Op.AND: np.logical_and,
    Op.OR: np.logical_or,
    Op.XOR: np.logical_xor,
    Op.EQUAL: np.equal,
    Op.GREATER: np.greater,
    Op.LESS: np.less,
}


as_stored(np.add, np.multiply, np.maximum, np.minimum, np.subtract, divide, np.equal, np.greater, np.less)


@reads(trt.LayerType.ELEMENTWISE)
def elementwise(layer: Layer) -> Kernel:
    return FUNCTIONS[layer.op]
