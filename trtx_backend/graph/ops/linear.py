"""linear. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-linear"""

from __future__ import annotations

from trtx_backend.graph.arguments import double
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats
from trtx_backend.graph.operator import Output, operator, output


@operator(input=floats())
def linear(input: MLOperand, *, alpha: float = 1.0, beta: float = 0.0, label: str = "") -> Output:
    """alpha * input + beta; float32 or float16, any shape."""
    alpha = double("alpha", alpha, input.dtype)
    beta = double("beta", beta, input.dtype)
    return output(input.dtype, input.shape, alpha=alpha, beta=beta)
