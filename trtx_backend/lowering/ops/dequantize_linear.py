"""dequantizeLinear. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-dequantizelinear"""

from __future__ import annotations

from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.lowering.common.blocks import at_blocks
from trtx_backend.lowering.common.casts import EXACT
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


@lowers("dequantizeLinear", values=True)
def dequantize_linear(w: Writer, input: Value, scale: Value, zero_point: Value) -> ITensor:
    shape, dtype = input.descriptor.shape, input.descriptor.dtype
    factor = at_blocks(w, scale, shape)
    if DATA_TYPES[dtype].bits <= 8:
        values = input.form(w, trt.int32)
        distance = w.elementwise(values, Op.SUB, at_blocks(w, zero_point, shape, trt.int32))
        return w.elementwise(w.cast(distance, factor.dtype), Op.PROD, factor)
    # 32-bit values: their difference takes 64 bits, and is beyond what float16 holds
    values = w.cast(input.form(w, EXACT.get(dtype)), trt.int64)
    zero = w.cast(at_blocks(w, zero_point, shape, EXACT.get(dtype)), trt.int64)
    distance = w.cast(w.elementwise(values, Op.SUB, zero), trt.float32)
    return w.cast(w.elementwise(distance, Op.PROD, w.cast(factor, trt.float32)), factor.dtype)
