"""IGridSampleLayer."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer


@reads("GRID_SAMPLE")
def grid_sample(layer: Layer) -> Kernel:
    """Elements of [N, C, spatial…] at the places of a grid [N, …, (x, y, …)], which names the last dimension first, where -1 and 1 are the edges, or the centres of
    the corners if they are aligned. Outside the input: 0 (FILL), the nearest element (CLAMP), or mirrored (REFLECT). Cubic
    weights have -0.75 as their coefficient, nearest rounds half to even."""
    mode, aligned, outside = layer.interpolation_mode.name, layer.align_corners, layer.sample_mode.name

    def run(x: Array, grid: Array) -> Array:
        sizes = x.shape[:1:-1]
        places = [_place(grid[..., i], size, aligned) for i, size in enumerate(sizes)]
        if mode != "CUBIC":
            places = [_bounded(p, n, outside, aligned) for p, n in zip(places, sizes, strict=True)]
        result = np.zeros((*x.shape[:2], *grid.shape[1:-1]), x.dtype)
        batch = np.arange(len(x)).reshape(-1, *(1,) * (grid.ndim - 2))
        for taps in product(*(_taps(place, mode) for place in places)):
            inside, weight, indices = np.ones(grid.shape[:-1], bool), np.ones(grid.shape[:-1]), []
            for (index, share), size in zip(taps, sizes, strict=True):
                index = _bounded(index, size, outside, aligned) if mode == "CUBIC" else index
                inside &= (index >= 0) & (index < size)
                indices.append(np.clip(index, 0, size - 1).astype(np.int64))
                weight = weight * share
            where: Any = (batch, slice(None), *indices[::-1])
            picked = np.moveaxis(x[where], -1, 1)
            kept = np.where(inside[:, None], picked, 0) if outside == "FILL" else picked
            result += np.where(weight[:, None] == 0, 0, kept * weight[:, None])
        return result

    return run


def _place(grid: Array, size: int, aligned: bool) -> Array:
    return np.asarray((grid + 1) / 2 * (size - 1) if aligned else ((grid + 1) * size - 1) / 2)


def _bounded(place: Array, size: int, outside: str, aligned: bool) -> Array:
    if outside == "CLAMP":
        return np.asarray(np.clip(place, 0, size - 1))
    if outside != "REFLECT":
        return place
    low, span = (0.0, size - 1) if aligned else (-0.5, size)
    if span == 0:
        return np.zeros_like(place)
    folded = np.mod(np.abs(place - low), 2 * span)
    return np.asarray(np.clip(np.minimum(folded, 2 * span - folded) + low, 0, size - 1))


def _taps(place: Array, mode: str) -> list[tuple[Array, Array]]:
    """Index and weight of each element that a place reads along one dimension."""
    if mode == "NEAREST":
        return [(np.rint(place), np.ones_like(place))]
    low = np.floor(place)
    part = place - low
    if mode == "LINEAR":
        return [(low, 1 - part), (low + 1, part)]
    return [(low + i, cubic_weight(part - i, -0.75)) for i in (-1, 0, 1, 2)]


def cubic_weight(distance: Array, a: float) -> Array:
    """Keys' cubic convolution kernel."""
    d = np.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.asarray(np.where(d <= 1, near, np.where(d < 2, far, 0)))
