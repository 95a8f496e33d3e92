"""IMatrixMultiplyLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, Wide, reads, rounded_type
from trtx_backend.executor.shares import BLOCK, PIECE, PRODUCTS, in_threads, pieces, room
from trtx_backend.trt import Layer, trt

FEW = 8
"""Rows for which the other matrix is so much more than the product that this is added up piece by piece."""

Mode = trt.MatrixOperation


@reads(trt.LayerType.MATRIX_MULTIPLY, widens=True)
def matrix_multiply(layer: Layer) -> Kernel:
    """Product over the last two dimensions, the leading ones broadcast; a VECTOR operand has no second dimension."""
    op0, op1, rounded = layer.op0, layer.op1, rounded_type(layer)

    def run(a: Array, b: Array, *, accumulate: Wide) -> Array:
        a = a[..., None, :] if op0 == Mode.VECTOR else a.swapaxes(-1, -2) if op0 == Mode.TRANSPOSE else a
        b = b[..., None] if op1 == Mode.VECTOR else b.swapaxes(-1, -2) if op1 == Mode.TRANSPOSE else b
        leading = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        product = np.empty((*leading, a.shape[-2], b.shape[-1]), rounded or accumulate)
        wide = np.dtype(accumulate) if a.dtype.kind == "f" else a.dtype
        if leading and b.size == b.shape[-2] * b.shape[-1]:  # one matrix for all: their rows are those of one
            rows = a.reshape(-1, a.shape[-1])
            _multiply(rows, b.reshape(b.shape[-2:]), product.reshape(len(rows), -1), wide)
        else:
            a, b = (np.broadcast_to(x, (*leading, *x.shape[-2:])) for x in (a, b))
            _multiply_all(a, b, product, wide)
        if op1 == Mode.VECTOR:
            product = product[..., 0]
        if op0 == Mode.VECTOR:
            product = product[..., 0] if op1 == Mode.VECTOR else product[..., 0, :]
        return product

    return run


def _multiply_all(a: Array, b: Array, product: Array, wide: np.dtype[np.generic]) -> None:
    """Many matrices, some at a time where they are small."""
    if a.ndim == 2:
        _multiply(a, b, product, wide)
    elif a.ndim > 3 or len(a) == 1 or a[0].size + b[0].size > BLOCK:
        for one in zip(a, b, product, strict=True):
            _multiply_all(*one, wide)
    else:

        def some(share: slice) -> None:
            for part in pieces(share, a[0].size + b[0].size, BLOCK):
                left, right, both = (room(f"operand {i}", x[part].shape, wide) for i, x in enumerate((a, b, product)))
                left[...], right[...] = a[part], b[part]
                product[part] = np.matmul(left, right, out=both)

        in_threads(some, len(a), a[0].size * b.shape[-1] // PRODUCTS)


def _multiply(a: Array, b: Array, product: Array, wide: np.dtype[np.generic]) -> None:
    """Two matrices: the smaller is widened as a whole, the other in pieces."""
    if a.size > b.size:
        a, b, product = b.T, a.T, product.T
    left = _wide(a, wide, "left")

    few = len(a) < FEW

    def some(share: slice) -> None:
        for part in pieces(share, len(b), PIECE if few else BLOCK):
            right = _wide(b[:, part], wide, "right")
            product[:, part] = np.matmul(left, right, out=room("product", (len(left), right.shape[1]), wide))

    def by_rows(share: slice) -> None:
        total = np.zeros((len(a), share.stop - share.start), wide)
        for part in pieces(slice(0, len(b)), total.shape[1], PIECE):
            total += np.matmul(left[:, part], _wide(b[part, share], wide, "right"))
        product[:, share] = total

    in_threads(by_rows if few and b.strides[1] == b.itemsize else some, b.shape[1], max(left.size // PRODUCTS, len(b)))


def _wide(matrix: Array, wide: np.dtype[np.generic], purpose: str) -> Array:
    """The matrix in the wide type, in its own order."""
    if matrix.strides[0] < matrix.strides[1]:
        return _wide(matrix.T, wide, purpose).T
    copy = room(purpose, matrix.shape, wide)
    copy[...] = matrix
    return copy
