"""scatterND. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatternd"""

from __future__ import annotations

from trtx_backend.dtypes import ALL
from trtx_backend.errors import check
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import like, tensor
from trtx_backend.graph.operator import Output, operator, output
from trtx_backend.graph.ops.gather import INDICES
from trtx_backend.graph.ops.gather_nd import gathered


@operator(input=tensor(*ALL, min_rank=1), indices=tensor(*INDICES, min_rank=1), updates=like("input"))
def scatter_nd(input: MLOperand, indices: MLOperand, updates: MLOperand, *, label: str = "") -> Output:
    """The input with slices replaced by `updates`, each at the coordinates that the last dimension of `indices` holds.
    Negative indices count from the end; what is out of range is clamped. Any data type."""
    expected = gathered(input, indices)
    check(updates.shape == expected, "updates", str(updates), f"the shape must be {list(expected)}")
    return output(input.dtype, input.shape)
