"""layerNormalization. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-layernorm"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.errors import check
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats, like
from trtx_backend.graph.operator import Output, operator, output


@operator(input=floats(), scale=like("input", optional=True), bias=like("input", optional=True))
def layer_normalization(
    input: MLOperand,
    *,
    scale: MLOperand | None = None,
    bias: MLOperand | None = None,
    axes: Sequence[int] | None = None,
    epsilon: float = 1e-5,
    label: str = "",
) -> Output:
    """The input less its mean over `axes` (all but the first, if None), divided by sqrt(variance + epsilon), times
    scale plus bias, whose dimensions are the axes in their order. float32 or float16."""
    axes = tuple(range(1, input.rank)) if axes is None else arguments.axes("axes", axes, input.rank)
    shape = tuple(input.shape[axis] for axis in axes)
    for name, operand in (("scale", scale), ("bias", bias)):
        rule = f"the shape must be {list(shape)}, the input's sizes at the axes {list(axes)}"
        check(operand is None or operand.shape == shape, name, str(operand), rule)
    epsilon = arguments.double("epsilon", epsilon, input.dtype)
    return output(input.dtype, input.shape, axes=axes, epsilon=epsilon)
