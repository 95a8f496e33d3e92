"""quantizeLinear. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-quantizelinear"""

from __future__ import annotations

from trtx_backend.errors import check
from trtx_backend.graph.broadcast import broadcasts_blockwise_to
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats, like, tensor
from trtx_backend.graph.operator import Output, operator, output

QUANTIZED = ("int8", "uint8", "int32", "uint32", "int4", "uint4")


@operator(input=floats(), scale=like("input"), zero_point=tensor(*QUANTIZED), output=tensor(*QUANTIZED))
def quantize_linear(input: MLOperand, scale: MLOperand, zero_point: MLOperand, *, label: str = "") -> Output:
    """roundEven(input / scale) + zero_point, clamped to the range of the zero point's data type, which is the output's.
    Scale and zero point have one shape, whose dimensions divide the input's: each value serves a block."""
    check_blocks(input, scale, zero_point)
    return output(zero_point.dtype, input.shape)


def check_blocks(input: MLOperand, scale: MLOperand, zero_point: MLOperand) -> None:
    rule = f"each dimension must divide that of the input {input}, at the same rank"
    check(broadcasts_blockwise_to(scale.shape, input.shape), "scale", str(scale), rule)
    rule = f"the shape must be that of the scale, {list(scale.shape)}"
    check(zero_point.shape == scale.shape, "zero_point", str(zero_point), rule)
