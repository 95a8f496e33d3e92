"""linear. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-linear"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


@lowers("linear", elementwise=True)
def linear(w: Writer, input: ITensor, *, alpha: float, beta: float) -> ITensor:
    scaled = input if alpha == 1 else w.elementwise(input, Op.PROD, alpha)
    return scaled if beta == 0 else w.elementwise(scaled, Op.SUM, beta)
