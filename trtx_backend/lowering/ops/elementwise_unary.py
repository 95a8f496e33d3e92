"""Element-wise unary operations. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary"""

from __future__ import annotations

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
    "sign": Unary.SIGN,
    "sin": Unary.SIN,
    "sqrt": Unary.SQRT,
    "tan": Unary.TAN,
}


@lowers(*UNARY, forms=WIDE, elementwise=True)
def unary(w: Writer, input: ITensor) -> ITensor:
    result = w.unary(input, UNARY[w.op.name])
    return result if w.op.name == "sign" else wrap(w, result, w.op.dtype("input"))


@lowers("identity", values=True)
def identity(w: Writer, input: Value) -> Value:
    return input
