"""ICastLayer and IIdentityLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.types import FLOATS, storage
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.CAST)
def cast(layer: Layer) -> Kernel:
    """Floats to integers truncate (and saturate out of range, NaN to 0, as CUDA's conversions do: documented nowhere
    for this layer); integers to narrower ones keep their low bits; anything but zero is true."""
    to = layer.to_type
    target = storage(to, layer.name)

    def run(x: Array) -> Array:
        if x.dtype.kind != "f" or to in FLOATS or to == trt.bool:
            return x.astype(np.float64 if to in FLOATS and x.dtype.itemsize < 8 else target)
        low, high = (-8, 7) if to == trt.int4 else (np.iinfo(target).min, np.iinfo(target).max)
        # the greatest double that the type holds: 2^63 - 1 itself is none
        most = np.nextafter(float(high) + 1, 0)
        whole = np.clip(np.trunc(np.nan_to_num(x, nan=0.0)), float(low), most).astype(target)
        return np.where(x > most, high, whole).astype(target)

    return run


@reads(trt.LayerType.IDENTITY, moves=True)
def identity(layer: Layer) -> Kernel:
    return lambda x: x
