"""matmul. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-matmul"""

from __future__ import annotations

from trtx_backend.errors import check
from trtx_backend.graph.broadcast import broadcast
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats, like
from trtx_backend.graph.operator import Output, operator, output


@operator(a=floats(min_rank=2), b=like("a", min_rank=2))
def matmul(a: MLOperand, b: MLOperand, *, label: str = "") -> Output:
    """Product of matrices [..., M, K] and [..., K, N]; the leading dimensions broadcast. float32 or float16."""
    rule = f"its rows must be as many as the columns of a {a}, {a.shape[-1]}"
    check(a.shape[-1] == b.shape[-2], "b", str(b), rule)
    return output(a.dtype, (*broadcast(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]))
