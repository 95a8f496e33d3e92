"""gatherElements. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gatherelements"""

from __future__ import annotations

from trtx_backend.dtypes import ALL
from trtx_backend.errors import check
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output
from trtx_backend.graph.ops.gather import INDICES


@operator(input=tensor(*ALL, min_rank=1), indices=tensor(*INDICES, min_rank=1))
def gather_elements(input: MLOperand, indices: MLOperand, *, axis: int = 0, label: str = "") -> Output:
    """For each index the element of the input at its place, but for `axis`, where the index says. The shapes are alike but
    for the axis. Negative indices count from the end; what is out of range is clamped. Any data type."""
    axis = arguments.axis("axis", axis, input.rank)
    check_elements(input, indices, axis)
    return output(input.dtype, indices.shape, axis=axis)


def check_elements(input: MLOperand, indices: MLOperand, axis: int) -> None:
    """The indices have the input's shape, but for the axis."""
    expected = [*input.shape[:axis], "any", *input.shape[axis + 1 :]]
    alike = indices.rank == input.rank and all(
        i == axis or a == b for i, (a, b) in enumerate(zip(indices.shape, input.shape, strict=True))
    )
    check(alike, "indices", str(indices), f"the shape must be {expected}, the input's but for axis {axis}")
