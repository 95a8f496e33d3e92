"""clamp: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-clamp"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.oracle import Array, is_float, oracle


@oracle
def clamp(input: Array, *, min_value: Any = None, max_value: Any = None) -> Array:
    """A NaN bound does nothing, as WPT has it; a fraction is cut off for an integer type, likewise."""
    result = input
    for bound, choose in ((min_value, np.maximum), (max_value, np.minimum)):
        if bound is not None and not math.isnan(bound):
            result = choose(result, _bound(bound, input))
    return result


def _bound(bound: Any, input: Array) -> Any:
    if is_float(input):
        return np.float64(bound)
    info = np.iinfo(input.dtype)
    limited = info.max if bound >= info.max else info.min if bound <= info.min else int(bound)
    return np.array(limited, input.dtype)
