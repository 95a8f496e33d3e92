"""tanh. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-tanh-method"""

from __future__ import annotations

from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats
from trtx_backend.graph.operator import Output, operator, output


@operator(input=floats())
def tanh(input: MLOperand, *, label: str = "") -> Output:
    """(exp(2 * input) - 1) / (exp(2 * input) + 1); float32 or float16, any shape."""
    return output(input.dtype, input.shape)
