"""slice. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-slice"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.dtypes import ALL
from trtx_backend.errors import check
from trtx_backend.graph.arguments import unsigned_list
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(input=tensor(*ALL))
def slice(
    input: MLOperand,
    starts: Sequence[int],
    sizes: Sequence[int],
    *,
    strides: Sequence[int] | None = None,
    label: str = "",
) -> Output:
    """Window of the input that begins at `starts` and spans `sizes` elements, of which every `strides`-th is taken; one
    value a dimension each. Any data type. The output has ceil(size / stride) elements a dimension."""
    starts = unsigned_list("starts", starts, length=input.rank)
    sizes = unsigned_list("sizes", sizes, length=input.rank, least=1)
    strides = unsigned_list("strides", (1,) * input.rank if strides is None else strides, length=input.rank, least=1)
    for axis, (start, size, limit) in enumerate(zip(starts, sizes, input.shape, strict=True)):
        rule = f"with starts[{axis}] {start} it reaches beyond the input's {limit} elements"
        check(start + size <= limit, f"sizes[{axis}]", size, rule)
    shape = tuple(-(-size // stride) for size, stride in zip(sizes, strides, strict=True))
    return output(input.dtype, shape, strides=strides)
