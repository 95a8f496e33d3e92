"""clamp. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-clamp"""

from __future__ import annotations

from trtx_backend.errors import check
from trtx_backend.graph.arguments import number
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(input=tensor())
def clamp(
    input: MLOperand, *, min_value: float | None = None, max_value: float | None = None, label: str = ""
) -> Output:
    """The input within [min_value, max_value]; any data type and shape. A bound that is not given does not bind, and
    neither does NaN. Bounds are cast to the input's data type first."""
    low, high = (
        None if value is None or value != value else number(name, value, input.dtype)
        for name, value in (("min_value", min_value), ("max_value", max_value))
    )
    check(low is None or high is None or low <= high, "min_value", low, f"must not exceed max_value, {high}")
    return output(input.dtype, input.shape, min_value=low, max_value=high)
