"""hardSwish. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-hard-swish"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


@lowers("hardSwish", elementwise=True)
def hard_swish(w: Writer, input: ITensor) -> ITensor:
    # not HARD_SIGMOID: input / 6 + 0.5 cancels near -3, where input + 3 is exact. Divided first: 6 * input may overflow
    gate = w.activation(w.elementwise(input, Op.SUM, 3), trt.ActivationType.CLIP, alpha=0.0, beta=6.0)
    return w.elementwise(input, Op.PROD, w.elementwise(gate, Op.DIV, 6))
