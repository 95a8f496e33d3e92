"""gemm. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gemm"""

from __future__ import annotations

from trtx_backend.errors import check
from trtx_backend.graph.arguments import boolean, double
from trtx_backend.graph.broadcast import broadcasts_to
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats, like
from trtx_backend.graph.operator import Output, operator, output


@operator(a=floats(rank=2), b=like("a", rank=2), c=like("a", optional=True))
def gemm(
    a: MLOperand,
    b: MLOperand,
    *,
    c: MLOperand | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    a_transpose: bool = False,
    b_transpose: bool = False,
    label: str = "",
) -> Output:
    """alpha * a * b + beta * c for matrices [M, K] and [K, N], either of them transposed if so asked; c broadcasts to
    [M, N]. float32 or float16."""
    rows, inner = a.shape[::-1] if boolean("a_transpose", a_transpose) else a.shape
    other, columns = b.shape[::-1] if boolean("b_transpose", b_transpose) else b.shape
    check(inner == other, "b", str(b), f"its rows must be as many as the columns of a {a}, {inner}")
    rule = f"the shape must broadcast to [{rows}, {columns}]"
    check(c is None or broadcasts_to(c.shape, (rows, columns)), "c", str(c), rule)
    alpha = double("alpha", alpha, a.dtype)
    beta = double("beta", beta, a.dtype)
    return output(a.dtype, (rows, columns), alpha=alpha, beta=beta)
