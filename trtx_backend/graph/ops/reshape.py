"""reshape. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reshape-method"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trtx_backend.dtypes import ALL
from trtx_backend.errors import check
from trtx_backend.graph.arguments import unsigned_list
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import check_shape, tensor
from trtx_backend.graph.operator import Output, operator, output


@operator(input=tensor(*ALL))
def reshape(input: MLOperand, new_shape: Sequence[int], *, label: str = "") -> Output:
    """The same elements in another shape of as many elements; any data type."""
    new_shape = unsigned_list("new_shape", new_shape)
    check_shape("new_shape", new_shape)
    count = input.descriptor.element_count
    rule = f"must hold as many elements as the input {input}, {count}"
    check(math.prod(new_shape) == count, "new_shape", new_shape, rule)
    return output(input.dtype, new_shape)
