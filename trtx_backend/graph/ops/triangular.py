"""triangular. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-triangular"""

from __future__ import annotations

import numbers

from trtx_backend.errors import check
from trtx_backend.graph.arguments import boolean
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(input=tensor(min_rank=2))
def triangular(input: MLOperand, *, upper: bool = True, diagonal: int = 0, label: str = "") -> Output:
    """The upper or lower triangle of the last two dimensions, the rest 0. `diagonal` moves its edge to the right, or to
    the left if negative. Any data type."""
    boolean("upper", upper)
    whole = isinstance(diagonal, numbers.Integral) and not isinstance(diagonal, bool)
    check(whole and -(2**31) <= diagonal < 2**31, "diagonal", diagonal, "must be an integer of 32 bits")
    return output(input.dtype, input.shape)
