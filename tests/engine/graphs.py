"""Graphs as programs make them, for tests of engines."""

from __future__ import annotations

from typing import Any

import numpy as np

from trtx_backend.dtypes import Array
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.ir import Graph


def floats(*shape: int, seed: int = 0, dtype: str = "float32") -> Array:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def mlp(
    seed: int = 0, layers: int = 2, size: int = 4, prefix: str = "", dtype: str = "float32", backwards: bool = False
) -> Graph:
    """Matrix products with a bias and relu. `prefix` is for names, `backwards` the order in which constants are made."""
    b = MLGraphBuilder()
    made: dict[int, Any] = {}
    for layer in reversed(range(layers)) if backwards else range(layers):
        made[layer] = [
            b.constant(floats(size, size, seed=seed + 2 * layer, dtype=dtype)),
            b.constant(floats(size, seed=seed + 2 * layer + 1, dtype=dtype)),
        ]
    y = b.input(f"{prefix}x", dtype, [2, size])
    for layer in range(layers):
        weight, bias = made[layer]
        y = b.relu(b.add(b.matmul(y, weight), bias, label=f"{prefix}{layer}"))
    return b.finish({f"{prefix}y": y})


def transformer(dtype: str = "float32", seq: int = 4, hidden: int = 8, heads: int = 2) -> Graph:
    """A block as exporters write it: int64 ids and mask, positions computed from constants, layer normalization and GELU
    in pieces, scalars that are cast, a gather with a scalar index."""
    b, c = MLGraphBuilder(), _Constants(dtype)
    ids, mask = b.input("input_ids", "int64", [1, seq]), b.input("attention_mask", "int64", [1, seq])
    positions = b.add(b.constant(np.arange(seq, dtype=np.int64).reshape(1, seq)), b.constant("int64", 2))
    x = b.add(b.gather(c(b, 11, hidden), ids, axis=0), b.gather(c(b, seq + 2, hidden), positions, axis=0))

    def norm(x: Any) -> Any:
        centred = b.sub(x, b.reduce_mean(x, axes=[2], keep_dimensions=True))
        variance = b.reduce_mean(b.pow(centred, b.cast(b.constant("int32", 2), dtype)), axes=[2], keep_dimensions=True)
        scaled = b.div(centred, b.sqrt(b.add(variance, b.cast(b.constant("float32", 1e-5), dtype))))
        return b.add(b.mul(scaled, c(b, hidden)), c(b, hidden))

    def split(x: Any) -> Any:
        return b.transpose(b.reshape(x, [1, seq, heads, hidden // heads]), permutation=[0, 2, 1, 3])

    x = norm(x)
    q, k, v = (split(b.add(b.matmul(x, b.transpose(c(b, hidden, hidden))), c(b, hidden))) for _ in range(3))
    scores = b.div(
        b.matmul(q, b.transpose(k, permutation=[0, 1, 3, 2])),
        b.sqrt(b.cast(b.constant("int64", hidden // heads), dtype)),
    )
    away = b.mul(
        b.sub(b.constant(np.ones(1, dtype)), b.reshape(b.cast(mask, dtype), [1, 1, 1, seq])), b.constant(dtype, -1e4)
    )
    attended = b.transpose(b.matmul(b.softmax(b.add(scores, away), axis=3), v), permutation=[0, 2, 1, 3])
    x = norm(b.add(x, b.matmul(b.reshape(attended, [1, seq, hidden]), c(b, hidden, hidden))))
    wide = b.add(b.matmul(x, c(b, hidden, 2 * hidden)), c(b, 2 * hidden))
    gelu = b.mul(
        b.mul(wide, b.add(b.erf(b.div(wide, b.constant(dtype, 2**0.5))), b.constant(dtype, 1))), b.constant(dtype, 0.5)
    )
    x = norm(b.add(x, b.matmul(gelu, c(b, 2 * hidden, hidden))))
    first = b.gather(x, b.constant("int64", 0), axis=1)
    return b.finish(
        {
            "last_hidden_state": x,
            "pooled": b.tanh(b.gemm(first, c(b, hidden, hidden), c=c(b, hidden), b_transpose=True)),
        }
    )


def cnn(dtype: str = "float32") -> Graph:
    """Convolutions with batch normalization that nobody folded, filters in the order of other frameworks, prelu, a skip,
    a transposed convolution and a head."""
    b, c = MLGraphBuilder(), _Constants(dtype)
    x = b.input("image", dtype, [1, 3, 8, 8])
    y = b.conv2d(x, b.transpose(c(b, 3, 3, 3, 4), permutation=[3, 2, 0, 1]), padding=[1, 1, 1, 1])
    positive = b.constant(np.abs(floats(4, seed=50, dtype=dtype)) + np.array(0.5, dtype))
    y = b.batch_normalization(y, c(b, 4), positive, scale=c(b, 4), bias=c(b, 4))
    y = b.prelu(y, c(b, 4, 1, 1))
    z = b.conv2d(y, c(b, 3, 3, 1, 4), bias=c(b, 4), padding=[1, 1, 1, 1], groups=4, filter_layout="hwio")
    y = b.add(y, b.clamp(z, min_value=0, max_value=6))
    y = b.conv_transpose2d(y, c(b, 4, 2, 2, 2), strides=[2, 2], bias=c(b, 2))
    y = b.instance_normalization(y, scale=c(b, 2), bias=c(b, 2))
    y = b.reshape(b.average_pool2d(y), [1, 2])
    return b.finish({"logits": b.gemm(y, c(b, 5, 2), c=c(b, 5), b_transpose=True, alpha=0.5)})


def quantized_cnn() -> Graph:
    """int8 activations and filters a channel, an int32 bias, uint8 at the end, quantized and back around each step."""
    b = MLGraphBuilder()
    integers = np.random.default_rng(3)

    def around(x: Any, scale: float, dtype: str = "int8") -> Any:
        ones = [1] * len(x.shape)
        step, zero = (b.constant(np.full(ones, value, kind)) for value, kind in ((scale, "float32"), (3, dtype)))
        return b.dequantize_linear(b.quantize_linear(x, step, zero), step, zero)

    x = around(b.input("image", "float32", [1, 3, 6, 6]), 0.05)
    filter = b.dequantize_linear(
        b.constant(integers.integers(-128, 128, (4, 3, 3, 3)).astype(np.int8)),
        b.constant(np.abs(floats(4, 1, 1, 1)) / 100),
        b.constant(np.zeros((4, 1, 1, 1), np.int8)),
    )
    bias = b.dequantize_linear(
        b.constant(integers.integers(-99, 99, 4).astype(np.int32)),
        b.constant(np.full(4, 0.01, np.float32)),
        b.constant(np.zeros(4, np.int32)),
    )
    y = around(b.relu(b.conv2d(x, filter, bias=bias)), 0.1)
    blocks = b.dequantize_linear(
        b.constant("int4", integers.integers(-8, 8, (64, 6)).astype(np.int8), [64, 6]),
        b.constant(np.abs(floats(4, 6)) / 10),
        b.constant("int4", np.zeros((4, 6), np.int8), [4, 6]),
    )
    return b.finish({"y": around(b.matmul(b.reshape(y, [1, 64]), blocks), 0.2, "uint8")})


def recurrent(dtype: str = "float32") -> Graph:
    """A bidirectional LSTM with peepholes over a GRU, with initial states from constants."""
    b, c = MLGraphBuilder(), _Constants(dtype)
    x = b.input("x", dtype, [3, 2, 4])
    y = b.gru(x, c(b, 1, 9, 4), c(b, 1, 9, 3), 3, 3, bias=c(b, 1, 9), recurrent_bias=c(b, 1, 9), return_sequence=True)[
        1
    ]
    y = b.reshape(y, [3, 2, 3])
    state = b.expand(c(b, 1, 1, 2), [2, 2, 2])
    outputs = b.lstm(
        y,
        c(b, 2, 8, 3),
        c(b, 2, 8, 2),
        3,
        2,
        bias=c(b, 2, 8),
        peephole_weight=c(b, 2, 6),
        initial_hidden_state=state,
        initial_cell_state=c(b, 2, 2, 2),
        direction="both",
        return_sequence=True,
    )
    return b.finish({"h": outputs[0], "c": outputs[1], "all": outputs[2]})


def shuffled() -> Graph:
    """Weights that a graph moves about before it uses them, indices computed from constants, and constants that are
    needed for their shape or not at all."""
    b, c = MLGraphBuilder(), _Constants("float32")
    x = b.input("x", "float32", [4, 4])
    weight = c(b, 8, 4)
    upper, lower = b.split(weight, 2, axis=0)
    y = b.matmul(
        b.matmul(x, upper), b.concat([b.slice(lower, [0, 0], [2, 4]), b.reverse(b.slice(lower, [2, 0], [2, 4]))], 0)
    )
    where = b.sub(b.constant(np.array([3, 2, -1, 0], np.int64)), b.constant("int64", 1))
    y = b.gather(y, b.cast(where, "int32"), axis=0)
    y = b.gather_elements(y, b.constant(np.array([[0, 1, 2, 3]] * 4, np.int32)), axis=1)
    y = b.scatter_elements(y, b.constant(np.array([[1, 0, -4, 9]], np.int32)), c(b, 1, 4), axis=0)
    y = b.where(b.greater(c(b, 4, 1), b.constant("float32", 0)), y, b.tile(c(b, 1, 4), [4, 1]))
    y = b.pad(y, [1, 0], [0, 1], value=0.5)
    y = b.add(y, b.cast(b.constant(np.array([[1, 0, 2, 0, 3]], np.uint8)), "float32"))
    y = b.mul(y, b.gather(b.cast(b.shape(weight), "float32"), b.constant("int64", 0)))
    return b.finish({"y": y, "fixed": b.exp(c(b, 2))})


def bytes_moved() -> Graph:
    """A constant of 8-bit integers that is only moved: no constant of a network has its type."""
    b = MLGraphBuilder()
    x = b.input("x", "int8", [2, 2])
    return b.finish({"y": b.concat([x, b.constant(np.ones((2, 2), np.int8))], 0)})


class _Constants:
    """Constants of normal values, each other ones."""

    def __init__(self, dtype: str) -> None:
        self._dtype, self._made = dtype, 0

    def __call__(self, b: MLGraphBuilder, *shape: int) -> Any:
        self._made += 1
        return b.constant(floats(*shape, seed=100 + self._made, dtype=self._dtype))


EXPORTED = {
    "mlp": mlp,
    "transformer": transformer,
    "transformer float16": lambda: transformer("float16"),
    "cnn": cnn,
    "cnn float16": lambda: cnn("float16"),
    "quantized cnn": quantized_cnn,
    "recurrent": recurrent,
    "recurrent float16": lambda: recurrent("float16"),
    "shuffled": shuffled,
}
"""Graphs as exporters write them, by name."""
