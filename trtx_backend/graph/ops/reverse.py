"""reverse. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reverse-method"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.dtypes import ALL
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(input=tensor(*ALL))
def reverse(input: MLOperand, *, axes: Sequence[int] | None = None, label: str = "") -> Output:
    """The input with its elements in reverse order along `axes` (all, if None; none, if empty). Any data type."""
    return output(input.dtype, input.shape, axes=arguments.axes("axes", axes, input.rank))
