"""expand. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-expand"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.dtypes import ALL
from trtx_backend.errors import check
from trtx_backend.graph.arguments import unsigned_list
from trtx_backend.graph.broadcast import broadcasts_to
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import check_shape, tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(input=tensor(*ALL))
def expand(input: MLOperand, new_shape: Sequence[int], *, label: str = "") -> Output:
    """The input broadcast to a larger shape: sizes of 1 are repeated, new dimensions come first; any data type."""
    new_shape = unsigned_list("new_shape", new_shape)
    check_shape("new_shape", new_shape)
    check(broadcasts_to(input.shape, new_shape), "new_shape", new_shape, f"the input {input} must broadcast to it")
    return output(input.dtype, new_shape)
