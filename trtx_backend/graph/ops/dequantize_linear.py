"""dequantizeLinear. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-dequantizelinear"""

from __future__ import annotations

from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats, like, tensor
from trtx_backend.graph.operator import Output, operator, output
from trtx_backend.graph.ops.quantize_linear import QUANTIZED, check_blocks


@operator(input=tensor(*QUANTIZED), scale=floats(), zero_point=like("input"), output=floats())
def dequantize_linear(input: MLOperand, scale: MLOperand, zero_point: MLOperand, *, label: str = "") -> Output:
    """(input - zero_point) * scale, of the scale's data type. Scale and zero point have one shape, whose dimensions divide
    the input's: each value serves a block."""
    check_blocks(input, scale, zero_point)
    return output(scale.dtype, input.shape)
