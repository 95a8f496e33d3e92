"""What the recurrent operators share: gates, directions, and the loop over steps.

The product of all inputs with the weights is one matrix multiplication in front of the loop; only what depends on the
hidden state is in it. A float16 operator computes inside in float32: its states go through many roundings otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation
ACTIVATIONS = {
    "relu": trt.ActivationType.RELU,
    "sigmoid": trt.ActivationType.SIGMOID,
    "tanh": trt.ActivationType.TANH,
}

States = Sequence[ITensor]
Step = Callable[[ITensor, States], States]
"""One step: the gates' share of the input [batch, gates * hidden], and the states before it; gives the states after."""


@dataclass(frozen=True)
class Weights:
    """The weights of one direction, [gates * hidden, …], and its biases, [1, gates * hidden], in float32."""

    input: ITensor
    recurrent: ITensor
    bias: ITensor | None
    recurrent_bias: ITensor | None
    peephole: ITensor | None
    layout: str

    @property
    def hidden(self) -> int:
        return int(self.recurrent.shape[1])

    def from_input(self, w: Writer, x: ITensor, *more: ITensor | None) -> ITensor:
        """x [..., batch, inputs] times the input weights, plus the bias and others, for all gates."""
        rank = len(x.shape)
        product = w.matmul(x, w.at_rank(self.input, rank), transpose_b=True)
        for bias in (self.bias, *more):
            product = product if bias is None else w.elementwise(product, Op.SUM, w.at_rank(bias, rank))
        return product

    def gates(self, w: Writer, tensor: ITensor, names: str) -> dict[str, ITensor]:
        """The parts of a [rows, gates * hidden] tensor by gate."""
        rows = tensor.shape[0]
        return {
            name: w.slice(tensor, (0, self.layout.index(name) * self.hidden), (rows, self.hidden), (1, 1))
            for name in names
        }

    def recurrent_gates(self, w: Writer, names: str) -> dict[str, ITensor]:
        """The recurrent weights [hidden, hidden] by gate."""
        size = (self.hidden, self.hidden)
        return {
            name: w.slice(self.recurrent, (self.layout.index(name) * self.hidden, 0), size, (1, 1)) for name in names
        }


def activate(w: Writer, tensor: ITensor, name: str) -> ITensor:
    return w.activation(tensor, ACTIVATIONS[name])


def directed(w: Writer, operands: Mapping[str, ITensor | None], layout: str, direction: int | None = None) -> Weights:
    """The weights of a direction; of a cell, which has none, if None."""

    def part(name: str) -> ITensor | None:
        tensor = operands.get(name)
        if tensor is None:
            return None
        tensor = w.cast(tensor, trt.float32)
        if direction is not None:
            shape = tuple(tensor.shape)
            first = (direction,) + (0,) * (len(shape) - 1)
            one = tensor if shape[0] == 1 else w.slice(tensor, first, (1, *shape[1:]), (1,) * len(shape))
            return one if len(shape) == 2 else w.reshape(one, shape[1:])
        return w.at_rank(tensor, 2)

    weight, recurrent = part("weight"), part("recurrent_weight")
    return Weights(weight, recurrent, part("bias"), part("recurrent_bias"), part("peephole_weight"), layout)


def loop(w: Writer, gates: ITensor, states: States, step: Step, backward: bool, sequence: bool) -> list[ITensor]:
    """Run `step` over the first dimension of `gates` [steps, batch, …], backwards if so asked. Gives the last states and,
    with `sequence`, the first state after every step, [steps, batch, hidden], in the order of the input."""
    network = w.network
    made = network.add_loop()
    steps = w.constant(np.array(gates.shape[0], np.int32))
    w.name(made.add_trip_limit(steps, trt.TripLimit.COUNT), "trip_limit")
    each = w.name(made.add_iterator(gates, 0, backward), "iterator").get_output(0)
    recurrences = [w.name(made.add_recurrence(state), "recurrence") for state in states]
    after = step(each, [recurrence.get_output(0) for recurrence in recurrences])
    for recurrence, state in zip(recurrences, after, strict=True):
        recurrence.set_input(1, state)
    outputs = [made.add_loop_output(r.get_output(0), trt.LoopOutput.LAST_VALUE) for r in recurrences]
    if sequence:
        kind = trt.LoopOutput.REVERSE if backward else trt.LoopOutput.CONCATENATE
        outputs.append(made.add_loop_output(after[0], kind))
        outputs[-1].set_input(1, steps)
    return [w.output(w.name(output, "loop_output")) for output in outputs]


def run(
    w: Writer,
    operands: Mapping[str, ITensor | None],
    states: Sequence[ITensor | None],
    layout: str,
    direction: str,
    sequence: bool,
    prepare: Callable[[Weights], tuple[ITensor, Step]],
    hidden: int,
) -> list[ITensor]:
    """A recurrent operator: a loop for each direction, joined. `prepare` gives the gates' share of the input and the step
    of a direction. Results: the states [directions, batch, hidden], the sequence [steps, directions, batch, hidden]."""
    x = operands["input"]
    assert x is not None
    steps, batch = x.shape[:2]
    results = []
    for index in range(2 if direction == "both" else 1):
        gates, step = prepare(directed(w, operands, layout, index))
        initial = [_initial(w, state, index, (batch, hidden)) for state in states]
        results.append(loop(w, gates, initial, step, direction == "backward" or index == 1, sequence))
    joined = []
    for position, parts in enumerate(zip(*results, strict=True)):
        last = position < len(states)
        shaped = [w.reshape(p, (1, batch, hidden) if last else (steps, 1, batch, hidden)) for p in parts]
        joined.append(w.cast(w.concat(shaped, 0 if last else 1), x.dtype))
    return joined


def _initial(w: Writer, state: ITensor | None, direction: int, shape: tuple[int, int]) -> ITensor:
    if state is None:
        return w.constant(np.zeros(shape, np.float32))
    one = state if state.shape[0] == 1 else w.slice(state, (direction, 0, 0), (1, *shape), (1, 1, 1))
    return w.cast(w.reshape(one, shape), trt.float32)
