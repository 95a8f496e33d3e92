"""gemm. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gemm"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


@lowers("gemm", values=True)
def gemm(
    w: Writer,
    a: Value,
    b: Value,
    c: Value | None,
    *,
    alpha: float,
    beta: float,
    a_transpose: bool,
    b_transpose: bool,
) -> ITensor:
    added = c if beta != 0 else None
    # with a factor in float32: a float16 product beyond 65504 may be in range again once it is scaled
    kind = a.carrier if alpha == 1 and (added is None or beta == 1) else trt.float32
    result = w.matmul(a.form(w, kind), b.form(w, kind), transpose_a=a_transpose, transpose_b=b_transpose)
    if alpha != 1:
        result = w.elementwise(result, Op.PROD, alpha)
    if added is not None:
        term = added.form(w, kind, rank=2)
        result = w.elementwise(result, Op.SUM, term if beta == 1 else w.elementwise(term, Op.PROD, beta))
    return w.cast(result, a.carrier)
