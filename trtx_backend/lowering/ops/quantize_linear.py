"""quantizeLinear. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-quantizelinear"""

from __future__ import annotations

from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.lowering.common.blocks import at_blocks
from trtx_backend.lowering.common.casts import EXACT, low_bits
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation
Unary = trt.UnaryOperation


@lowers("quantizeLinear", values=True)
def quantize_linear(w: Writer, input: Value, scale: Value, zero_point: Value) -> ITensor:
    shape, dtype = input.descriptor.shape, zero_point.descriptor.dtype
    row = DATA_TYPES[dtype]
    if row.bits <= 8:  # floats hold these exactly, and what they round lies far outside
        rounded = w.unary(w.elementwise(input.form(w), Op.DIV, at_blocks(w, scale, shape)), Unary.ROUND)
        zero = w.cast(at_blocks(w, zero_point, shape, trt.int32), rounded.dtype)
        shifted = w.elementwise(rounded, Op.SUM, zero)
        limits = {"alpha": float(row.min), "beta": float(row.max)}
        return w.cast(w.activation(shifted, trt.ActivationType.CLIP, **limits), trt.int32)
    # a quotient that int32 holds and float16 does not; the zero point is added where 64 bits hold the sum
    factor = w.cast(at_blocks(w, scale, shape), trt.float32)
    rounded = w.unary(w.elementwise(w.cast(input.form(w), trt.float32), Op.DIV, factor), Unary.ROUND)
    # what int64 does not hold would be cast to anything; these bounds are beyond the range at any zero point
    rounded = w.activation(rounded, trt.ActivationType.CLIP, alpha=-(2.0**33), beta=2.0**33)
    zero = w.cast(at_blocks(w, zero_point, shape, EXACT.get(dtype)), trt.int64)
    shifted = w.elementwise(w.cast(rounded, trt.int64), Op.SUM, zero)
    clamped = w.elementwise(w.elementwise(shifted, Op.MAX, int(row.min)), Op.MIN, int(row.max))
    return low_bits(w, clamped)
