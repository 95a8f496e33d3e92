"""prelu. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-prelu"""

from __future__ import annotations

from trtx_backend.dtypes import FLOATS
from trtx_backend.lowering.common.casts import WIDE, is_negative, wrap
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


@lowers("prelu", forms=WIDE, elementwise=True)
def prelu(w: Writer, input: ITensor, slope: ITensor) -> ITensor:
    dtype = w.op.dtype("input")
    stretches = any(s > i for s, i in zip(slope.shape, input.shape, strict=True))
    if dtype in FLOATS and not stretches:  # the layer's slope broadcasts, its input does not
        return w.add("parametric_relu", input, slope)
    return w.select(is_negative(w, input), wrap(w, w.elementwise(input, Op.PROD, slope), dtype), input)
