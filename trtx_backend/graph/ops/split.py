"""split. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-split"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.dtypes import ALL
from trtx_backend.errors import check
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import MAX_TENSOR_COUNT, tensor
from trtx_backend.graph.operator import Output, operator_with_outputs, outputs


@operator_with_outputs(input=tensor(*ALL, min_rank=1), outputs=tensor(*ALL, min_rank=1))
def split(input: MLOperand, splits: int | Sequence[int], *, axis: int = 0, label: str = "") -> Output:
    """The input cut along `axis` into as many equal parts as `splits` says, or into parts of these sizes. Any data
    type."""
    axis = arguments.axis("axis", axis, input.rank)
    size = input.shape[axis]
    if isinstance(splits, Sequence):
        sizes: Sequence[int] = arguments.unsigned_list("splits", splits, least=1)
        _check_number(len(sizes))
        check(sum(sizes) == size, "splits", sizes, f"their sum must be the input's size, {size}")
    else:
        count = arguments.unsigned("splits", splits, least=1)
        _check_number(count)  # before there is a list of so many
        check(size % count == 0, "splits", count, f"must divide the input's size, {size}")
        sizes = (size // count,) * count
    shapes = [(*input.shape[:axis], part, *input.shape[axis + 1 :]) for part in sizes]
    return outputs([(input.dtype, shape) for shape in shapes], axis=axis, splits=sizes)


def _check_number(count: int) -> None:
    check(0 < count <= MAX_TENSOR_COUNT, "splits", count, f"their number must be 1 to {MAX_TENSOR_COUNT}")
