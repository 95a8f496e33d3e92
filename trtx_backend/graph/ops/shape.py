"""shape: an extension. The specification has no such operator yet."""

from __future__ import annotations

from trtx_backend.dtypes import ALL
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(input=tensor(*ALL, min_rank=1), output=tensor("int64", rank=1))
def shape(input: MLOperand, *, label: str = "") -> Output:
    """The sizes of the input, int64 [rank]. Shapes are static, so this is a constant. A scalar has none: a tensor without
    elements is not valid WebNN. Any data type."""
    return output("int64", (input.rank,))
