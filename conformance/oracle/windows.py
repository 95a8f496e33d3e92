"""Pooling, convTranspose2d, resample2d: their sections of https://www.w3.org/TR/webnn/#api-mlgraphbuilder"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from conformance.oracle import Array, is_float, oracle


def _pool(combine: Callable[[Array], Any]) -> Callable[..., Array]:
    def pool(
        input: Array,
        *,
        window_dimensions: Sequence[int] | None = None,
        padding: Sequence[int] = (0, 0, 0, 0),
        strides: Sequence[int] = (1, 1),
        dilations: Sequence[int] = (1, 1),
        layout: str = "nchw",
        output_shape_rounding: str = "floor",
        output_sizes: Sequence[int] | None = None,
    ) -> Array:
        """Window by window. One wholly in the padding is 0, and padding stays where outputSizes is given, as WPT has
        both."""
        x = input.transpose([layout.index(dim) for dim in "nchw"])
        window = window_dimensions or x.shape[2:]
        sizes = output_sizes or [
            getattr(math, output_shape_rounding)(
                (x.shape[2 + i] - ((window[i] - 1) * dilations[i] + 1) + padding[2 * i] + padding[2 * i + 1])
                / strides[i]
            )
            + 1
            for i in range(2)
        ]
        result = np.zeros((*x.shape[:2], *sizes), x.dtype)
        for n, c, i, j in product(*map(range, result.shape)):
            rows = [i * strides[0] + p * dilations[0] - padding[0] for p in range(window[0])]
            columns = [j * strides[1] + q * dilations[1] - padding[2] for q in range(window[1])]
            inside = [x[n, c, r, q] for r in rows if 0 <= r < x.shape[2] for q in columns if 0 <= q < x.shape[3]]
            if inside:
                result[n, c, i, j] = combine(np.array(inside, x.dtype).view(type(x)))
        return result.transpose(["nchw".index(dim) for dim in layout])

    return pool


for _name, _combine in {
    "average_pool2d": lambda values: np.mean(values),
    "l2_pool2d": lambda values: math.sqrt(float(np.sum(values * values))),
    "max_pool2d": lambda values: np.max(values),
}.items():
    _made = _pool(_combine)
    _made.__name__ = _name
    oracle(_made)


@oracle
def conv_transpose2d(
    input: Array,
    filter: Array,
    *,
    padding: Sequence[int] = (0, 0, 0, 0),
    strides: Sequence[int] = (1, 1),
    dilations: Sequence[int] = (1, 1),
    output_padding: Sequence[int] = (0, 0),
    output_sizes: Sequence[int] | None = None,
    groups: int = 1,
    input_layout: str = "nchw",
    filter_layout: str = "iohw",
    bias: Array | None = None,
) -> Array:
    """Each input element adds the filter, times itself, to the output where it stands."""
    x = input.transpose([input_layout.index(dim) for dim in "nchw"])
    kernel = filter.transpose([filter_layout.index(dim) for dim in "iohw"])
    sizes = output_sizes or [
        (x.shape[2 + i] - 1) * strides[i]
        + (kernel.shape[2 + i] - 1) * dilations[i]
        + 1
        - padding[2 * i]
        - padding[2 * i + 1]
        + output_padding[i]
        for i in range(2)
    ]
    maps, per_group = kernel.shape[1], x.shape[1] // groups
    result = np.zeros((x.shape[0], maps * groups, *sizes))
    for channel, i, j, p, q in product(range(x.shape[1]), *map(range, (*x.shape[2:], *kernel.shape[2:]))):
        row = i * strides[0] + p * dilations[0] - padding[0]
        column = j * strides[1] + q * dilations[1] - padding[2]
        if 0 <= row < sizes[0] and 0 <= column < sizes[1]:
            first = channel // per_group * maps
            result[:, first : first + maps, row, column] += x[:, channel, i, j, None] * kernel[channel, :, p, q]
    if bias is not None:
        result += bias.reshape(1, -1, 1, 1)
    return result.transpose(["nchw".index(dim) for dim in input_layout])


@oracle
def resample2d(
    input: Array,
    *,
    mode: str = "nearest-neighbor",
    scales: Sequence[float] = (1.0, 1.0),
    sizes: Sequence[int] | None = None,
    axes: Sequence[int] = (2, 3),
) -> Array:
    """Pixel centres at halves; nearest takes the lower of two that are equally near."""
    result = input.astype(np.float64)
    for position, axis in enumerate(axes):
        old = input.shape[axis]
        new = sizes[position] if sizes else math.floor(old * scales[position])
        place = (np.arange(new) + 0.5) * old / new - 0.5
        if mode == "linear":
            low = np.floor(place)
            weight = (place - low).reshape(-1, *(1,) * (result.ndim - axis - 1))
            ends = [np.take(result, np.clip(low + step, 0, old - 1).astype(int), axis) for step in (0, 1)]
            result = ends[0] * (1 - weight) + ends[1] * weight
        else:
            result = np.take(result, np.clip(np.ceil(place - 0.5), 0, old - 1).astype(int), axis)
    return result if is_float(input) else np.rint(result).astype(input.dtype)
