"""convTranspose2d. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-convtranspose2d"""

from __future__ import annotations

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.common.axes import permutation
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Transposed, Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


@lowers("convTranspose2d", values=True)
def conv_transpose2d(
    w: Writer,
    input: Value,
    filter: Value,
    bias: Value | None,
    *,
    padding: Shape,
    strides: Shape,
    dilations: Shape,
    output_padding: Shape,
    output_sizes: Shape,
    groups: int,
    input_layout: str,
    filter_layout: str,
) -> Transposed:
    x = input.form(w, view=permutation(input_layout, "nchw"))
    kernel = filter.form(w, view=permutation(filter_layout, "iohw"))
    if dilations != (1, 1) and strides != (1, 1):  # TensorRT has no deconvolution with both
        kernel, dilations = _dilate(w, kernel, dilations), (1, 1)
    before = padding[0], padding[2]
    full = [
        (x.shape[2 + i] - 1) * strides[i] + (kernel.shape[2 + i] - 1) * dilations[i] + 1 - before[i] for i in range(2)
    ]
    after = tuple(max(full[i] - output_sizes[i], 0) for i in range(2))
    reached = tuple(full[i] - after[i] for i in range(2))
    channels = kernel.shape[1] * groups
    none = trt.Weights(kernel.dtype)
    layer = w.layer(
        "deconvolution_nd",
        x,
        channels,
        tuple(kernel.shape[2:]),
        none,
        none,
        stride_nd=strides,
        dilation_nd=dilations,
        pre_padding=before,
        post_padding=after,
        num_groups=groups,
    )
    layer.set_input(1, kernel)
    complete = reached == tuple(output_sizes)
    if bias is not None and complete:
        layer.set_input(2, bias.form(w))
    result = w.output(layer)
    if not complete:  # output padding beyond what any window reaches: nothing but bias
        result = w.pad(result, (0, 0, 0, 0), (x.shape[0], channels, *output_sizes), 0)
        if bias is not None:
            result = w.elementwise(result, Op.SUM, w.reshape(bias.form(w), (1, channels, 1, 1)))
    return Transposed(result, permutation("nchw", input_layout))


def _dilate(w: Writer, kernel: ITensor, dilations: Shape) -> ITensor:
    """The kernel with zeros between its taps."""
    i, o, height, width = kernel.shape
    spread = w.pad(
        w.reshape(kernel, (i, o, height, 1, width, 1)), (0,) * 6, (i, o, height, dilations[0], width, dilations[1]), 0
    )
    flat = w.reshape(spread, (i, o, height * dilations[0], width * dilations[1]))
    size = (i, o, (height - 1) * dilations[0] + 1, (width - 1) * dilations[1] + 1)
    return w.slice(flat, (0,) * 4, size, (1,) * 4)
