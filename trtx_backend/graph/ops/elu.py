"""elu. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-elu"""

from __future__ import annotations

from trtx_backend.graph.arguments import double
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats
from trtx_backend.graph.operator import Output, operator, output


@operator(input=floats())
def elu(input: MLOperand, *, alpha: float = 1.0, label: str = "") -> Output:
    """input where it is positive, alpha * (exp(input) - 1) elsewhere; float32 or float16, any shape."""
    alpha = double("alpha", alpha, input.dtype)
    return output(input.dtype, input.shape, alpha=alpha)
