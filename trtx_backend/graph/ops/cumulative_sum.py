"""cumulativeSum. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cumulativesum"""

from __future__ import annotations

from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output
from trtx_backend.graph.ops.reduction import WIDE


@operator(input=tensor(*WIDE, min_rank=1))
def cumulative_sum(
    input: MLOperand, axis: int, *, exclusive: bool = False, reversed: bool = False, label: str = ""
) -> Output:
    """Running sum along `axis`, from the end if `reversed`, without the element itself if `exclusive`. float32, float16,
    and the 32- and 64-bit integers, which wrap."""
    return output(
        input.dtype,
        input.shape,
        axis=arguments.axis("axis", axis, input.rank),
        exclusive=arguments.boolean("exclusive", exclusive),
        reversed=arguments.boolean("reversed", reversed),
    )
