"""convTranspose2d. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-convtranspose2d"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.errors import check
from trtx_backend.graph.arguments import choice, unsigned, unsigned_list
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats, like
from trtx_backend.graph.operator import Output, operator, output
from trtx_backend.graph.ops.conv2d import INPUT_LAYOUTS, check_bias

FILTER_LAYOUTS = ("iohw", "hwoi", "ohwi")


@operator(input=floats(rank=4), filter=like("input", rank=4), bias=like("input", rank=1, optional=True))
def conv_transpose2d(
    input: MLOperand,
    filter: MLOperand,
    *,
    padding: Sequence[int] = (0, 0, 0, 0),
    strides: Sequence[int] = (1, 1),
    dilations: Sequence[int] = (1, 1),
    output_padding: Sequence[int] = (0, 0),
    output_sizes: Sequence[int] | None = None,
    groups: int = 1,
    input_layout: str = "nchw",
    filter_layout: str = "iohw",
    bias: MLOperand | None = None,
    label: str = "",
) -> Output:
    """Transposed 2-D convolution of a 4-D input with a 4-D filter; float32 or float16.

    The output's spatial sizes are (size - 1) * stride + (filter - 1) * dilation + 1 - padding + output_padding, or
    `output_sizes`, which may exceed those without output padding by less than a stride. The filter holds output channels
    / groups.
    """
    padding = unsigned_list("padding", padding, length=4)
    strides = unsigned_list("strides", strides, length=2, least=1)
    dilations = unsigned_list("dilations", dilations, length=2, least=1)
    extra = unsigned_list("output_padding", output_padding, length=2)
    groups = unsigned("groups", groups, least=1)
    size = dict(zip(choice("input_layout", input_layout, INPUT_LAYOUTS), input.shape, strict=True))
    kernel = dict(zip(choice("filter_layout", filter_layout, FILTER_LAYOUTS), filter.shape, strict=True))
    rule = f"its {kernel['i']} input channels ({filter_layout}) must be the input's, {size['c']}"
    check(size["c"] == kernel["i"], "filter", str(filter), rule)
    check(size["c"] % groups == 0, "groups", groups, f"must divide the {size['c']} input channels")
    channels = kernel["o"] * groups
    check_bias(bias, channels)
    least = [
        (size[dim] - 1) * strides[i] + (kernel[dim] - 1) * dilations[i] + 1 - sum(padding[2 * i : 2 * i + 2])
        for i, dim in enumerate("hw")
    ]
    if output_sizes is None:
        for i in range(2):
            check(
                extra[i] < strides[i], f"output_padding[{i}]", extra[i], f"must be less than the stride, {strides[i]}"
            )
        sizes = tuple(a + b for a, b in zip(least, extra, strict=True))
    else:
        sizes = unsigned_list("output_sizes", output_sizes, length=2, least=1)
        for i in range(2):
            rule = f"must be from {least[i]} to {least[i] + strides[i] - 1}"
            check(least[i] <= sizes[i] < least[i] + strides[i], f"output_sizes[{i}]", sizes[i], rule)
    check(min(sizes) > 0, "padding", padding, f"leaves the output the sizes {list(sizes)}")
    shape = size | {"c": channels, "h": sizes[0], "w": sizes[1]}
    return output(input.dtype, tuple(shape[dim] for dim in input_layout), output_sizes=sizes)
