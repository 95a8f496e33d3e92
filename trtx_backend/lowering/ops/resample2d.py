"""resample2d. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-resample2d-method"""

from __future__ import annotations

from trtx_backend.dtypes import FLOATS
from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Transposed, Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import trt

MODE = {"nearest-neighbor": trt.InterpolationMode.NEAREST, "linear": trt.InterpolationMode.LINEAR}


@lowers("resample2d", values=True)
def resample2d(
    w: Writer, input: Value, *, mode: str, scales: tuple[float, ...], sizes: Shape, axes: Shape
) -> Transposed:
    held, permutation = input.held(w)
    axes = tuple(permutation[axis] for axis in axes)
    integer = w.op.dtype("input") not in FLOATS
    x = w.cast(held, trt.float32) if integer else held
    # the layer interpolates no more than the last three dimensions
    order = [axis for axis in range(4) if axis not in axes] + sorted(axes) if 0 in axes else [0, 1, 2, 3]
    shape = list(held.shape)
    for axis, size in zip(axes, sizes, strict=True):
        shape[axis] = size
    result = w.add(
        "resize",
        w.transpose(x, order),
        shape=tuple(shape[axis] for axis in order),
        resize_mode=MODE[mode],
        coordinate_transformation=trt.ResizeCoordinateTransformation.HALF_PIXEL,
        nearest_rounding=trt.ResizeRoundMode.HALF_DOWN,
    )
    result = w.transpose(result, [order.index(axis) for axis in range(4)])
    if integer and mode == "linear":
        result = w.unary(result, trt.UnaryOperation.ROUND)
    return Transposed(w.cast(result, held.dtype), permutation)
