"""Element-wise binary operations. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary"""

from __future__ import annotations

from trtx_backend.lowering.common.casts import EXACT, WIDE, less, low_bits, wrap
from trtx_backend.lowering.common.division import divide
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation

ARITHMETIC = {"add": Op.SUM, "sub": Op.SUB, "mul": Op.PROD, "pow": Op.POW}


@lowers(*ARITHMETIC, forms=WIDE, elementwise=True)
def arithmetic(w: Writer, a: ITensor, b: ITensor) -> ITensor:
    return wrap(w, w.elementwise(a, ARITHMETIC[w.op.name], b), w.op.dtype("a"))


@lowers("max", "min", forms=WIDE, elementwise=True)
def extremum(w: Writer, a: ITensor, b: ITensor) -> ITensor:
    dtype = w.op.dtype("a")
    if dtype in ("uint32", "uint64"):
        return w.select(less(w, a, b, dtype), *((b, a) if w.op.name == "max" else (a, b)))
    return w.elementwise(a, Op.MAX if w.op.name == "max" else Op.MIN, b)


@lowers("div", forms=EXACT, elementwise=True)
def div(w: Writer, a: ITensor, b: ITensor) -> ITensor:
    dtype = w.op.dtype("a")
    quotient = divide(w, a, b, dtype)
    return low_bits(w, quotient) if dtype == "uint32" else wrap(w, quotient, dtype)
