"""linear. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-linear"""

from __future__ import annotations

from trtx_backend.lowering.common.casts import in_float32
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


@lowers("linear", elementwise=True)
def linear(w: Writer, input: ITensor, *, alpha: float, beta: float) -> ITensor:
    def compute(x: ITensor) -> ITensor:
        scaled = x if alpha == 1 else w.elementwise(x, Op.PROD, alpha)
        return scaled if beta == 0 else w.elementwise(scaled, Op.SUM, beta)

    # both in float32: a float16 product may overflow, or lose digits that the sum leaves
    return compute(input) if alpha == 1 or beta == 0 else in_float32(w, input, compute)
