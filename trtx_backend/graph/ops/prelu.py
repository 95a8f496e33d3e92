"""prelu. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-prelu"""

from __future__ import annotations

from trtx_backend.dtypes import SIGNED
from trtx_backend.graph.broadcast import broadcast
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import like, tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(input=tensor(*SIGNED), slope=like("input"))
def prelu(input: MLOperand, slope: MLOperand, *, label: str = "") -> Output:
    """The input where it is positive, slope * input elsewhere; a signed data type, shapes broadcast."""
    return output(input.dtype, broadcast(input.shape, slope.shape, "slope"))
