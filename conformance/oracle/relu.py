"""relu: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-relu-method"""

from __future__ import annotations

import numpy as np

from conformance.oracle import Array, oracle


@oracle
def relu(input: Array) -> Array:
    return np.where(input > 0, input, np.zeros((), input.dtype))
