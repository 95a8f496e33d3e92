"""IFillLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.types import storage
from trtx_backend.trt import Layer


@reads("FILL")
def fill(layer: Layer) -> Kernel:
    """LINSPACE: start + the element's coordinates times a step for each dimension. Input 0 may be the shape, 1 the
    start, 2 the steps. Random values cannot be foretold."""
    if layer.operation.name != "LINSPACE":
        raise ExecutorError(f"{layer.name}: {layer.operation.name} has no value that can be foretold")
    own_shape, target = layer.shape, storage(layer.to_type, layer.name)
    own_start, own_step = layer.alpha, layer.beta
    kind = np.dtype(np.float64) if target.kind == "f" else target

    def run(shape: Array | None = None, start: Array | None = None, steps: Array | None = None) -> Array:
        size = tuple(own_shape if shape is None else (int(n) for n in shape))
        first = np.asarray(own_start if start is None else start).astype(kind)
        each = np.asarray(own_step if steps is None else steps).astype(kind).reshape(-1)
        places = np.indices(size).astype(kind) if size else np.zeros((0,), kind)
        return np.asarray(first + np.tensordot(each, places, 1) if size else first).astype(kind)

    return run
