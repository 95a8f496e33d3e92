"""Element-wise logical operations. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical

All give BOOL, which is a form of uint8: what follows takes it as a condition, or casts it.
"""

from __future__ import annotations

import math

from trtx_backend.dtypes import FLOATS
from trtx_backend.graph.ir import MLOperand
from trtx_backend.lowering.common.casts import TRUTH, WIDE, less
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation

LOGICAL = {"logicalAnd": Op.AND, "logicalOr": Op.OR, "logicalXor": Op.XOR}
CLASSIFY = {"isNaN": trt.UnaryOperation.ISNAN, "isInfinite": trt.UnaryOperation.ISINF}


@lowers("equal", "notEqual", forms=WIDE, elementwise=True)
def equality(w: Writer, a: ITensor, b: ITensor) -> ITensor:
    equal = w.elementwise(a, Op.EQUAL, b)
    return equal if w.op.name == "equal" else w.unary(equal, trt.UnaryOperation.NOT)


@lowers("greater", "lesser", forms=WIDE, elementwise=True)
def order(w: Writer, a: ITensor, b: ITensor) -> ITensor:
    return less(w, *((b, a) if w.op.name == "greater" else (a, b)), w.op.dtype("a"))


@lowers("greaterOrEqual", "lesserOrEqual", forms=WIDE, elementwise=True)
def order_or_equal(w: Writer, a: ITensor, b: ITensor) -> ITensor:
    if w.op.name == "lesserOrEqual":
        a, b = b, a
    if w.op.dtype("a") not in FLOATS:
        return w.unary(less(w, a, b, w.op.dtype("a")), trt.UnaryOperation.NOT)
    # "not less" would be true for NaN
    return w.elementwise(w.elementwise(a, Op.GREATER, b), Op.OR, w.elementwise(a, Op.EQUAL, b))


@lowers(*LOGICAL, forms=TRUTH, elementwise=True)
def logical(w: Writer, a: ITensor, b: ITensor) -> ITensor:
    return w.elementwise(_spelled_out(w, "a", a, b), LOGICAL[w.op.name], _spelled_out(w, "b", b, a))


def _spelled_out(w: Writer, name: str, tensor: ITensor, other: ITensor) -> ITensor:
    """A constant of one element at the other operand's shape: TensorRT cannot compile OR with a true that it broadcasts,
    nor AND with a false."""
    operand = w.op.operands[name]
    constant = isinstance(operand, MLOperand) and operand.value is not None
    return w.expand(tensor, tuple(other.shape)) if constant and math.prod(tensor.shape) == 1 else tensor


@lowers("logicalNot", forms=TRUTH, elementwise=True)
def logical_not(w: Writer, a: ITensor) -> ITensor:
    return w.unary(a, trt.UnaryOperation.NOT)


@lowers(*CLASSIFY, elementwise=True)
def classify(w: Writer, a: ITensor) -> ITensor:
    return w.unary(a, CLASSIFY[w.op.name])
