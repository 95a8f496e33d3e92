"""Normalization by mean and variance over axes."""

from __future__ import annotations

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.common.axes import mask
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation
Reduce = trt.ReduceOperation


def normalize(
    w: Writer, input: ITensor, scale: ITensor | None, bias: ITensor | None, axes: Shape, epsilon: float
) -> ITensor:
    """(input - mean) / sqrt(variance + epsilon) * scale + bias. Scale and bias have the input's rank.

    Spelled out, in float32: the normalization layer takes but some sets of axes and shapes of scale and bias.
    """
    x = w.cast(input, trt.float32)
    centred = w.elementwise(x, Op.SUB, w.add("reduce", x, Reduce.AVG, mask(axes), True))
    variance = w.add("reduce", w.elementwise(centred, Op.PROD, centred), Reduce.AVG, mask(axes), True)
    deviation = w.unary(w.elementwise(variance, Op.SUM, epsilon), trt.UnaryOperation.SQRT)
    result = w.elementwise(centred, Op.DIV, deviation)
    if scale is not None:
        result = w.elementwise(result, Op.PROD, w.cast(scale, trt.float32))
    if bias is not None:
        result = w.elementwise(result, Op.SUM, w.cast(bias, trt.float32))
    return w.cast(result, input.dtype)
