"""matmul: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-matmul"""

from __future__ import annotations

import numpy as np

from conformance.oracle import Array, oracle


@oracle
def matmul(a: Array, b: Array) -> Array:
    product: Array = np.einsum("...ik,...kj->...ij", a, b)
    return product
