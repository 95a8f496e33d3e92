"""transpose. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-transpose"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.dtypes import ALL
from trtx_backend.errors import check
from trtx_backend.graph.arguments import axes
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(input=tensor(*ALL))
def transpose(input: MLOperand, *, permutation: Sequence[int] | None = None, label: str = "") -> Output:
    """The input with its dimensions permuted, reversed when no permutation is given; any data type."""
    if permutation is None:
        permutation = range(input.rank)[::-1]
    permutation = axes("permutation", permutation, input.rank)
    check(len(permutation) == input.rank, "permutation", permutation, f"must have {input.rank} items, the input's rank")
    return output(input.dtype, tuple(input.shape[axis] for axis in permutation), permutation=permutation)
