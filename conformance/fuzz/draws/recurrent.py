"""gru, gruCell, lstm, lstmCell."""

from __future__ import annotations

from typing import Any

from conformance.fuzz.draft import Draft, Shape
from conformance.fuzz.draws import draws
from trtx_backend.dtypes import FLOATS

ACTIVATIONS = ("sigmoid", "tanh", "relu")


@draws("gruCell", "lstmCell")
def cell(draft: Draft, name: str) -> None:
    operand = draft.operand(FLOATS, low=2, high=2)
    states = ("hiddenState",) if name == "gruCell" else ("hiddenState", "cellState")
    hidden, batch = draft.integer(1, 3), draft[operand].shape[0]
    weights, options = _weights(draft, name, operand, hidden, ())
    kept = {state: draft.of_shape(draft[operand].dtype, (batch, hidden)) for state in states}
    draft.call(name, options, len(states), input=operand, **weights, **kept, hiddenSize=hidden)


@draws("gru", "lstm")
def whole(draft: Draft, name: str) -> None:
    operand = draft.operand(FLOATS, low=3, high=3)
    steps, batch, _ = draft[operand].shape
    dtype, hidden = draft[operand].dtype, draft.integer(1, 3)
    options = draft.options(direction=lambda: draft.pick(("forward", "backward", "both")), returnSequence=draft.chance)
    directions = 2 if options.get("direction") == "both" else 1
    weights, more = _weights(draft, name, operand, hidden, (directions,))
    states = ("initialHiddenState",) if name == "gru" else ("initialHiddenState", "initialCellState")
    for state in states:
        more |= draft.options(**{state: lambda: draft.of_shape(dtype, (directions, batch, hidden))})
    outputs = len(states) + bool(options.get("returnSequence"))
    draft.call(name, options | more, outputs, input=operand, **weights, steps=steps, hiddenSize=hidden)


def _weights(
    draft: Draft, name: str, operand: str, hidden: int, leading: Shape
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The required weights, and options but for direction and states."""
    dtype, gates = draft[operand].dtype, 3 if name.startswith("gru") else 4

    def tensor(*shape: int) -> str:
        return draft.of_shape(dtype, (*leading, *shape))

    weights = {
        "weight": tensor(gates * hidden, draft[operand].shape[-1]),
        "recurrentWeight": tensor(gates * hidden, hidden),
    }
    options = draft.options(bias=lambda: tensor(gates * hidden), recurrentBias=lambda: tensor(gates * hidden))
    if name.startswith("gru"):
        options |= draft.options(resetAfter=draft.chance, layout=lambda: draft.pick(("zrn", "rzn")),
                                 activations=lambda: [draft.pick(ACTIVATIONS) for _ in range(2)])  # fmt: skip
    else:
        options |= draft.options(peepholeWeight=lambda: tensor(3 * hidden), layout=lambda: draft.pick(("iofg", "ifgo")),
                                 activations=lambda: [draft.pick(ACTIVATIONS) for _ in range(3)])  # fmt: skip
    return weights, options
