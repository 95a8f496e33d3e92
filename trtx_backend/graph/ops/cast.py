"""cast. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cast"""

from __future__ import annotations

from trtx_backend.dtypes import ALL
from trtx_backend.graph.arguments import choice
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(input=tensor(*ALL))
def cast(input: MLOperand, dtype: str, *, label: str = "") -> Output:
    """The input as another data type. Floats become integers by truncation, integers their lowest bits."""
    return output(choice("dtype", dtype, ALL), input.shape)
