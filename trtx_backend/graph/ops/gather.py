"""gather. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gather"""

from __future__ import annotations

from trtx_backend.dtypes import ALL
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output

INDICES = ("int32", "uint32", "int64")


@operator(input=tensor(*ALL, min_rank=1), indices=tensor(*INDICES))
def gather(input: MLOperand, indices: MLOperand, *, axis: int = 0, label: str = "") -> Output:
    """Slices of the input along `axis`, chosen by indices of any shape, which takes the axis' place. Negative indices
    count from the end; what is out of range is clamped. Any data type."""
    axis = arguments.axis("axis", axis, input.rank)
    return output(input.dtype, (*input.shape[:axis], *indices.shape, *input.shape[axis + 1 :]), axis=axis)
