"""batchNormalization. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-batchnorm"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation
Unary = trt.UnaryOperation


@lowers("batchNormalization")
def batch_normalization(
    w: Writer,
    input: ITensor,
    mean: ITensor,
    variance: ITensor,
    scale: ITensor | None,
    bias: ITensor | None,
    *,
    axis: int,
    epsilon: float,
) -> ITensor:
    # one value a channel, in float32: variance + epsilon may lie where float16 has few digits
    deviation = w.unary(w.elementwise(w.cast(variance, trt.float32), Op.SUM, epsilon), Unary.SQRT)
    factor = w.unary(deviation, Unary.RECIP)
    if scale is not None:
        factor = w.elementwise(w.cast(scale, trt.float32), Op.DIV, deviation)

    channels = [1] * len(input.shape)
    channels[axis] = input.shape[axis]

    def place(tensor: ITensor) -> ITensor:
        return w.reshape(w.cast(tensor, trt.float32), tuple(channels))

    result = w.elementwise(w.elementwise(w.cast(input, trt.float32), Op.SUB, place(mean)), Op.PROD, place(factor))
    if bias is not None:
        result = w.elementwise(result, Op.SUM, place(bias))
    return w.cast(result, input.dtype)
