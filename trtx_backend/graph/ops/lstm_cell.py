"""lstmCell. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstmcell"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.graph.arguments import choice
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats, like
from trtx_backend.graph.operator import Output, operator_with_outputs, outputs
from trtx_backend.graph.ops.gru import Sizes, check_activations, check_hidden_size, check_states, check_weights
from trtx_backend.graph.ops.lstm import LSTM_ACTIVATIONS, LSTM_LAYOUTS


@operator_with_outputs(
    input=floats(rank=2),
    weight=like("input", rank=2),
    recurrent_weight=like("input", rank=2),
    hidden_state=like("input", rank=2),
    cell_state=like("input", rank=2),
    bias=like("input", rank=1, optional=True),
    recurrent_bias=like("input", rank=1, optional=True),
    peephole_weight=like("input", rank=1, optional=True),
    output0=floats(rank=2),
    output1=floats(rank=2),
)
def lstm_cell(
    input: MLOperand,
    weight: MLOperand,
    recurrent_weight: MLOperand,
    hidden_state: MLOperand,
    cell_state: MLOperand,
    hidden_size: int,
    *,
    bias: MLOperand | None = None,
    recurrent_bias: MLOperand | None = None,
    peephole_weight: MLOperand | None = None,
    layout: str = "iofg",
    activations: Sequence[str] | None = None,
    label: str = "",
) -> Output:
    """One step of a long short-term memory: the next hidden and the next cell state [batch, hidden size] of an input
    [batch, input size]. float32 or float16; layout and activations as in `lstm`."""
    sizes = Sizes(input, check_hidden_size(hidden_size, 4), 4)
    check_weights(sizes, weight=weight, recurrent_weight=recurrent_weight, bias=bias, recurrent_bias=recurrent_bias)
    check_weights(sizes, peephole_weight=peephole_weight)
    check_states(sizes, hidden_state=hidden_state, cell_state=cell_state)
    choice("layout", layout, LSTM_LAYOUTS)
    functions = check_activations(activations, LSTM_ACTIVATIONS)
    return outputs([(input.dtype, sizes.state)] * 2, activations=functions)
