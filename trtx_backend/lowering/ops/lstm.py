"""lstm. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstm"""

from __future__ import annotations

from trtx_backend.lowering.common.recurrent import States, Step, Weights, activate, run
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation

PEEPHOLES = "iof"
"""Order of the peephole weights, whatever the layout of the others."""


@lowers("lstm")
def lstm(
    w: Writer,
    initial_hidden_state: ITensor | None,
    initial_cell_state: ITensor | None,
    *,
    steps: int,
    hidden_size: int,
    return_sequence: bool,
    direction: str,
    layout: str,
    activations: tuple[str, ...],
    **operands: ITensor | None,
) -> list[ITensor]:
    x = operands["input"]

    def prepare(weights: Weights) -> tuple[ITensor, Step]:
        gates = weights.from_input(w, w.cast(x, trt.float32), weights.recurrent_bias)
        return gates, lstm_step(w, weights, activations)

    states = [initial_hidden_state, initial_cell_state]
    return run(w, operands, states, layout, direction, return_sequence, prepare, hidden_size)


def lstm_step(w: Writer, weights: Weights, activations: tuple[str, ...]) -> Step:
    """c' = f * c + i * g and h' = o * activation(c'). The peepholes of all three gates look at c, as the specification
    has it, the output gate's too."""
    peephole = None
    if weights.peephole is not None:
        size = (1, weights.hidden)
        peephole = {
            gate: w.slice(weights.peephole, (0, index * weights.hidden), size, (1, 1))
            for index, gate in enumerate(PEEPHOLES)
        }

    def step(inputs: ITensor, states: States) -> States:
        hidden, cell = states
        product = w.matmul(hidden, weights.recurrent, transpose_b=True)
        gates = weights.gates(w, w.elementwise(inputs, Op.SUM, product), "ifog")
        for gate in PEEPHOLES if peephole else "":
            assert peephole is not None
            seen = w.elementwise(cell, Op.PROD, peephole[gate])
            gates[gate] = w.elementwise(gates[gate], Op.SUM, seen)
        i, f, o = (activate(w, gates[gate], activations[0]) for gate in "ifo")
        g = activate(w, gates["g"], activations[1])
        cell = w.elementwise(w.elementwise(f, Op.PROD, cell), Op.SUM, w.elementwise(i, Op.PROD, g))
        return [w.elementwise(o, Op.PROD, activate(w, cell, activations[2])), cell]

    return step
