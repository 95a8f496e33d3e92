"""gru, gruCell, lstm, lstmCell: their sections of https://www.w3.org/TR/webnn/#api-mlgraphbuilder"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.oracle import Array, oracle
from conformance.oracle.activations import logistic
from conformance.oracle.elementwise_unary import each

ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: each(logistic, x),
    "tanh": lambda x: each(math.tanh, x),
}


def _gate(array: Array | None, layout: str, gate: str, hidden: int) -> Any:
    if array is None:
        return 0.0
    first = layout.index(gate) * hidden
    return array[first : first + hidden]


@oracle
def gru_cell(
    input: Array,
    weight: Array,
    recurrent_weight: Array,
    hidden_state: Array,
    hidden_size: int,
    *,
    bias: Array | None = None,
    recurrent_bias: Array | None = None,
    reset_after: bool = True,
    layout: str = "zrn",
    activations: Sequence[str] = ("sigmoid", "tanh"),
) -> Array:
    def given(gate: str) -> Array:
        return np.asanyarray(
            input @ _gate(weight, layout, gate, hidden_size).T + _gate(bias, layout, gate, hidden_size)
        )

    def recurrent(gate: str, hidden: Array) -> Array:
        product = hidden @ _gate(recurrent_weight, layout, gate, hidden_size).T
        return np.asanyarray(product + _gate(recurrent_bias, layout, gate, hidden_size))

    gates, new = (ACTIVATIONS[name] for name in activations)
    z = gates(given("z") + recurrent("z", hidden_state))
    r = gates(given("r") + recurrent("r", hidden_state))
    share = r * recurrent("n", hidden_state) if reset_after else recurrent("n", r * hidden_state)
    return z * hidden_state + (1 - z) * new(given("n") + share)


@oracle
def lstm_cell(
    input: Array,
    weight: Array,
    recurrent_weight: Array,
    hidden_state: Array,
    cell_state: Array,
    hidden_size: int,
    *,
    bias: Array | None = None,
    recurrent_bias: Array | None = None,
    peephole_weight: Array | None = None,
    layout: str = "iofg",
    activations: Sequence[str] = ("sigmoid", "tanh", "tanh"),
) -> tuple[Array, Array]:
    def total(gate: str) -> Array:
        result = input @ _gate(weight, layout, gate, hidden_size).T
        result = result + hidden_state @ _gate(recurrent_weight, layout, gate, hidden_size).T
        result = result + _gate(bias, layout, gate, hidden_size) + _gate(recurrent_bias, layout, gate, hidden_size)
        if gate == "g" or peephole_weight is None:
            return result
        return result + cell_state * _gate(peephole_weight, "iof", gate, hidden_size)

    gates, cell, hidden = (ACTIVATIONS[name] for name in activations)
    i, o, f = (gates(total(gate)) for gate in "iof")
    after = f * cell_state + i * cell(total("g"))
    return o * hidden(after), after


def _part(array: Array | None, direction: int) -> Array | None:
    return None if array is None else array[direction]


def _run(
    cell: Callable[..., Any], input: Array, states: Sequence[Array | None], hidden: int, direction: str, **options: Any
) -> tuple[list[Array], Array]:
    """The last states by direction and the sequence of the first one."""
    last, sequences = [], []
    for index in range(2 if direction == "both" else 1):
        current = [np.zeros((input.shape[1], hidden)) if state is None else state[index] for state in states]
        order = range(input.shape[0])
        backward = direction == "backward" or index == 1
        seen: list[Any] = [None] * input.shape[0]
        own = {k: _part(v, index) if isinstance(v, np.ndarray) else v for k, v in options.items()}
        for step in reversed(order) if backward else order:
            result = cell(input[step], own["weight"], own["recurrent_weight"], *current, hidden,
                          **{k: v for k, v in own.items() if k not in ("weight", "recurrent_weight")})  # fmt: skip
            current = list(result) if isinstance(result, tuple) else [result]
            seen[step] = current[0]
        last.append(current)
        sequences.append(np.stack(seen))
    return [np.stack(parts) for parts in zip(*last, strict=True)], np.stack(sequences, 1)


@oracle
def gru(
    input: Array,
    weight: Array,
    recurrent_weight: Array,
    steps: int,
    hidden_size: int,
    *,
    initial_hidden_state: Array | None = None,
    return_sequence: bool = False,
    direction: str = "forward",
    **options: Any,
) -> tuple[Array, ...]:
    states, sequence = _run(gru_cell, input, [initial_hidden_state], hidden_size, direction,
                            weight=weight, recurrent_weight=recurrent_weight, **options)  # fmt: skip
    return (*states, sequence) if return_sequence else tuple(states)


@oracle
def lstm(
    input: Array,
    weight: Array,
    recurrent_weight: Array,
    steps: int,
    hidden_size: int,
    *,
    initial_hidden_state: Array | None = None,
    initial_cell_state: Array | None = None,
    return_sequence: bool = False,
    direction: str = "forward",
    **options: Any,
) -> tuple[Array, ...]:
    initial = [initial_hidden_state, initial_cell_state]
    states, sequence = _run(lstm_cell, input, initial, hidden_size, direction,
                            weight=weight, recurrent_weight=recurrent_weight, **options)  # fmt: skip
    return (*states, sequence) if return_sequence else tuple(states)
