"""Data types that WebNN has and TensorRT has not, or only in part.

Facts that shape this (TensorRT for RTX 1.6): UINT8 may touch little but the network's edge; there is no UINT32 and no
UINT64, so these travel as the bits of INT32 and INT64; INT8 is a type of quantization whose arithmetic may saturate, so
it is computed with as INT32; INT4 takes no scalars and no odd number of elements, so 4-bit types have a byte each.

| WebNN          | edge  | carrier | computed with as |
|----------------|-------|---------|------------------|
| int8, int4     | INT8  | INT8    | INT32            |
| uint8, uint4   | UINT8 | INT32   | INT32; a uint8 as BOOL where it is a truth value |
| uint32         | INT32 | INT32   | INT32 where the low bits are all that matters, INT64 where the value does |
| uint64         | INT64 | INT64   | INT64; what orders or divides it treats the sign bit itself |
"""

from __future__ import annotations

from collections.abc import Callable

from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, TensorType, trt

Op = trt.ElementWiseOperation

WIDE = {"int8": trt.int32, "int4": trt.int32}
"""Forms for arithmetic modulo 2^bits: the result is to be passed through `wrap`."""

EXACT = {**WIDE, "uint32": trt.int64}
"""Forms whose signed value is the WebNN value, for all types but uint64."""

TRUTH = {"*": trt.bool}
"""Forms for operands of which only zero or not zero matters."""


def wrap(w: Writer, tensor: ITensor, dtype: str) -> ITensor:
    """An INT32 or INT64 result modulo 2^bits, as a value of an integer type of fewer bits; others are left alone.
    Spelled with arithmetic: what a cast does with a value out of range is not documented."""
    row = DATA_TYPES[dtype]
    if row.is_float or row.bits >= 32:
        return tensor
    size = 1 << row.bits
    if not row.is_unsigned:
        tensor = w.elementwise(tensor, Op.SUM, size // 2)
    low = w.elementwise(tensor, Op.SUB, w.elementwise(w.elementwise(tensor, Op.FLOOR_DIV, size), Op.PROD, size))
    return low if row.is_unsigned else w.elementwise(low, Op.SUB, size // 2)


def zero_extend(w: Writer, bits: ITensor) -> ITensor:
    """The value of a uint32 as INT64, from its bits as INT32."""
    signed = w.cast(bits, trt.int64)
    return w.select(is_negative(w, signed), w.elementwise(signed, Op.SUM, 1 << 32), signed)


def low_bits(w: Writer, value: ITensor) -> ITensor:
    """The low 32 bits of an INT64 as INT32, which an integer conversion keeps."""
    return w.cast(value, trt.int32)


def is_negative(w: Writer, tensor: ITensor) -> ITensor:
    """BOOL: the sign bit of an integer."""
    return w.elementwise(tensor, Op.LESS, 0)


def less(w: Writer, a: ITensor, b: ITensor, dtype: str) -> ITensor:
    """BOOL: a < b by the order of the WebNN data type. For uint32 and uint64, held as signed bits, the signed order is
    inverted where the sign bits differ. (Flipping both sign bits would do too, if no optimizer cancelled the flips.)"""
    signed = w.elementwise(a, Op.LESS, b)
    if dtype not in ("uint32", "uint64"):
        return signed
    differ = w.elementwise(is_negative(w, a), Op.XOR, is_negative(w, b))
    return w.elementwise(signed, Op.XOR, differ)


def as_bits(value: int | float, dtype: str) -> int | float:
    """A number of a WebNN data type as the number that its bits are in its carrier."""
    if dtype in ("uint32", "uint64") and value > DATA_TYPES[dtype].max // 2:
        return int(value) - (1 << DATA_TYPES[dtype].bits)
    return value


def float_to_uint64(w: Writer, tensor: ITensor) -> ITensor:
    """Floats truncated to the bits of a uint64. What is 2^63 or more is converted less 2^63."""
    if tensor.dtype == trt.float16:  # 2^63 is beyond float16, and so is every value that would need it
        return w.cast(tensor, trt.int64)
    large = w.unary(w.elementwise(tensor, Op.LESS, 2.0**63), trt.UnaryOperation.NOT)
    low = w.cast(w.select(large, w.elementwise(tensor, Op.SUB, 2.0**63), tensor), trt.int64)
    return w.select(large, w.elementwise(low, Op.SUM, -(2**63)), low)


def uint64_to_float(w: Writer, bits: ITensor, to: TensorType) -> ITensor:
    """The bits of a uint64 as a float, rounded once: half the value is not negative, and its lowest bit stands for all
    that was shifted out, so that ties are seen as what they are."""
    half = w.elementwise(bits, Op.FLOOR_DIV, 2)
    odd = w.elementwise(bits, Op.SUB, w.elementwise(half, Op.PROD, 2))
    half = w.elementwise(half, Op.SUM, -(2**63))
    last = w.elementwise(half, Op.SUB, w.elementwise(w.elementwise(half, Op.FLOOR_DIV, 2), Op.PROD, 2))
    sticky = w.elementwise(half, Op.SUM, w.elementwise(odd, Op.PROD, w.elementwise(w.scalar(1, last), Op.SUB, last)))
    large = w.elementwise(w.cast(sticky, to), Op.PROD, 2.0)
    return w.select(is_negative(w, bits), large, w.cast(bits, to))


def ordered(w: Writer, tensor: ITensor, dtype: str) -> ITensor:
    """Integers whose signed order is the order of the WebNN data type. Operands come in the form EXACT, so only uint64
    is not so already: its bits less 2^63, each side of 2^63 computed without overflow."""
    if dtype != "uint64":
        return tensor
    negative = is_negative(w, tensor)
    return w.select(negative, w.elementwise(tensor, Op.SUB, -(2**63)), w.elementwise(tensor, Op.SUM, -(2**63)))


def from_ordered(w: Writer, tensor: ITensor, dtype: str) -> ITensor:
    """The reverse, in the data type's carrier."""
    return low_bits(w, tensor) if dtype == "uint32" else ordered(w, tensor, dtype)


def in_float32(w: Writer, tensor: ITensor, compute: Callable[[ITensor], ITensor]) -> ITensor:
    """`compute` on a float tensor as float32, the result in the tensor's own type."""
    return w.cast(compute(w.cast(tensor, trt.float32)), tensor.dtype)


def lowest(dtype: str) -> float:
    """The least value of a data type."""
    return DATA_TYPES[dtype].min
