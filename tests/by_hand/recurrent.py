"""gru, gruCell, lstm, lstmCell. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gru … #…-lstmcell

With relu alone every number is a fraction that float32 holds, and the results must be equal; with sigmoid and tanh the
reference is Python's float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from tests.by_hand.form import Case, Tensor, count, f16, f32, fill, i32, mixed, one, refused

Matrix = list[list[Any]]
FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "relu": lambda x: max(x, Fraction(0)),
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "tanh": lambda x: math.tanh(x),
}


def _rows(given: Tensor) -> Matrix:
    return [[given[(i, j)] for j in range(given.shape[1])] for i in range(given.shape[0])]


def _part(given: Tensor, direction: int) -> Tensor:
    """One direction of a tensor whose first dimension are the directions."""
    rest = given.shape[1:]
    return fill(given.dtype, rest, lambda i: given[(direction, *i)])


def _gate(name: str, layout: str, hidden: int, given: Tensor | None) -> Any:
    """The rows of a gate, in a weight or a bias that holds all of them in the order of the layout; 0 where there is none."""
    first = layout.index(name) * hidden
    if given is None:
        return [0] * hidden
    if len(given.shape) == 1:
        return [given[(first + j,)] for j in range(hidden)]
    return _rows(given)[first : first + hidden]


def _dot(row: list[Any], column: list[Any]) -> Any:
    return sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0))


def gru_cell(x: Matrix, w: Tensor, r: Tensor, h: Matrix, hidden: int, options: Mapping[str, Any]) -> Matrix:
    layout = options.get("layout", "zrn")
    gate, new = (FUNCTIONS[name] for name in options.get("activations", ("sigmoid", "tanh")))
    weights = {g: _gate(g, layout, hidden, w) for g in "zrn"}
    recurrent = {g: _gate(g, layout, hidden, r) for g in "zrn"}
    bias = {g: _gate(g, layout, hidden, options.get("bias")) for g in "zrn"}
    other = {g: _gate(g, layout, hidden, options.get("recurrentBias")) for g in "zrn"}
    result = []
    for x_row, h_row in zip(x, h, strict=True):
        gates = {
            g: [
                gate(bias[g][j] + other[g][j] + _dot(x_row, weights[g][j]) + _dot(h_row, recurrent[g][j]))
                for j in range(hidden)
            ]
            for g in "zr"
        }
        row = []
        for j in range(hidden):
            if options.get("resetAfter", True):
                inner = gates["r"][j] * (_dot(h_row, recurrent["n"][j]) + other["n"][j])
            else:
                reset = [a * b for a, b in zip(gates["r"], h_row, strict=True)]
                inner = _dot(reset, recurrent["n"][j]) + other["n"][j]
            n = new(_dot(x_row, weights["n"][j]) + bias["n"][j] + inner)
            row.append(gates["z"][j] * h_row[j] + (1 - gates["z"][j]) * n)
        result.append(row)
    return result


def lstm_cell(
    x: Matrix, w: Tensor, r: Tensor, h: Matrix, c: Matrix, hidden: int, options: Mapping[str, Any]
) -> tuple[Matrix, Matrix]:
    """Peephole weights are in the order input, output, forget in every layout; all look at the old cell state."""
    layout = options.get("layout", "iofg")
    gate, cell, last = (FUNCTIONS[name] for name in options.get("activations", ("sigmoid", "tanh", "tanh")))
    weights = {g: _gate(g, layout, hidden, w) for g in "iofg"}
    recurrent = {g: _gate(g, layout, hidden, r) for g in "iofg"}
    bias = {g: _gate(g, layout, hidden, options.get("bias")) for g in "iofg"}
    other = {g: _gate(g, layout, hidden, options.get("recurrentBias")) for g in "iofg"}
    peephole = {g: _gate(g, "iof", hidden, options.get("peepholeWeight")) for g in "iof"}
    new_h, new_c = [], []
    for x_row, h_row, c_row in zip(x, h, c, strict=True):
        sums = {
            g: [
                bias[g][j] + other[g][j] + _dot(x_row, weights[g][j]) + _dot(h_row, recurrent[g][j])
                for j in range(hidden)
            ]
            for g in "iofg"
        }
        gates = {g: [gate(sums[g][j] + peephole[g][j] * c_row[j]) for j in range(hidden)] for g in "iof"}
        state = [gates["f"][j] * c_row[j] + gates["i"][j] * cell(sums["g"][j]) for j in range(hidden)]
        new_c.append(state)
        new_h.append([gates["o"][j] * last(state[j]) for j in range(hidden)])
    return new_h, new_c


def _tensor(dtype: str, nested: Any, shape: tuple[int, ...]) -> Tensor:
    def element(index: tuple[int, ...]) -> Any:
        value = nested
        for position in index:
            value = value[position]
        return value

    return fill(dtype, shape, element)


def _network(op: str, name: str, x: Tensor, w: Tensor, r: Tensor, hidden: int, ulp: float, **options: Any) -> Case:
    """Steps of a cell, from the last one where the direction is backward (in `both`: for the second direction)."""
    steps, batch, _ = x.shape
    direction = options.get("direction", "forward")
    turns = {"forward": [False], "backward": [True], "both": [False, True]}[direction]
    finals, cells, sequences = [], [], []
    for d, backward in enumerate(turns):
        parts = {k: _part(v, d) if isinstance(v, Tensor) else v for k, v in options.items()}
        zeros = [[0] * hidden for _ in range(batch)]
        h = _rows(parts["initialHiddenState"]) if "initialHiddenState" in parts else zeros
        c = _rows(parts["initialCellState"]) if "initialCellState" in parts else zeros
        outputs: list[Any] = [None] * steps
        for step in reversed(range(steps)) if backward else range(steps):
            if op == "gru":
                h = gru_cell(_rows(_part(x, step)), _part(w, d), _part(r, d), h, hidden, parts)
            else:
                h, c = lstm_cell(_rows(_part(x, step)), _part(w, d), _part(r, d), h, c, hidden, parts)
            outputs[step] = h
        finals.append(h)
        cells.append(c)
        sequences.append(outputs)
    shape = (len(turns), batch, hidden)
    expected = [_tensor(x.dtype, finals, shape)] + ([_tensor(x.dtype, cells, shape)] if op == "lstm" else [])
    if options.get("returnSequence"):
        by_step = [[outputs[step] for outputs in sequences] for step in range(steps)]
        expected.append(_tensor(x.dtype, by_step, (steps, *shape)))
    listed = {k: list(v) if isinstance(v, tuple) else v for k, v in options.items()}
    return one(
        name,
        op,
        expected,
        input=x,
        weight=w,
        recurrentWeight=r,
        steps=steps,
        hiddenSize=hidden,
        options=listed,
        ulp=ulp,
    )


def _gru_cell(name: str, x: Tensor, w: Tensor, r: Tensor, h: Tensor, ulp: float, **options: Any) -> Case:
    hidden = h.shape[1]
    expected = _tensor(x.dtype, gru_cell(_rows(x), w, r, _rows(h), hidden, options), h.shape)
    listed = {k: list(v) if isinstance(v, tuple) else v for k, v in options.items()}
    return one(
        name,
        "gruCell",
        expected,
        input=x,
        weight=w,
        recurrentWeight=r,
        hiddenState=h,
        hiddenSize=hidden,
        options=listed,
        ulp=ulp,
    )


def _lstm_cell(name: str, x: Tensor, w: Tensor, r: Tensor, h: Tensor, c: Tensor, ulp: float, **options: Any) -> Case:
    hidden = h.shape[1]
    results = lstm_cell(_rows(x), w, r, _rows(h), _rows(c), hidden, options)
    listed = {k: list(v) if isinstance(v, tuple) else v for k, v in options.items()}
    return one(
        name,
        "lstmCell",
        [_tensor(x.dtype, result, h.shape) for result in results],
        input=x, weight=w, recurrentWeight=r, hiddenState=h, cellState=c, hiddenSize=hidden, options=listed, ulp=ulp,
    )  # fmt: skip


def _t(*shape: int, seed: int, dtype: str = "float32") -> Tensor:
    """From -1 to 1 in quarters."""
    return mixed(dtype, shape, seed, -4, 4, 4)


EXACT, GRU, LSTM, HALF = 0, 2.0**-21, 2.0**-21, 2.0**-8
"""Absolute: sums of terms near 1 in size may cancel, so an error in ULP says nothing. At most four steps, each of a few
roundings of half a unit: 2^-24 for float32, 2^-11 for float16."""

RELU2, RELU3 = ("relu", "relu"), ("relu", "relu", "relu")


def _g(d: int, hidden: int, *rest: int, seed: int, dtype: str = "float32") -> Tensor:
    return _t(d, 3 * hidden, *rest, seed=seed, dtype=dtype)


def _l(d: int, hidden: int, *rest: int, seed: int, dtype: str = "float32") -> Tensor:
    return _t(d, 4 * hidden, *rest, seed=seed, dtype=dtype)


CASES: dict[str, list[Case]] = {
    "gruCell": [
        # z = relu(1 + 0.5 * 2) = 2, r = relu(0.5 + 2) = 2.5, n = relu(3 + 2.5 * (2 * 1)) = 8, h = 2 * 2 + (1 - 2) * 8
        one(
            "by hand",
            "gruCell",
            f32([[-4]]),
            input=f32([[1]]),
            weight=f32([[1], [0.5], [3]]),
            recurrentWeight=f32([[0.5], [1], [1]]),
            hiddenState=f32([[2]]),
            hiddenSize=1,
            options={"activations": ["relu", "relu"]},
        ),
        _gru_cell(
            "relu, both biases",
            _t(3, 4, seed=1),
            _t(6, 4, seed=2),
            _t(6, 2, seed=3),
            _t(3, 2, seed=4),
            EXACT,
            activations=RELU2,
            bias=_t(6, seed=5),
            recurrentBias=_t(6, seed=6),
        ),
        _gru_cell(
            "relu, reset before, rzn",
            _t(2, 1, seed=7),
            _t(9, 1, seed=8),
            _t(9, 3, seed=9),
            _t(2, 3, seed=10),
            EXACT,
            activations=RELU2,
            resetAfter=False,
            layout="rzn",
            bias=_t(9, seed=11),
            recurrentBias=_t(9, seed=12),
        ),
        _gru_cell(
            "default activations, recurrent bias alone",
            _t(1, 3, seed=13),
            _t(6, 3, seed=14),
            _t(6, 2, seed=15),
            _t(1, 2, seed=16),
            GRU,
            recurrentBias=_t(6, seed=17),
        ),
        _gru_cell(
            "tanh for the gates, sigmoid for the new one, rzn",
            _t(2, 3, seed=18),
            _t(6, 3, seed=19),
            _t(6, 2, seed=20),
            _t(2, 2, seed=21),
            GRU,
            activations=("tanh", "sigmoid"),
            layout="rzn",
            bias=_t(6, seed=22),
        ),
        _gru_cell(
            "float16, reset before",
            _t(2, 3, seed=23, dtype="float16"),
            _t(6, 3, seed=24, dtype="float16"),
            _t(6, 2, seed=25, dtype="float16"),
            _t(2, 2, seed=26, dtype="float16"),
            HALF,
            resetAfter=False,
        ),
    ],
    "gru": [
        _network(
            "gru",
            "relu, every option, both directions",
            _t(2, 2, 3, seed=31),
            _g(2, 2, 3, seed=32),
            _g(2, 2, 2, seed=33),
            2,
            EXACT,
            direction="both",
            layout="rzn",
            resetAfter=False,
            returnSequence=True,
            activations=RELU2,
            bias=_g(2, 2, seed=34),
            recurrentBias=_g(2, 2, seed=35),
            initialHiddenState=_t(2, 2, 2, seed=36),
        ),
        _network(
            "gru",
            "relu, backward, sequence",
            _t(2, 1, 2, seed=37),
            _g(1, 3, 2, seed=38),
            _g(1, 3, 3, seed=39),
            3,
            EXACT,
            direction="backward",
            returnSequence=True,
            activations=RELU2,
            initialHiddenState=_t(1, 1, 3, seed=40),
        ),
        _network("gru", "forward, defaults", _t(4, 2, 3, seed=41), _g(1, 2, 3, seed=42), _g(1, 2, 2, seed=43), 2, GRU),
        _network(
            "gru",
            "forward, sequence, biases",
            _t(3, 1, 2, seed=44),
            _g(1, 4, 2, seed=45),
            _g(1, 4, 4, seed=46),
            4,
            GRU,
            returnSequence=True,
            bias=_g(1, 4, seed=47),
            recurrentBias=_g(1, 4, seed=48),
        ),
        _network(
            "gru",
            "backward, reset before, bias alone",
            _t(3, 2, 1, seed=49),
            _g(1, 2, 1, seed=50),
            _g(1, 2, 2, seed=51),
            2,
            GRU,
            direction="backward",
            resetAfter=False,
            bias=_g(1, 2, seed=52),
        ),
        _network(
            "gru",
            "both, rzn, initial state, recurrent bias alone",
            _t(3, 2, 2, seed=53),
            _g(2, 3, 2, seed=54),
            _g(2, 3, 3, seed=55),
            3,
            GRU,
            direction="both",
            layout="rzn",
            returnSequence=True,
            recurrentBias=_g(2, 3, seed=56),
            initialHiddenState=_t(2, 2, 3, seed=57),
        ),
        _network(
            "gru",
            "one step, backward, sequence",
            _t(1, 2, 2, seed=58),
            _g(1, 1, 2, seed=59),
            _g(1, 1, 1, seed=60),
            1,
            GRU,
            direction="backward",
            returnSequence=True,
        ),
        _network(
            "gru",
            "float16, both",
            _t(2, 1, 2, seed=61, dtype="float16"),
            _g(2, 2, 2, seed=62, dtype="float16"),
            _g(2, 2, 2, seed=63, dtype="float16"),
            2,
            HALF,
            direction="both",
            returnSequence=True,
        ),
        _network(
            "gru",
            "constant weights, tanh and relu",
            _t(3, 2, 2, seed=64),
            _g(1, 2, 2, seed=65).const(),
            _g(1, 2, 2, seed=66).const(),
            2,
            GRU,
            activations=("tanh", "relu"),
            bias=_g(1, 2, seed=67).const(),
        ),
    ],
    "lstmCell": [
        # i = 1 + 1 = 2, o = 3, f = 1, g = 4, each with 1 * h = 1 added; c = 2 * 5 + 3 * 5 and h = 4 * c
        one(
            "by hand",
            "lstmCell",
            [f32([[100]]), f32([[25]])],
            input=f32([[1]]),
            weight=f32([[2], [3], [1], [4]]),
            recurrentWeight=f32([[1], [1], [1], [1]]),
            hiddenState=f32([[1]]),
            cellState=f32([[5]]),
            hiddenSize=1,
            options={"activations": ["relu", "relu", "relu"]},
        ),
        _lstm_cell(
            "relu, peepholes and biases",
            _t(3, 4, seed=71),
            _t(8, 4, seed=72),
            _t(8, 2, seed=73),
            _t(3, 2, seed=74),
            _t(3, 2, seed=75),
            EXACT,
            activations=RELU3,
            bias=_t(8, seed=76),
            recurrentBias=_t(8, seed=77),
            peepholeWeight=_t(6, seed=78),
        ),
        _lstm_cell(
            "relu, ifgo: peepholes stay in their order",
            _t(2, 1, seed=79),
            _t(12, 1, seed=80),
            _t(12, 3, seed=81),
            _t(2, 3, seed=82),
            _t(2, 3, seed=83),
            EXACT,
            activations=RELU3,
            layout="ifgo",
            bias=_t(12, seed=84),
            peepholeWeight=_t(9, seed=85),
        ),
        _lstm_cell(
            "default activations",
            _t(2, 3, seed=86),
            _t(8, 3, seed=87),
            _t(8, 2, seed=88),
            _t(2, 2, seed=89),
            _t(2, 2, seed=90),
            LSTM,
            recurrentBias=_t(8, seed=91),
        ),
        _lstm_cell(
            "three different activations, ifgo",
            _t(1, 3, seed=92),
            _t(8, 3, seed=93),
            _t(8, 2, seed=94),
            _t(1, 2, seed=95),
            _t(1, 2, seed=96),
            LSTM,
            activations=("tanh", "sigmoid", "relu"),
            layout="ifgo",
            peepholeWeight=_t(6, seed=97),
        ),
        _lstm_cell(
            "float16, peepholes",
            _t(2, 2, seed=98, dtype="float16"),
            _t(8, 2, seed=99, dtype="float16"),
            _t(8, 2, seed=100, dtype="float16"),
            _t(2, 2, seed=101, dtype="float16"),
            _t(2, 2, seed=102, dtype="float16"),
            HALF,
            peepholeWeight=_t(6, seed=103, dtype="float16"),
        ),
    ],
    "lstm": [
        _network(
            "lstm",
            "relu, every option, both directions",
            _t(2, 2, 3, seed=111),
            _l(2, 2, 3, seed=112),
            _l(2, 2, 2, seed=113),
            2,
            EXACT,
            direction="both",
            layout="ifgo",
            returnSequence=True,
            activations=RELU3,
            bias=_l(2, 2, seed=114),
            recurrentBias=_l(2, 2, seed=115),
            peepholeWeight=_t(2, 6, seed=116),
            initialHiddenState=_t(2, 2, 2, seed=117),
            initialCellState=_t(2, 2, 2, seed=118),
        ),
        _network(
            "lstm",
            "relu, backward, sequence",
            _t(2, 1, 2, seed=119),
            _l(1, 3, 2, seed=120),
            _l(1, 3, 3, seed=121),
            3,
            EXACT,
            direction="backward",
            returnSequence=True,
            activations=RELU3,
            initialCellState=_t(1, 1, 3, seed=122),
        ),
        _network(
            "lstm", "forward, defaults", _t(4, 2, 3, seed=123), _l(1, 2, 3, seed=124), _l(1, 2, 2, seed=125), 2, LSTM
        ),
        _network(
            "lstm",
            "forward, sequence, peepholes and biases",
            _t(3, 1, 2, seed=126),
            _l(1, 4, 2, seed=127),
            _l(1, 4, 4, seed=128),
            4,
            LSTM,
            returnSequence=True,
            bias=_l(1, 4, seed=129),
            recurrentBias=_l(1, 4, seed=130),
            peepholeWeight=_t(1, 12, seed=131),
        ),
        _network(
            "lstm",
            "backward, initial hidden state alone",
            _t(3, 2, 1, seed=132),
            _l(1, 2, 1, seed=133),
            _l(1, 2, 2, seed=134),
            2,
            LSTM,
            direction="backward",
            initialHiddenState=_t(1, 2, 2, seed=135),
        ),
        _network(
            "lstm",
            "both, ifgo, both initial states",
            _t(3, 2, 2, seed=136),
            _l(2, 3, 2, seed=137),
            _l(2, 3, 3, seed=138),
            3,
            LSTM,
            direction="both",
            layout="ifgo",
            returnSequence=True,
            initialHiddenState=_t(2, 2, 3, seed=139),
            initialCellState=_t(2, 2, 3, seed=140),
        ),
        _network(
            "lstm",
            "one step, both, sequence",
            _t(1, 2, 2, seed=141),
            _l(2, 1, 2, seed=142),
            _l(2, 1, 1, seed=143),
            1,
            LSTM,
            direction="both",
            returnSequence=True,
            peepholeWeight=_t(2, 3, seed=144),
        ),
        _network(
            "lstm",
            "float16, backward",
            _t(2, 1, 2, seed=145, dtype="float16"),
            _l(1, 2, 2, seed=146, dtype="float16"),
            _l(1, 2, 2, seed=147, dtype="float16"),
            2,
            HALF,
            direction="backward",
            returnSequence=True,
        ),
        _network(
            "lstm",
            "constant weights, three different activations",
            _t(3, 2, 2, seed=148),
            _l(1, 2, 2, seed=149).const(),
            _l(1, 2, 2, seed=150).const(),
            2,
            LSTM,
            activations=("sigmoid", "relu", "tanh"),
            bias=_l(1, 2, seed=151).const(),
            peepholeWeight=_t(1, 6, seed=152).const(),
        ),
    ],
}


def _no(name: str, op: str, gates: int, **changes: Any) -> Case:
    """A network of 2 steps, batch 1, input size 3 and hidden size 2, but for the changes."""
    lstm = op.startswith("lstm")
    states = {"hiddenState": f32([[1, 2]])} | ({"cellState": f32([[1, 2]])} if lstm else {})
    if op.endswith("Cell"):
        given: dict[str, Any] = {
            "input": count("float32", (1, 3)),
            "weight": count("float32", (gates * 2, 3)),
            "recurrentWeight": count("float32", (gates * 2, 2)),
            **states,
            "hiddenSize": 2,
        }
    else:
        given = {
            "input": count("float32", (2, 1, 3)),
            "weight": count("float32", (1, gates * 2, 3)),
            "recurrentWeight": count("float32", (1, gates * 2, 2)),
            "steps": 2,
            "hiddenSize": 2,
        }
    outputs = (2 if lstm else 1) if op != "gruCell" else None
    return refused(name, op, outputs, **{**given, **changes})


REFUSED = [
    _no("weights of four gates", "gruCell", 4),
    _no("bias of another size", "gruCell", 3, options={"bias": f32([1, 2, 3])}),
    _no("one activation", "gruCell", 3, options={"activations": ["relu"]}),
    _no("hidden state of another batch", "gruCell", 3, hiddenState=f32([[1, 2], [3, 4]])),
    _no("hidden state of another type", "gruCell", 3, hiddenState=f16([[1, 2]])),
    _no("an activation that is none", "gruCell", 3, options={"activations": ["relu", "elu"]}),
    _no("a layout of lstm", "gruCell", 3, options={"layout": "iofg"}),
    _no("other steps than the input has", "gru", 3, steps=3),
    _no("no steps", "gru", 3, steps=0),
    _no("both directions, weights of one", "gru", 3, options={"direction": "both"}),
    _no("initial state of rank 2", "gru", 3, options={"initialHiddenState": f32([[1, 2]])}),
    _no("bias of rank 1", "gru", 3, options={"bias": f32([1, 2, 3, 4, 5, 6])}),
    _no("three activations", "gru", 3, options={"activations": ["relu", "relu", "relu"]}),
    _no("a direction that is none", "gru", 3, options={"direction": "reverse"}),
    refused(
        "of int32",
        "gru",
        1,
        input=i32([[[1]]]),
        weight=i32([[[1], [1], [1]]]),
        recurrentWeight=i32([[[1], [1], [1]]]),
        steps=1,
        hiddenSize=1,
    ),
    _no("weights of three gates", "lstmCell", 3),
    _no("peepholes of four gates", "lstmCell", 4, options={"peepholeWeight": count("float32", (8,))}),
    _no("two activations", "lstmCell", 4, options={"activations": ["relu", "relu"]}),
    _no("cell state of another size", "lstmCell", 4, cellState=f32([[1, 2, 3]])),
    _no("a layout of gru", "lstmCell", 4, options={"layout": "zrn"}),
    _no("other steps than the input has", "lstm", 4, steps=1),
    _no("no steps", "lstm", 4, steps=0),
    _no("peepholes of rank 1", "lstm", 4, options={"peepholeWeight": count("float32", (6,))}),
    _no("both directions, weights of one", "lstm", 4, options={"direction": "both"}),
    _no("initial cell state of two directions", "lstm", 4, options={"initialCellState": count("float32", (2, 1, 2))}),
    _no("recurrent bias of float16", "lstm", 4, options={"recurrentBias": f16([[1, 2, 3, 4, 5, 6, 7, 8]])}),
    _no("recurrent weight of the input's size", "lstm", 4, recurrentWeight=count("float32", (1, 8, 3))),
]
