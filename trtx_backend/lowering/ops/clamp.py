"""clamp. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-clamp"""

from __future__ import annotations

from trtx_backend.lowering.common.casts import WIDE, as_bits, less
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


@lowers("clamp", forms=WIDE, elementwise=True)
def clamp(w: Writer, input: ITensor, *, min_value: float | None, max_value: float | None) -> ITensor:
    dtype = w.op.dtype("input")
    result = input
    for bound, operation in ((min_value, Op.MAX), (max_value, Op.MIN)):
        if bound is None:
            continue
        limit = w.scalar(as_bits(bound, dtype), result)
        if dtype in ("uint32", "uint64"):
            below = less(w, result, limit, dtype)
            result = w.select(below, *((limit, result) if operation == Op.MAX else (result, limit)))
        else:
            result = w.elementwise(result, operation, limit)
    return result
