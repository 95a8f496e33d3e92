"""sigmoid. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-sigmoid-method"""

from __future__ import annotations

from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats
from trtx_backend.graph.operator import Output, operator, output


@operator(input=floats())
def sigmoid(input: MLOperand, *, label: str = "") -> Output:
    """1 / (1 + exp(-input)); float32 or float16, any shape."""
    return output(input.dtype, input.shape)
