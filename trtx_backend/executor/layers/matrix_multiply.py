"""IMatrixMultiplyLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer, trt

Mode = trt.MatrixOperation


@reads(trt.LayerType.MATRIX_MULTIPLY)
def matrix_multiply(layer: Layer) -> Kernel:
    """Product over the last two dimensions, the leading ones broadcast; a VECTOR operand has no second dimension."""
    op0, op1 = layer.op0, layer.op1

    def run(a: Array, b: Array) -> Array:
        a = a[..., None, :] if op0 == Mode.VECTOR else a.swapaxes(-1, -2) if op0 == Mode.TRANSPOSE else a
        b = b[..., None] if op1 == Mode.VECTOR else b.swapaxes(-1, -2) if op1 == Mode.TRANSPOSE else b
        product: Array = np.matmul(a, b)
        if op1 == Mode.VECTOR:
            product = product[..., 0]
        if op0 == Mode.VECTOR:
            product = product[..., 0] if op1 == Mode.VECTOR else product[..., 0, :]
        return product

    return run
