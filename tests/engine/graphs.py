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
        y = b.relu(b.add(b.matmul(y, weight), bias), label=f"{prefix}{layer}")
    return b.finish({f"{prefix}y": y})
