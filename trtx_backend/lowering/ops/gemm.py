"""gemm. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gemm"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


@lowers("gemm", broadcast=True)
def gemm(
    w: Writer,
    a: ITensor,
    b: ITensor,
    c: ITensor | None,
    *,
    alpha: float,
    beta: float,
    a_transpose: bool,
    b_transpose: bool,
) -> ITensor:
    result = w.matmul(a, b, transpose_a=a_transpose, transpose_b=b_transpose)
    if alpha != 1:
        result = w.elementwise(result, Op.PROD, alpha)
    if c is None or beta == 0:
        return result
    return w.elementwise(result, Op.SUM, c if beta == 1 else w.elementwise(c, Op.PROD, beta))
