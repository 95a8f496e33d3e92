"""pad. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pad"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.errors import check
from trtx_backend.graph.arguments import choice, number, unsigned_list
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, operator, output

MODES = ("constant", "edge", "reflection")


@operator(input=tensor())
def pad(
    input: MLOperand,
    beginning_padding: Sequence[int],
    ending_padding: Sequence[int],
    *,
    mode: str = "constant",
    value: float = 0,
    label: str = "",
) -> Output:
    """The input with elements added before and after each dimension: a value, the nearest element, or the elements
    mirrored at the edge, which is not repeated. Any data type."""
    before = unsigned_list("beginning_padding", beginning_padding, length=input.rank)
    after = unsigned_list("ending_padding", ending_padding, length=input.rank)
    if choice("mode", mode, MODES) == "reflection":
        for name, paddings in (("beginning_padding", before), ("ending_padding", after)):
            for axis, (padding, size) in enumerate(zip(paddings, input.shape, strict=True)):
                check(padding < size, f"{name}[{axis}]", padding, f"must be less than the input's size, {size}")
    shape = tuple(a + size + b for a, size, b in zip(before, input.shape, after, strict=True))
    return output(input.dtype, shape, value=number("value", value, input.dtype))
