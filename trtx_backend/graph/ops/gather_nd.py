"""gatherND. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gathernd"""

from __future__ import annotations

from trtx_backend.dtypes import ALL
from trtx_backend.errors import check
from trtx_backend.graph.ir import MLOperand, Shape
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output
from trtx_backend.graph.ops.gather import INDICES


@operator(input=tensor(*ALL, min_rank=1), indices=tensor(*INDICES, min_rank=1))
def gather_nd(input: MLOperand, indices: MLOperand, *, label: str = "") -> Output:
    """Slices of the input, each at the coordinates of its leading dimensions that the last dimension of `indices` holds.
    Negative indices count from the end; what is out of range is clamped. Any data type."""
    return output(input.dtype, gathered(input, indices))


def gathered(input: MLOperand, indices: MLOperand) -> Shape:
    """The shape of the slices at all coordinates."""
    coordinates = indices.shape[-1]
    rule = f"its last dimension, {coordinates}, must not exceed the input's rank, {input.rank}"
    check(coordinates <= input.rank, "indices", str(indices), rule)
    return (*indices.shape[:-1], *input.shape[coordinates:])
