"""hardSwish. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-hard-swish"""

from __future__ import annotations

from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats
from trtx_backend.graph.operator import Output, operator, output


@operator(input=floats())
def hard_swish(input: MLOperand, *, label: str = "") -> Output:
    """input * max(0, min(6, input + 3)) / 6; float32 or float16, any shape."""
    return output(input.dtype, input.shape)
