"""Element-wise unary operations. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary"""

from __future__ import annotations

from trtx_backend.dtypes import FLOATS
from trtx_backend.lowering.common.casts import WIDE, wrap
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Unary = trt.UnaryOperation

UNARY = {
    "abs": Unary.ABS,
    "ceil": Unary.CEIL,
    "cos": Unary.COS,
    "erf": Unary.ERF,
    "exp": Unary.EXP,
    "floor": Unary.FLOOR,
    "log": Unary.LOG,
    "neg": Unary.NEG,
    "reciprocal": Unary.RECIP,
    "roundEven": Unary.ROUND,
    "sin": Unary.SIN,
    "sqrt": Unary.SQRT,
    "tan": Unary.TAN,
}


@lowers(*UNARY, forms=WIDE, elementwise=True)
def unary(w: Writer, input: ITensor) -> ITensor:
    return wrap(w, w.unary(input, UNARY[w.op.name]), w.op.dtype("input"))


@lowers("sign", forms=WIDE, elementwise=True)
def sign(w: Writer, input: ITensor) -> ITensor:
    result = w.unary(input, Unary.SIGN)
    if w.op.dtype("input") not in FLOATS:
        return result
    # The specification: 1 if > 0, -1 if < 0, and 0 otherwise, so for NaN as well; TensorRT does not say
    return w.select(w.unary(input, Unary.ISNAN), w.scalar(0, input), result)


@lowers("identity", values=True)
def identity(w: Writer, input: Value) -> Value:
    return input
