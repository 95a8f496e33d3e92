"""tile. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-tile"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.dtypes import ALL
from trtx_backend.graph.arguments import unsigned_list
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(input=tensor(*ALL))
def tile(input: MLOperand, repetitions: Sequence[int], *, label: str = "") -> Output:
    """The input repeated along each dimension as often as `repetitions` says. Any data type."""
    counts = unsigned_list("repetitions", repetitions, length=input.rank, least=1)
    return output(input.dtype, tuple(size * count for size, count in zip(input.shape, counts, strict=True)))
