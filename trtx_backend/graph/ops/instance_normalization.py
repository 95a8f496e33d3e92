"""instanceNormalization. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-instancenorm"""

from __future__ import annotations

from trtx_backend.errors import check
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats, like
from trtx_backend.graph.operator import Output, operator, output


@operator(input=floats(rank=4), scale=like("input", rank=1, optional=True), bias=like("input", rank=1, optional=True))
def instance_normalization(
    input: MLOperand,
    *,
    scale: MLOperand | None = None,
    bias: MLOperand | None = None,
    epsilon: float = 1e-5,
    layout: str = "nchw",
    label: str = "",
) -> Output:
    """Each channel of each image less its mean, divided by sqrt(variance + epsilon), times scale plus bias, of which
    there is one a channel. float32 or float16."""
    channels = input.shape[arguments.choice("layout", layout, ("nchw", "nhwc")).index("c")]
    for name, operand in (("scale", scale), ("bias", bias)):
        rule = f"the shape must be [{channels}], one value a channel"
        check(operand is None or operand.shape == (channels,), name, str(operand), rule)
    epsilon = arguments.double("epsilon", epsilon, input.dtype)
    return output(input.dtype, input.shape, epsilon=epsilon)
