"""gelu. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gelu-method"""

from __future__ import annotations

from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats
from trtx_backend.graph.operator import Output, operator, output


@operator(input=floats())
def gelu(input: MLOperand, *, label: str = "") -> Output:
    """0.5 * input * (1 + erf(input / sqrt(2))); float32 or float16, any shape."""
    return output(input.dtype, input.shape)
