"""batchNormalization, instanceNormalization, layerNormalization: https://www.w3.org/TR/webnn/#api-mlgraphbuilder"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.oracle import Array, oracle


def _scaled(x: Array, scale: Array | None, bias: Array | None) -> Array:
    x = x if scale is None else x * scale
    return x if bias is None else x + bias


def _normalized(x: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    mean = np.mean(x, axes, keepdims=True)
    variance = np.mean((x - mean) ** 2, axes, keepdims=True)
    return np.asanyarray((x - mean) / np.sqrt(variance + epsilon))


@oracle
def batch_normalization(
    input: Array,
    mean: Array,
    variance: Array,
    *,
    scale: Array | None = None,
    bias: Array | None = None,
    axis: int = 1,
    epsilon: float = 1e-5,
) -> Array:
    shape = [-1 if i == axis else 1 for i in range(input.ndim)]
    mean, variance = mean.reshape(shape), variance.reshape(shape)
    placed = [None if x is None else x.reshape(shape) for x in (scale, bias)]
    return _scaled((input - mean) / np.sqrt(variance + epsilon), *placed)


@oracle
def instance_normalization(
    input: Array, *, scale: Array | None = None, bias: Array | None = None, epsilon: float = 1e-5, layout: str = "nchw"
) -> Array:
    shape = [-1 if dim == "c" else 1 for dim in layout]
    placed = [None if x is None else x.reshape(shape) for x in (scale, bias)]
    return _scaled(_normalized(input, (layout.index("h"), layout.index("w")), epsilon), *placed)


@oracle
def layer_normalization(
    input: Array,
    *,
    scale: Array | None = None,
    bias: Array | None = None,
    axes: Sequence[int] | None = None,
    epsilon: float = 1e-5,
) -> Array:
    chosen = tuple(range(1, input.ndim)) if axes is None else tuple(axes)
    if not chosen:
        return _scaled((input - input) / np.sqrt(epsilon), scale, bias)  # each element is its own mean
    shape = [input.shape[i] if i in chosen else 1 for i in range(input.ndim)]
    placed = [None if x is None else x.transpose(np.argsort(chosen)).reshape(shape) for x in (scale, bias)]
    return _scaled(_normalized(input, chosen, epsilon), *placed)
