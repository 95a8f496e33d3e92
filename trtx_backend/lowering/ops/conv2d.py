"""conv2d. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-conv2d"""

from __future__ import annotations

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.common.axes import permutation
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Transposed, Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import trt


@lowers("conv2d", values=True)
def conv2d(
    w: Writer,
    input: Value,
    filter: Value,
    bias: Value | None,
    *,
    padding: Shape,
    strides: Shape,
    dilations: Shape,
    groups: int,
    input_layout: str,
    filter_layout: str,
) -> Transposed:
    top, bottom, left, right = padding
    x = input.form(w, view=permutation(input_layout, "nchw"))
    kernel = filter.form(w, view=permutation(filter_layout, "oihw"))
    output_channels, _, *window = kernel.shape
    none = trt.Weights(kernel.dtype)
    layer = w.layer(
        "convolution_nd",
        x,
        output_channels,
        tuple(window),
        none,
        none,
        stride_nd=strides,
        dilation_nd=dilations,
        pre_padding=(top, left),
        post_padding=(bottom, right),
        num_groups=groups,
    )
    layer.set_input(1, kernel)
    if bias is not None:
        layer.set_input(2, bias.form(w))
    return Transposed(w.output(layer), permutation("nchw", input_layout))
