"""Element-wise unary operations. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary"""

from __future__ import annotations

from trtx_backend.dtypes import ALL, SIGNED
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats, tensor
from trtx_backend.graph.operator import Output, family, operator, output


@family(
    "ceil", "cos", "erf", "exp", "floor", "log", "reciprocal", "round_even", "sin", "sqrt", "tan", input=floats()
)  # fmt: skip
def FLOAT_UNARY(input: MLOperand, *, label: str = "") -> Output:
    """float32 or float16, any shape."""
    return output(input.dtype, input.shape)


@family("abs", "neg", "sign", input=tensor(*SIGNED))
def SIGNED_UNARY(input: MLOperand, *, label: str = "") -> Output:
    """A signed data type, any shape. Integer results wrap: the least integer is its own negative."""
    return output(input.dtype, input.shape)


@operator(input=tensor(*ALL))
def identity(input: MLOperand, *, label: str = "") -> Output:
    """The input, unchanged; any data type and shape."""
    return output(input.dtype, input.shape)
