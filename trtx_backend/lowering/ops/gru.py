"""gru. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gru"""

from __future__ import annotations

from trtx_backend.lowering.common.recurrent import States, Step, Weights, activate, run
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


@lowers("gru")
def gru(
    w: Writer,
    initial_hidden_state: ITensor | None,
    *,
    steps: int,
    hidden_size: int,
    reset_after: bool,
    return_sequence: bool,
    direction: str,
    layout: str,
    activations: tuple[str, ...],
    **operands: ITensor | None,
) -> list[ITensor]:
    x = operands["input"]

    def prepare(weights: Weights) -> tuple[ITensor, Step]:
        return weights.from_input(w, w.cast(x, trt.float32)), gru_step(w, weights, reset_after, activations)

    return run(w, operands, [initial_hidden_state], layout, direction, return_sequence, prepare, hidden_size)


def gru_step(w: Writer, weights: Weights, reset_after: bool, activations: tuple[str, ...]) -> Step:
    """h' = z * h + (1 - z) * n, where the new gate n sees h after, or before, the reset gate r has acted on it."""
    recurrent = weights.recurrent_gates(w, "zrn")
    bias = {} if weights.recurrent_bias is None else weights.gates(w, weights.recurrent_bias, "zrn")

    def from_hidden(hidden: ITensor, gate: str) -> ITensor:
        product = w.matmul(hidden, recurrent[gate], transpose_b=True)
        return w.elementwise(product, Op.SUM, bias[gate]) if bias else product

    def step(inputs: ITensor, states: States) -> States:
        (hidden,) = states
        given = weights.gates(w, inputs, "zrn")
        z, r = (
            activate(w, w.elementwise(given[gate], Op.SUM, from_hidden(hidden, gate)), activations[0]) for gate in "zr"
        )
        if reset_after:
            share = w.elementwise(r, Op.PROD, from_hidden(hidden, "n"))
        else:
            share = from_hidden(w.elementwise(r, Op.PROD, hidden), "n")
        n = activate(w, w.elementwise(given["n"], Op.SUM, share), activations[1])
        kept = w.elementwise(z, Op.PROD, hidden)
        return [w.elementwise(kept, Op.SUM, w.elementwise(w.elementwise(w.scalar(1, z), Op.SUB, z), Op.PROD, n))]

    return step
