"""scatterElements. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatterelements"""

from __future__ import annotations

from trtx_backend.dtypes import ALL
from trtx_backend.errors import check
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import like, tensor
from trtx_backend.graph.operator import Output, operator, output
from trtx_backend.graph.ops.gather import INDICES
from trtx_backend.graph.ops.gather_elements import check_elements


@operator(input=tensor(*ALL, min_rank=1), indices=tensor(*INDICES, min_rank=1), updates=like("input", min_rank=1))
def scatter_elements(
    input: MLOperand, indices: MLOperand, updates: MLOperand, *, axis: int = 0, label: str = ""
) -> Output:
    """The input with elements replaced by `updates`, each at its own place but for `axis`, where its index says. Negative
    indices count from the end; what is out of range is clamped. Any data type."""
    axis = arguments.axis("axis", axis, input.rank)
    check_elements(input, indices, axis)
    rule = f"the shape must be that of indices, {list(indices.shape)}"
    check(updates.shape == indices.shape, "updates", str(updates), rule)
    return output(input.dtype, input.shape, axis=axis)
