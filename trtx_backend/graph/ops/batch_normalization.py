"""batchNormalization. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-batchnorm"""

from __future__ import annotations

from trtx_backend.errors import check
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats, like
from trtx_backend.graph.operator import Output, operator, output


@operator(
    input=floats(min_rank=1),
    mean=like("input", rank=1),
    variance=like("input", rank=1),
    scale=like("input", rank=1, optional=True),
    bias=like("input", rank=1, optional=True),
)
def batch_normalization(
    input: MLOperand,
    mean: MLOperand,
    variance: MLOperand,
    *,
    scale: MLOperand | None = None,
    bias: MLOperand | None = None,
    axis: int = 1,
    epsilon: float = 1e-5,
    label: str = "",
) -> Output:
    """(input - mean) / sqrt(variance + epsilon) * scale + bias, with one value of each for every index of `axis`.
    float32 or float16."""
    axis = arguments.axis("axis", axis, input.rank)
    size = input.shape[axis]
    for name, operand in (("mean", mean), ("variance", variance), ("scale", scale), ("bias", bias)):
        rule = f"the shape must be [{size}], the input's size at axis {axis}"
        check(operand is None or operand.shape == (size,), name, str(operand), rule)
    epsilon = arguments.double("epsilon", epsilon, input.dtype)
    return output(input.dtype, input.shape, axis=axis, epsilon=epsilon)
