"""gru. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gru"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.errors import check
from trtx_backend.graph.arguments import boolean, choice, unsigned
from trtx_backend.graph.ir import MLOperand, Shape
from trtx_backend.graph.limits import MAX_DIMENSION, floats, like
from trtx_backend.graph.operator import Output, operator_with_outputs, outputs

ACTIVATIONS = ("relu", "sigmoid", "tanh")
DIRECTIONS = ("forward", "backward", "both")
GRU_LAYOUTS = ("zrn", "rzn")


@operator_with_outputs(
    input=floats(rank=3),
    weight=like("input", rank=3),
    recurrent_weight=like("input", rank=3),
    bias=like("input", rank=2, optional=True),
    recurrent_bias=like("input", rank=2, optional=True),
    initial_hidden_state=like("input", rank=3, optional=True),
    output0=floats(rank=3),
    output1=floats(rank=4),
)
def gru(
    input: MLOperand,
    weight: MLOperand,
    recurrent_weight: MLOperand,
    steps: int,
    hidden_size: int,
    *,
    bias: MLOperand | None = None,
    recurrent_bias: MLOperand | None = None,
    initial_hidden_state: MLOperand | None = None,
    reset_after: bool = True,
    return_sequence: bool = False,
    direction: str = "forward",
    layout: str = "zrn",
    activations: Sequence[str] | None = None,
    label: str = "",
) -> Output:
    """Gated recurrent unit over an input [steps, batch, input size]; float32 or float16.

    `layout` orders the gates of weights and biases: update z, reset r, new n. `activations`: of update and reset gate, of
    the new gate; sigmoid and tanh, if None. Gives the last hidden state [directions, batch, hidden size], and with
    `return_sequence` all of them [steps, directions, batch, hidden size].
    """
    sizes = recurrent_sizes(input, steps, hidden_size, direction, gates=3)
    check_weights(sizes, weight=weight, recurrent_weight=recurrent_weight, bias=bias, recurrent_bias=recurrent_bias)
    check_states(sizes, initial_hidden_state=initial_hidden_state)
    boolean("reset_after", reset_after)
    choice("layout", layout, GRU_LAYOUTS)
    shapes = [sizes.state, *([sizes.sequence] if boolean("return_sequence", return_sequence) else [])]
    functions = check_activations(activations, ("sigmoid", "tanh"))
    return outputs([(input.dtype, shape) for shape in shapes], activations=functions)


class Sizes:
    """Sizes of a recurrent operator; a cell has no steps and no directions."""

    def __init__(self, input: MLOperand, hidden: int, gates: int, directions: int | None = None) -> None:
        batch, inputs = input.shape[-2:]
        leading: Shape = () if directions is None else (directions,)
        self.weight: Shape = (*leading, gates * hidden, inputs)
        self.recurrent_weight: Shape = (*leading, gates * hidden, hidden)
        self.bias = self.recurrent_bias = (*leading, gates * hidden)
        self.peephole_weight: Shape = (*leading, 3 * hidden)
        self.state: Shape = (*leading, batch, hidden)
        self.sequence: Shape = (input.shape[0], *self.state)


def recurrent_sizes(input: MLOperand, steps: int, hidden_size: int, direction: str, gates: int) -> Sizes:
    steps = unsigned("steps", steps, least=1)
    check(input.shape[0] == steps, "steps", steps, f"must be the first dimension of the input {input}")
    directions = 2 if choice("direction", direction, DIRECTIONS) == "both" else 1
    return Sizes(input, check_hidden_size(hidden_size, gates), gates, directions)


def check_hidden_size(hidden_size: int, gates: int) -> int:
    """Spec: room for both biases in one tensor."""
    size = unsigned("hidden_size", hidden_size, least=1)
    check(2 * gates * size <= MAX_DIMENSION, "hidden_size", size, f"times {2 * gates} must be at most {MAX_DIMENSION}")
    return size


def check_weights(sizes: Sizes, **operands: MLOperand | None) -> None:
    for name, operand in operands.items():
        expected = getattr(sizes, name)
        check(operand is None or operand.shape == expected, name, str(operand), f"the shape must be {list(expected)}")


def check_states(sizes: Sizes, **operands: MLOperand | None) -> None:
    for name, operand in operands.items():
        rule = f"the shape must be {list(sizes.state)}"
        check(operand is None or operand.shape == sizes.state, name, str(operand), rule)


def check_activations(given: Sequence[str] | None, default: tuple[str, ...]) -> tuple[str, ...]:
    names = default if given is None else tuple(given)
    check(len(names) == len(default), "activations", names, f"must have {len(default)} items")
    return tuple(choice(f"activations[{i}]", name, ACTIVATIONS) for i, name in enumerate(names))
