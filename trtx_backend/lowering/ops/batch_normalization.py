"""batchNormalization. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-batchnorm"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Transposed, Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation
Unary = trt.UnaryOperation


@lowers("batchNormalization", values=True)
def batch_normalization(
    w: Writer,
    input: Value,
    mean: Value,
    variance: Value,
    scale: Value | None,
    bias: Value | None,
    *,
    axis: int,
    epsilon: float,
) -> Transposed:
    # one value a channel, in float32: variance + epsilon may lie where float16 has few digits
    deviation = w.unary(w.elementwise(_float32(w, variance), Op.SUM, epsilon), Unary.SQRT)
    factor = w.elementwise(_float32(w, scale), Op.DIV, deviation) if scale else w.unary(deviation, Unary.RECIP)

    held, order = input.held(w)
    channels = tuple(size if i == order[axis] else 1 for i, size in enumerate(held.shape))

    def place(tensor: ITensor) -> ITensor:
        return w.reshape(tensor, channels)

    centred = w.elementwise(w.cast(held, trt.float32), Op.SUB, place(_float32(w, mean)))
    result = w.elementwise(centred, Op.PROD, place(factor))
    if bias is not None:
        result = w.elementwise(result, Op.SUM, place(_float32(w, bias)))
    return Transposed(w.cast(result, held.dtype), order)


def _float32(w: Writer, value: Value) -> ITensor:
    return w.cast(value.form(w), trt.float32)
