"""Element-wise binary operations. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary"""

from __future__ import annotations

from trtx_backend.graph.broadcast import broadcast
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import like, tensor
from trtx_backend.graph.operator import Output, family, output


@family("add", "sub", "mul", "div", "max", "min", "pow", a=tensor(), b=like("a"))
def BINARY(a: MLOperand, b: MLOperand, *, label: str = "") -> Output:
    """Both operands have one data type, any; shapes broadcast. Integer division truncates towards zero, integer
    arithmetic wraps."""
    return output(a.dtype, broadcast(a.shape, b.shape))
