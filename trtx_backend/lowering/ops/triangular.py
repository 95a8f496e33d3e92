"""triangular. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-triangular"""

from __future__ import annotations

import numpy as np

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


@lowers("triangular")
def triangular(w: Writer, input: ITensor, *, upper: bool, diagonal: int) -> ITensor:
    # Row and column numbers compared: no mask of the matrix' size. Selected, not multiplied: 0 * inf would be NaN
    *leading, height, width = input.shape
    ones = (1,) * len(leading)
    edge = np.arange(height, dtype=np.int64) + diagonal
    rows = w.constant(edge.reshape(*ones, height, 1))
    columns = w.constant(np.arange(width, dtype=np.int64).reshape(*ones, 1, width))
    outside = w.elementwise(columns, Op.LESS if upper else Op.GREATER, rows)
    return w.select(outside, w.scalar(0, input), input)
