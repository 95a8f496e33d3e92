"""Pooling operations. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pool2d"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.errors import check
from trtx_backend.graph.arguments import choice, unsigned_list
from trtx_backend.graph.ir import MLOperand, Shape
from trtx_backend.graph.limits import floats, tensor
from trtx_backend.graph.operator import Output, family, output


def _pool(
    input: MLOperand,
    *,
    window_dimensions: Sequence[int] | None = None,
    padding: Sequence[int] = (0, 0, 0, 0),
    strides: Sequence[int] = (1, 1),
    dilations: Sequence[int] = (1, 1),
    layout: str = "nchw",
    output_shape_rounding: str = "floor",
    output_sizes: Sequence[int] | None = None,
    label: str = "",
) -> Output:
    """Pool windows of a 4-D input: their average, their root of the sum of squares, or their greatest element. The window
    is the whole height and width where none is given. float32 or float16; max any data type.

    `output_sizes` chooses one of the two roundings. (By the specification it would also make the padding 0; by WPT's
    cases it does not, and the cases decide.)
    """
    dims = choice("layout", layout, ("nchw", "nhwc"))
    spatial = tuple(input.shape[dims.index(dim)] for dim in "hw")
    window = unsigned_list("window_dimensions", window_dimensions or spatial, length=2, least=1)
    padding = unsigned_list("padding", padding, length=4)
    strides = unsigned_list("strides", strides, length=2, least=1)
    dilations = unsigned_list("dilations", dilations, length=2, least=1)
    rounding = choice("output_shape_rounding", output_shape_rounding, ("floor", "ceil"))
    floor, ceil = (_sizes(spatial, window, padding, strides, dilations, up) for up in (False, True))
    if output_sizes is not None:
        sizes = unsigned_list("output_sizes", output_sizes, length=2, least=1)
        check(sizes in (floor, ceil), "output_sizes", sizes, f"must be {list(floor)} or {list(ceil)}")
    else:
        sizes = floor if rounding == "floor" else ceil
    size = dict(zip(dims, input.shape, strict=True)) | {"h": sizes[0], "w": sizes[1]}
    return output(input.dtype, tuple(size[dim] for dim in dims), window_dimensions=window, output_sizes=sizes)


def _sizes(size: Shape, window: Shape, padding: Shape, strides: Shape, dilations: Shape, up: bool) -> Shape:
    sizes = []
    for axis, name in enumerate(("height", "width")):
        padded = size[axis] + padding[2 * axis] + padding[2 * axis + 1]
        effective = (window[axis] - 1) * dilations[axis] + 1
        rule = f"its effective {name} {effective} exceeds the padded input's {padded}"
        check(effective <= padded, "window_dimensions", window, rule)
        sizes.append((padded - effective + (strides[axis] - 1 if up else 0)) // strides[axis] + 1)
    return tuple(sizes)


POOL = {
    **family("average_pool2d", "l2_pool2d", input=floats(rank=4))(_pool),
    **family("max_pool2d", input=tensor(rank=4))(_pool),
}
