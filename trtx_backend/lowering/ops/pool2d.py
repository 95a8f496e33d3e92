"""Pooling operations. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pool2d"""

from __future__ import annotations

import numpy as np

from trtx_backend.dtypes import FLOATS
from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.common.axes import permutation
from trtx_backend.lowering.common.casts import WIDE, as_bits, in_float32, less, lowest
from trtx_backend.lowering.common.windows import Windows, combine
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Transposed, Value
from trtx_backend.lowering.writer import TENSORRT_TO_NUMPY, Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation
Type = trt.PoolingType


@lowers("averagePool2d", "l2Pool2d", "maxPool2d", values=True)
def pool(
    w: Writer,
    input: Value,
    *,
    window_dimensions: Shape,
    padding: Shape,
    strides: Shape,
    dilations: Shape,
    layout: str,
    output_shape_rounding: str,
    output_sizes: Shape,
) -> Transposed:
    x = input.form(w, WIDE.get(w.op.dtype("input")), view=permutation(layout, "nchw"))
    windows = Windows(window_dimensions, strides, dilations, (padding[0], padding[2]), (0, 0), output_sizes)
    # A window that lies wholly in padding gives 0, as WPT has it: behind, such windows are left out here and put back
    # below; in front (or where a dilated window steps over the input), what gives something else is told what is empty
    inner = windows.touching(tuple(x.shape[2:]))
    function = {"averagePool2d": _average, "l2Pool2d": _l2, "maxPool2d": _max}[w.op.name]
    result = function(w, x, inner)
    if inner.size != windows.size:
        result = w.pad(result, (0, 0, 0, 0), tuple(result.shape[:2]) + windows.size, 0)
    return Transposed(result, permutation("nchw", layout))


def _layer(w: Writer, x: ITensor, windows: Windows, kind: object, counts_padding: bool = False) -> ITensor:
    return w.add(
        "pooling_nd",
        x,
        kind,
        windows.window,
        stride_nd=windows.strides,
        pre_padding=windows.before,
        post_padding=windows.after,
        average_count_excludes_padding=not counts_padding,
    )


def _padded(w: Writer, x: ITensor, windows: Windows, fill: float) -> ITensor:
    shape = tuple(x.shape)
    size = [shape[2 + i] + windows.before[i] + windows.after[i] for i in range(2)]
    return w.pad(x, (0, 0, *(-padding for padding in windows.before)), (*shape[:2], *size), fill)


def _max(w: Writer, x: ITensor, windows: Windows) -> ITensor:
    dtype = w.op.dtype("input")
    if dtype in FLOATS and windows.dilations == (1, 1):
        result = _layer(w, x, windows, Type.MAX)
    else:
        result = _max_of_taps(w, x, windows, dtype)
    empty = windows.counts(tuple(x.shape[2:])) == 0
    return w.select(w.constant(empty), w.scalar(0, result), result) if empty.any() else result


def _max_of_taps(w: Writer, x: ITensor, windows: Windows, dtype: str) -> ITensor:
    def greater(a: ITensor, b: ITensor) -> ITensor:
        if dtype in ("uint32", "uint64"):
            return w.select(less(w, a, b, dtype), b, a)
        return w.elementwise(a, Op.MAX, b)

    return combine(w, _padded(w, x, windows, as_bits(lowest(dtype), dtype)), windows, greater)


def _average(w: Writer, x: ITensor, windows: Windows) -> ITensor:
    # the layer refuses windows that lie wholly in padding
    if windows.dilations == (1, 1) and not windows.starts_in_padding:
        return _layer(w, x, windows, Type.AVERAGE)
    return in_float32(w, x, lambda y: w.elementwise(_sum(w, y, windows), Op.DIV, _counts(w, y, windows)))


def _l2(w: Writer, x: ITensor, windows: Windows) -> ITensor:
    """In float32 also for float16, whose squares overflow beyond 256."""

    def compute(y: ITensor) -> ITensor:
        squares = w.elementwise(y, Op.PROD, y)
        if windows.dilations == (1, 1):
            mean = _layer(w, squares, windows, Type.AVERAGE, counts_padding=True)
            total = w.elementwise(mean, Op.PROD, float(np.prod(windows.window)))
        else:
            total = _sum(w, squares, windows)
        return w.unary(total, trt.UnaryOperation.SQRT)

    return in_float32(w, x, compute)


def _sum(w: Writer, x: ITensor, windows: Windows) -> ITensor:
    return combine(w, _padded(w, x, windows, 0), windows, lambda a, b: w.elementwise(a, Op.SUM, b))


def _counts(w: Writer, x: ITensor, windows: Windows) -> ITensor:
    """How many elements of the input each window has: a constant, one number where there is no padding."""
    if not any((*windows.before, *windows.after)):
        return w.scalar(float(np.prod(windows.window)), x)
    counts = np.maximum(windows.counts(tuple(x.shape[2:])), 1)
    return w.constant(counts.astype(TENSORRT_TO_NUMPY[x.dtype]))
