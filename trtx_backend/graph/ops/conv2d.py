"""conv2d. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-conv2d"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.errors import check
from trtx_backend.graph.arguments import choice, unsigned, unsigned_list
from trtx_backend.graph.ir import MLOperand, Shape
from trtx_backend.graph.limits import floats, like
from trtx_backend.graph.operator import Output, operator, output

FILTER_LAYOUTS = ("oihw", "hwio", "ohwi", "ihwo")
INPUT_LAYOUTS = ("nchw", "nhwc")


@operator(input=floats(rank=4), filter=like("input", rank=4), bias=like("input", rank=1, optional=True))
def conv2d(
    input: MLOperand,
    filter: MLOperand,
    *,
    padding: Sequence[int] = (0, 0, 0, 0),
    strides: Sequence[int] = (1, 1),
    dilations: Sequence[int] = (1, 1),
    groups: int = 1,
    input_layout: str = "nchw",
    filter_layout: str = "oihw",
    bias: MLOperand | None = None,
    label: str = "",
) -> Output:
    """2-D convolution of a 4-D input with a 4-D filter; float32 or float16.

    `padding`: beginning and ending height, beginning and ending width, in elements. `groups` divides input and output
    channels; the filter holds input channels / groups. `bias`: 1-D, one value an output channel. The output has the
    input's layout, spatial sizes floor((size + padding - (filter - 1) * dilation - 1) / stride) + 1.
    """
    padding = unsigned_list("padding", padding, length=4)
    strides = unsigned_list("strides", strides, length=2, least=1)
    dilations = unsigned_list("dilations", dilations, length=2, least=1)
    groups = unsigned("groups", groups, least=1)
    size = dict(zip(choice("input_layout", input_layout, INPUT_LAYOUTS), input.shape, strict=True))
    kernel = dict(zip(choice("filter_layout", filter_layout, FILTER_LAYOUTS), filter.shape, strict=True))
    check(size["c"] % groups == 0, "groups", groups, f"must divide the {size['c']} input channels")
    check(
        size["c"] // groups == kernel["i"],
        "filter",
        str(filter),
        f"its {kernel['i']} input channels ({filter_layout}) must be the input's {size['c']} / groups {groups}",
    )
    check(kernel["o"] % groups == 0, "groups", groups, f"must divide the filter's {kernel['o']} output channels")
    check_bias(bias, kernel["o"])
    for i, dim in enumerate("hw"):
        size[dim] = _conv_output_size(dim, size[dim], kernel[dim], padding[2 * i : 2 * i + 2], strides[i], dilations[i])
    size["c"] = kernel["o"]
    return output(input.dtype, tuple(size[dim] for dim in input_layout))


def check_bias(bias: MLOperand | None, output_channels: int) -> None:
    rule = f"the shape must be [{output_channels}], one value an output channel"
    check(bias is None or bias.shape == (output_channels,), "bias", str(bias), rule)


def _conv_output_size(dim: str, size: int, kernel: int, padding: Shape, stride: int, dilation: int) -> int:
    """Spec: calculate conv output size."""
    padded, effective = size + sum(padding), (kernel - 1) * dilation + 1
    name = {"h": "height", "w": "width"}[dim]
    rule = f"its effective {name} {effective} exceeds the padded input's {padded}"
    check(effective <= padded, "filter", kernel, rule)
    return (padded - effective) // stride + 1
