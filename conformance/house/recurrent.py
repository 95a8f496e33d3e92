"""gru, gruCell, lstm, lstmCell."""

from __future__ import annotations

from typing import Any

from conformance.house.spec import T, case, op

Cases = dict[str, list[dict[str, Any]]]

ACTIVATIONS = ("relu", "sigmoid", "tanh")
GATES = {"gru": 3, "gruCell": 3, "lstm": 4, "lstmCell": 4}


def _t(dtype: str, *shape: int) -> T:
    """Small positive values: the gates do not saturate, and nothing cancels, which would ask for more than the few ULP
    that WPT allows any float32 arithmetic."""
    count = 1
    for size in shape:
        count *= size
    values = [((i * i * 7 + i * 29 + count) % 15 + 1) / 32 for i in range(count)]
    return T(dtype, shape, tuple(values))


def cases() -> Cases:
    return {
        "gru": _sequence("gru"),
        "lstm": _sequence("lstm"),
        "gru_cell": _cell("gruCell"),
        "lstm_cell": _cell("lstmCell"),
    }


def _sequence(name: str) -> list[dict[str, Any]]:
    gates, steps, batch, inputs, hidden = GATES[name], 3, 2, 3, 2

    def one(label: str, dtype: str = "float32", direction: str = "forward", states: bool = False, biases: bool = True,
            peephole: bool = False, size: int = steps, hidden: int = hidden, **options: Any) -> dict[str, Any]:  # fmt: skip
        n = 2 if direction == "both" else 1
        given: dict[str, Any] = {**({} if direction == "forward" else {"direction": direction}), **options}
        if biases:
            given["bias"] = _t(dtype, n, gates * hidden).constant
            given["recurrentBias"] = _t(dtype, n, gates * hidden).constant
        if states:
            given["initialHiddenState"] = _t(dtype, n, batch, hidden)
            if name == "lstm":
                given["initialCellState"] = _t(dtype, n, batch, hidden)
        if peephole:
            given["peepholeWeight"] = _t(dtype, n, 3 * hidden).constant
        outputs = ["h", *(["c"] if name == "lstm" else []), *(["all"] if options.get("returnSequence") else [])]
        return case(label, op(name, *outputs, input=_t(dtype, size, batch, inputs), weight=_t(dtype, n, gates * hidden, inputs).constant,
                              recurrentWeight=_t(dtype, n, gates * hidden, hidden).constant, steps=size, hiddenSize=hidden, options=given))  # fmt: skip

    layouts = ("zrn", "rzn") if name == "gru" else ("iofg", "ifgo")
    functions = ["sigmoid", "relu"] if name == "gru" else ["sigmoid", "relu", "tanh"]
    made = [
        one("no options", biases=False),
        one("backward, initial states", direction="backward", states=True),
        one("both directions", direction="both"),
        one("both directions, sequence, initial states", direction="both", states=True, returnSequence=True),
        one("backward, sequence", direction="backward", returnSequence=True),
        one("forward, sequence", returnSequence=True, states=True),
        one(f"layout {layouts[1]}", layout=layouts[1]),
        one("other activations", activations=functions),
        *(
            one(f"activations {', '.join(words)}", biases=False, states=True, size=1, activations=list(words))
            for words in _activations(name)
        ),
        one("one hidden unit", hidden=1),
        one("one step", size=1, states=True, returnSequence=True),
        one("float16", dtype="float16", states=True),
    ]
    if name == "gru":
        made.append(one("reset before", resetAfter=False))
        made.append(one("reset before, both directions, layout rzn", resetAfter=False, direction="both", layout="rzn"))
    else:
        made.append(one("peepholes", peephole=True, states=True))
        made.append(
            one("peepholes, both directions, layout ifgo", peephole=True, direction="both", layout="ifgo", states=True)
        )
    return made


def _activations(name: str) -> list[tuple[str, ...]]:
    """Each function at each place."""
    count = 2 if name.startswith("gru") else 3
    return [(ACTIVATIONS[k:] + ACTIVATIONS[:k])[:count] for k in range(3)]


def _cell(name: str) -> list[dict[str, Any]]:
    gates, batch, inputs, hidden = GATES[name], 2, 3, 2

    def one(
        label: str,
        dtype: str = "float32",
        biases: bool = True,
        peephole: bool = False,
        hidden: int = hidden,
        **options: Any,
    ) -> dict[str, Any]:
        given = dict(options)
        if biases:
            given["bias"] = _t(dtype, gates * hidden).constant
            given["recurrentBias"] = _t(dtype, gates * hidden).constant
        if peephole:
            given["peepholeWeight"] = _t(dtype, 3 * hidden).constant
        states = {"hiddenState": _t(dtype, batch, hidden)}
        if name == "lstmCell":
            states["cellState"] = _t(dtype, batch, hidden)
        outputs = ["h", "c"] if name == "lstmCell" else ["h"]
        return case(label, op(name, *outputs, input=_t(dtype, batch, inputs), weight=_t(dtype, gates * hidden, inputs).constant,
                              recurrentWeight=_t(dtype, gates * hidden, hidden).constant, **states, hiddenSize=hidden, options=given))  # fmt: skip

    made = [one("no options", biases=False), one("biases"), one("float16", dtype="float16")]
    made += [one(f"activations {', '.join(words)}", activations=list(words)) for words in _activations(name)]
    made.append(one("one hidden unit", hidden=1))
    if name == "gruCell":
        made += [
            one("reset before", resetAfter=False),
            one("layout rzn", layout="rzn"),
            one("other activations", activations=["relu", "tanh"]),
        ]
    else:
        made += [one("peepholes", peephole=True), one("layout ifgo", layout="ifgo"),
                 one("other activations", activations=["sigmoid", "relu", "tanh"])]  # fmt: skip
    return made
