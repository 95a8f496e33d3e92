"""softmax. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softmax-method"""

from __future__ import annotations

from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats
from trtx_backend.graph.operator import Output, operator, output


@operator(input=floats(min_rank=1))
def softmax(input: MLOperand, axis: int, *, label: str = "") -> Output:
    """exp(input) divided by its sum along `axis`; float32 or float16."""
    return output(input.dtype, input.shape, axis=arguments.axis("axis", axis, input.rank))
