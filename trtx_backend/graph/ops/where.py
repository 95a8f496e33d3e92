"""where. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-where"""

from __future__ import annotations

from trtx_backend.graph.broadcast import broadcast
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import like, tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(condition=tensor("uint8"), true_value=tensor(), false_value=like("true_value"), output=tensor())
def where(condition: MLOperand, true_value: MLOperand, false_value: MLOperand, *, label: str = "") -> Output:
    """`true_value` where the uint8 condition is not 0, `false_value` elsewhere; these two of one data type, any. All
    three shapes broadcast."""
    values = broadcast(true_value.shape, false_value.shape, "false_value")
    return output(true_value.dtype, broadcast(condition.shape, values, "condition"))
