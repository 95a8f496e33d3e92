"""concat. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-concat"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.dtypes import ALL
from trtx_backend.errors import check
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import MAX_TENSOR_COUNT, tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(inputs=tensor(*ALL, min_rank=1))
def concat(inputs: Sequence[MLOperand], axis: int, *, label: str = "") -> Output:
    """The inputs one after the other along `axis`; of one data type, and of one shape but for that axis."""
    check(isinstance(inputs, tuple), "inputs", inputs, "must be a list of operands")
    check(0 < len(inputs) <= MAX_TENSOR_COUNT, "inputs", len(inputs), f"their number must be 1 to {MAX_TENSOR_COUNT}")
    first = inputs[0]
    axis = arguments.axis("axis", axis, first.rank)
    shape = list(first.shape)
    for index, other in enumerate(inputs[1:], start=1):
        name = f"inputs[{index}]"
        check(other.dtype == first.dtype, name, str(other), f"the data type must be that of inputs[0], {first}")
        same = other.rank == first.rank and all(
            i == axis or a == b for i, (a, b) in enumerate(zip(other.shape, first.shape, strict=True))
        )
        check(same, name, str(other), f"the shape must be that of inputs[0], {first}, but for axis {axis}")
        shape[axis] += other.shape[axis]
    return output(first.dtype, tuple(shape))
