"""Tensor data at the network's edge: WebNN's types in numpy to and from the types of the network's bindings."""

from __future__ import annotations

import numpy as np

from trtx_backend.dtypes import DATA_TYPES, Array

_SIGNED_VIEW = {"uint32": np.int32, "uint64": np.int64}


def to_binding(array: Array, dtype: str) -> Array:
    """WebNN data (int4, uint4 one element a byte) as the network takes it: unsigned 32- and 64-bit values as the bits
    of signed ones."""
    return array.view(_SIGNED_VIEW[dtype]) if dtype in _SIGNED_VIEW else array


def from_binding(array: Array, dtype: str) -> Array:
    """The reverse."""
    return array.view(DATA_TYPES[dtype].numpy) if dtype in _SIGNED_VIEW else array
