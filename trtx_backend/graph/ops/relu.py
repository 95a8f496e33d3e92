"""relu. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-relu-method"""

from __future__ import annotations

from trtx_backend.dtypes import SIGNED
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(input=tensor(*SIGNED))
def relu(input: MLOperand, *, label: str = "") -> Output:
    """max(0, input); a signed data type, any shape."""
    return output(input.dtype, input.shape)
