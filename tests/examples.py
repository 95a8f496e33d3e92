"""One small call of every operator, for tests that go over all of them: `EXAMPLES[name](builder, dtype)` where `dtype` is
the data type of the operand that the others follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.graph import MLGraphBuilder

Example = Callable[[MLGraphBuilder, str], Any]


def _input(b: MLGraphBuilder, dtype: str, *shape: int, name: str = "x") -> Any:
    return b.input(name, dtype, shape)


def _unary(name: str, *shape: int, **options: Any) -> Example:
    return lambda b, dtype: getattr(b, name)(_input(b, dtype, *(shape or (2, 3))), **options)


def _binary(name: str) -> Example:
    return lambda b, dtype: getattr(b, name)(_input(b, dtype, 2, 3), _input(b, dtype, 3, name="y"))


def _conv(name: str) -> Example:
    return lambda b, dtype: getattr(b, name)(
        _input(b, dtype, 1, 2, 5, 5), _input(b, dtype, 2, 2, 3, 3, name="f"), bias=_input(b, dtype, 2, name="bias")
    )


def _indexed(name: str, *indices: int) -> Example:
    return lambda b, dtype: getattr(b, name)(_input(b, dtype, 3, 2), _input(b, "int32", *indices, name="i"))


def _scattered(name: str, indices: tuple[int, ...], updates: tuple[int, ...]) -> Example:
    return lambda b, dtype: getattr(b, name)(
        _input(b, dtype, 3, 2), _input(b, "int32", *indices, name="i"), _input(b, dtype, *updates, name="u")
    )


def _recurrent(name: str, gates: int, cell: bool) -> Example:
    def make(b: MLGraphBuilder, dtype: str) -> Any:
        batch, size, hidden, directions = 2, 3, 2, () if cell else (1,)
        x = _input(b, dtype, *(() if cell else (2,)), batch, size)
        weight = _input(b, dtype, *directions, gates * hidden, size, name="w")
        recurrent = _input(b, dtype, *directions, gates * hidden, hidden, name="r")
        if not cell:
            return getattr(b, name)(x, weight, recurrent, steps=2, hidden_size=hidden)
        states = {"hidden_state": _input(b, dtype, batch, hidden, name="h")}
        if name == "lstm_cell":
            states["cell_state"] = _input(b, dtype, batch, hidden, name="c")
        return getattr(b, name)(x, weight, recurrent, **states, hidden_size=hidden)

    return make


_UNARY = [
    "abs",
    "ceil",
    "cos",
    "erf",
    "exp",
    "floor",
    "identity",
    "log",
    "neg",
    "reciprocal",
    "round_even",
    "sign",
    "sin",
    "sqrt",
    "tan",
    "relu",
    "elu",
    "gelu",
    "hard_sigmoid",
    "hard_swish",
    "leaky_relu",
    "linear",
    "sigmoid",
    "softplus",
    "softsign",
    "tanh",
    "is_nan",
    "is_infinite",
    "logical_not",
    "transpose",
    "reverse",
]
_BINARY = [
    "add",
    "sub",
    "mul",
    "div",
    "max",
    "min",
    "pow",
    "equal",
    "not_equal",
    "greater",
    "greater_or_equal",
    "lesser",
    "lesser_or_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "prelu",
]
_REDUCTIONS = ["l1", "l2", "log_sum", "log_sum_exp", "max", "mean", "min", "product", "sum", "sum_square"]
_POOLS = ["average_pool2d", "l2_pool2d", "max_pool2d"]

EXAMPLES: dict[str, Example] = {
    **{name: _unary(name) for name in _UNARY},
    **{name: _binary(name) for name in _BINARY},
    **{f"reduce_{name}": _unary(f"reduce_{name}", axes=[1]) for name in _REDUCTIONS},
    **{name: _unary(name, 1, 2, 4, 4, window_dimensions=[2, 2]) for name in _POOLS},
    "arg_max": _unary("arg_max", axis=1),
    "arg_min": _unary("arg_min", axis=1),
    "batch_normalization": lambda b, dtype: b.batch_normalization(
        _input(b, dtype, 2, 3), _input(b, dtype, 3, name="mean"), _input(b, dtype, 3, name="variance")
    ),
    "cast": _unary("cast", dtype="float32"),
    "clamp": _unary("clamp", min_value=1, max_value=2),
    "concat": lambda b, dtype: b.concat([_input(b, dtype, 2, 3), _input(b, dtype, 1, 3, name="y")], 0),
    "conv2d": _conv("conv2d"),
    "conv_transpose2d": _conv("conv_transpose2d"),
    "cumulative_sum": _unary("cumulative_sum", axis=1),
    "dequantize_linear": lambda b, dtype: b.dequantize_linear(
        _input(b, dtype, 2, 4),
        _input(b, "float32", 1, 2, name="scale"),
        b.constant(dtype, np.ones((1, 2), DATA_TYPES[dtype].numpy), [1, 2]),
    ),
    "quantize_linear": lambda b, dtype: b.quantize_linear(
        _input(b, dtype, 2, 4), _input(b, dtype, 2, 1, name="scale"), _input(b, "int8", 2, 1, name="zero")
    ),
    "expand": _unary("expand", 2, 1, new_shape=[4, 2, 3]),
    "gather": _indexed("gather", 2),
    "gather_elements": _indexed("gather_elements", 5, 2),
    "gather_nd": _indexed("gather_nd", 4, 2),
    "gemm": lambda b, dtype: b.gemm(
        _input(b, dtype, 2, 3), _input(b, dtype, 3, 4, name="y"), c=_input(b, dtype, 4, name="c"), alpha=0.5, beta=2.0
    ),
    "gru": _recurrent("gru", 3, cell=False),
    "gru_cell": _recurrent("gru_cell", 3, cell=True),
    "instance_normalization": _unary("instance_normalization", 1, 2, 4, 4),
    "layer_normalization": _unary("layer_normalization", axes=[1]),
    "lstm": _recurrent("lstm", 4, cell=False),
    "lstm_cell": _recurrent("lstm_cell", 4, cell=True),
    "matmul": lambda b, dtype: b.matmul(_input(b, dtype, 2, 3), _input(b, dtype, 3, 4, name="y")),
    "pad": _unary("pad", beginning_padding=[1, 0], ending_padding=[0, 2]),
    "resample2d": _unary("resample2d", 1, 2, 4, 4, scales=[2.0, 2.0]),
    "reshape": _unary("reshape", new_shape=[3, 2]),
    "scatter_elements": _scattered("scatter_elements", (4, 2), (4, 2)),
    "scatter_nd": _scattered("scatter_nd", (1, 1), (1, 2)),
    "shape": _unary("shape"),
    "slice": _unary("slice", starts=[0, 1], sizes=[2, 2]),
    "softmax": _unary("softmax", axis=1),
    "split": _unary("split", 4, 2, splits=2),
    "tile": _unary("tile", repetitions=[2, 1]),
    "triangular": _unary("triangular"),
    "where": lambda b, dtype: b.where(
        _input(b, "uint8", 2, 1), _input(b, dtype, 2, 3, name="y"), _input(b, dtype, 3, name="z")
    ),
}
