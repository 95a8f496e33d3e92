"""resample2d. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-resample2d-method"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trtx_backend.errors import check
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output

MODES = ("nearest-neighbor", "linear")


@operator(input=tensor("float32", "float16", "uint8", "int8", rank=4))
def resample2d(
    input: MLOperand,
    *,
    mode: str = "nearest-neighbor",
    scales: Sequence[float] = (1.0, 1.0),
    sizes: Sequence[int] | None = None,
    axes: Sequence[int] = (2, 3),
    label: str = "",
) -> Output:
    """The input resampled along two axes to `sizes`, or to its sizes times `scales` (rounded down). float32, float16,
    uint8 or int8."""
    arguments.choice("mode", mode, MODES)
    axes = arguments.axes("axes", axes, input.rank)
    check(len(axes) == 2, "axes", axes, "must have 2 items")
    if sizes is None:
        factors = [arguments.double(f"scales[{i}]", scale) for i, scale in enumerate(scales)]
        check(len(factors) == 2, "scales", factors, "must have 2 items")
        check(min(factors) > 0, "scales", factors, "must be greater than 0")
        made = tuple(math.floor(input.shape[axis] * scale) for axis, scale in zip(axes, factors, strict=True))
        check(min(made) > 0, "scales", factors, f"leaves the output the sizes {list(made)}")
    else:
        made = arguments.unsigned_list("sizes", sizes, length=2, least=1)
        factors = [size / input.shape[axis] for size, axis in zip(made, axes, strict=True)]
    shape = list(input.shape)
    for axis, size in zip(axes, made, strict=True):
        shape[axis] = size
    return output(input.dtype, tuple(shape), axes=axes, sizes=made, scales=tuple(factors))
