"""gemm: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gemm"""

from __future__ import annotations

from conformance.oracle import Array, oracle


@oracle
def gemm(
    a: Array,
    b: Array,
    *,
    c: Array | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    a_transpose: bool = False,
    b_transpose: bool = False,
) -> Array:
    product = alpha * ((a.T if a_transpose else a) @ (b.T if b_transpose else b))
    return product if c is None else product + beta * c
