"""gruCell. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-grucell"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.graph.arguments import boolean, choice
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats, like
from trtx_backend.graph.operator import Output, operator, output
from trtx_backend.graph.ops.gru import (
    GRU_LAYOUTS,
    Sizes,
    check_activations,
    check_hidden_size,
    check_states,
    check_weights,
)


@operator(
    input=floats(rank=2),
    weight=like("input", rank=2),
    recurrent_weight=like("input", rank=2),
    hidden_state=like("input", rank=2),
    bias=like("input", rank=1, optional=True),
    recurrent_bias=like("input", rank=1, optional=True),
)
def gru_cell(
    input: MLOperand,
    weight: MLOperand,
    recurrent_weight: MLOperand,
    hidden_state: MLOperand,
    hidden_size: int,
    *,
    bias: MLOperand | None = None,
    recurrent_bias: MLOperand | None = None,
    reset_after: bool = True,
    layout: str = "zrn",
    activations: Sequence[str] | None = None,
    label: str = "",
) -> Output:
    """One step of a gated recurrent unit: the next hidden state [batch, hidden size] of an input [batch, input size].
    float32 or float16; layout and activations as in `gru`."""
    sizes = Sizes(input, check_hidden_size(hidden_size, 3), 3)
    check_weights(sizes, weight=weight, recurrent_weight=recurrent_weight, bias=bias, recurrent_bias=recurrent_bias)
    check_states(sizes, hidden_state=hidden_state)
    boolean("reset_after", reset_after)
    choice("layout", layout, GRU_LAYOUTS)
    return output(input.dtype, sizes.state, activations=check_activations(activations, ("sigmoid", "tanh")))
