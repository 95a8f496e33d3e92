"""Element-wise logical operations: uint8, 1 for true and 0 for false.

Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical
"""

from __future__ import annotations

from trtx_backend.dtypes import FLOATS
from trtx_backend.graph.broadcast import broadcast
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import like, tensor
from trtx_backend.graph.operator import Output, family, operator, output

TRUTH = tensor("uint8")


@family(
    "equal",
    "not_equal",
    "greater",
    "greater_or_equal",
    "lesser",
    "lesser_or_equal",
    a=tensor(),
    b=like("a"),
    output=TRUTH,
)
def COMPARE(a: MLOperand, b: MLOperand, *, label: str = "") -> Output:
    """Both operands have one data type, any; shapes broadcast. Every comparison with a NaN is false but `not_equal`."""
    return output("uint8", broadcast(a.shape, b.shape))


@family("logical_and", "logical_or", "logical_xor", a=tensor("uint8"), b=tensor("uint8"), output=TRUTH)
def LOGICAL(a: MLOperand, b: MLOperand, *, label: str = "") -> Output:
    """uint8 operands, where any value but 0 is true; shapes broadcast."""
    return output("uint8", broadcast(a.shape, b.shape))


@operator(a=tensor("uint8"))
def logical_not(a: MLOperand, *, label: str = "") -> Output:
    """1 where the uint8 operand is 0, and 0 elsewhere."""
    return output("uint8", a.shape)


@family("is_nan", "is_infinite", a=tensor(*FLOATS), output=TRUTH)
def CLASSIFY(a: MLOperand, *, label: str = "") -> Output:
    """1 where the float operand is NaN, or an infinity of either sign, and 0 elsewhere."""
    return output("uint8", a.shape)
