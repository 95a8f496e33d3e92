"""lstm. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstm"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.graph.arguments import boolean, choice
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import floats, like
from trtx_backend.graph.operator import Output, operator_with_outputs, outputs
from trtx_backend.graph.ops.gru import check_activations, check_states, check_weights, recurrent_sizes

LSTM_LAYOUTS = ("iofg", "ifgo")
LSTM_ACTIVATIONS = ("sigmoid", "tanh", "tanh")


@operator_with_outputs(
    input=floats(rank=3),
    weight=like("input", rank=3),
    recurrent_weight=like("input", rank=3),
    bias=like("input", rank=2, optional=True),
    recurrent_bias=like("input", rank=2, optional=True),
    peephole_weight=like("input", rank=2, optional=True),
    initial_hidden_state=like("input", rank=3, optional=True),
    initial_cell_state=like("input", rank=3, optional=True),
    output0=floats(rank=3),
    output1=floats(rank=3),
    output2=floats(rank=4),
)
def lstm(
    input: MLOperand,
    weight: MLOperand,
    recurrent_weight: MLOperand,
    steps: int,
    hidden_size: int,
    *,
    bias: MLOperand | None = None,
    recurrent_bias: MLOperand | None = None,
    peephole_weight: MLOperand | None = None,
    initial_hidden_state: MLOperand | None = None,
    initial_cell_state: MLOperand | None = None,
    return_sequence: bool = False,
    direction: str = "forward",
    layout: str = "iofg",
    activations: Sequence[str] | None = None,
    label: str = "",
) -> Output:
    """Long short-term memory over an input [steps, batch, input size]; float32 or float16.

    `layout` orders the gates of weights and biases: input i, output o, forget f, cell g; the peephole's are always input,
    output, forget. `activations`: of the gates, of the cell gate, of the cell's output; sigmoid, tanh and tanh, if None.
    Gives the last hidden and the last cell state [directions, batch, hidden size], and with `return_sequence` all hidden
    states [steps, directions, batch, hidden size].
    """
    sizes = recurrent_sizes(input, steps, hidden_size, direction, gates=4)
    check_weights(sizes, weight=weight, recurrent_weight=recurrent_weight, bias=bias, recurrent_bias=recurrent_bias)
    check_weights(sizes, peephole_weight=peephole_weight)
    check_states(sizes, initial_hidden_state=initial_hidden_state, initial_cell_state=initial_cell_state)
    choice("layout", layout, LSTM_LAYOUTS)
    shapes = [sizes.state, sizes.state, *([sizes.sequence] if boolean("return_sequence", return_sequence) else [])]
    functions = check_activations(activations, LSTM_ACTIVATIONS)
    return outputs([(input.dtype, shape) for shape in shapes], activations=functions)
