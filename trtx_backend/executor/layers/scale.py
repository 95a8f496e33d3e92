"""IScaleLayer."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, Wide, reads, rounded_type
from trtx_backend.executor.shares import PIECE, in_threads, pieces, room
from trtx_backend.executor.weights import values
from trtx_backend.trt import Layer


@reads("SCALE", widens=True)
def scale(layer: Layer) -> Kernel:
    """(x * scale + shift) ^ power, with one number for all (UNIFORM), for each channel, or for each element of a batch
    item; without weights these are 1, 0 and 1."""
    mode, channel = layer.mode.name, layer.channel_axis
    factor, shift, power = (values(w) for w in (layer.scale, layer.shift, layer.power))
    rounded = rounded_type(layer)

    def run(x: Array, *, accumulate: Wide) -> Array:
        """Of [rows, elements of a row] some rows at a time; the numbers have a row for each of them, in turns."""
        number = {"UNIFORM": 1, "CHANNEL": x.shape[channel]}.get(mode, prod(x.shape[1:]))
        width = 1 if mode == "ELEMENTWISE" else prod(x.shape[channel + 1 :]) if mode == "CHANNEL" else x.size
        rows = x.reshape(-1, number, width)
        result = np.empty(rows.shape, rounded or accumulate)

        def spread(numbers: Array, without: float) -> Array:
            return np.broadcast_to(numbers.astype(accumulate) if numbers.size else accumulate(without), number)[:, None]

        factors, shifts, powers = spread(factor, 1), spread(shift, 0), spread(power, 1)
        plain = bool(np.all(powers == 1))

        def some(share: slice) -> None:
            for item, own in product(range(len(rows)), pieces(share, width, PIECE)):
                wide = room("wide", rows[item, own].shape, np.dtype(accumulate))
                wide[...] = rows[item, own]
                wide *= factors[own]
                wide += shifts[own]
                result[item, own] = wide if plain else np.power(wide, powers[own])

        in_threads(some, number, 4 * len(rows) * width)
        return result.reshape(x.shape)

    return run
