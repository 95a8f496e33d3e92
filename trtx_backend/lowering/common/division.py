"""Integer division."""

from __future__ import annotations

import math

from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.lowering.common.casts import is_negative, less
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


def divide(w: Writer, a: ITensor, b: ITensor, dtype: str) -> ITensor:
    """a / b, for integers truncated towards zero. Integers come as their values (uint64 as bits).

    TensorRT folds constants on the CPU, where an integer division by zero, or of the least integer by -1, ends the
    process. So where both sides are constants the divisor is kept clear of these two.
    """
    if DATA_TYPES[dtype].is_float:
        return w.elementwise(a, Op.DIV, b)
    if w.folds and math.prod(b.shape) == 1:
        b = w.expand(
            b, tuple(a.shape)
        )  # see Writer.foldable: the divisor is selected, so what it is cannot be seen there
    if dtype == "uint64":
        return _divide_uint64(w, a, b)
    if w.folds:
        b = w.select(w.elementwise(b, Op.EQUAL, 0), w.scalar(1, b), b)
        by_minus_one = w.elementwise(b, Op.EQUAL, -1)
        quotient = w.elementwise(a, Op.DIV, w.select(by_minus_one, w.scalar(1, b), b))
        return w.select(by_minus_one, w.elementwise(w.scalar(0, a), Op.SUB, a), quotient)
    return w.elementwise(a, Op.DIV, b)


def _divide_uint64(w: Writer, a: ITensor, b: ITensor) -> ITensor:
    """Unsigned 64-bit division from signed: half the dividend is not negative, twice its quotient is at most 1 too low.
    A divisor that has the top bit set goes into any dividend 0 times or once."""
    at_least = w.unary(less(w, a, b, "uint64"), trt.UnaryOperation.NOT)
    large = is_negative(w, b)
    small = w.select(w.elementwise(large, Op.OR, w.elementwise(b, Op.EQUAL, 0)), w.scalar(1, b), b)
    half = w.elementwise(a, Op.FLOOR_DIV, 2)
    half = w.select(is_negative(w, a), w.elementwise(half, Op.SUB, -(2**63)), half)
    quotient = w.elementwise(w.elementwise(half, Op.DIV, small), Op.PROD, 2)
    rest = w.elementwise(a, Op.SUB, w.elementwise(quotient, Op.PROD, small))
    more = w.unary(less(w, rest, small, "uint64"), trt.UnaryOperation.NOT)
    quotient = w.elementwise(quotient, Op.SUM, w.cast(more, trt.int64))
    return w.select(large, w.cast(at_least, trt.int64), quotient)
