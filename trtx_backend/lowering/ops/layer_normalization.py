"""layerNormalization. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-layernorm"""

from __future__ import annotations

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.common.normalization import normalize
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


@lowers("layerNormalization")
def layer_normalization(
    w: Writer, input: ITensor, scale: ITensor | None, bias: ITensor | None, *, axes: Shape, epsilon: float
) -> ITensor:
    if not axes:  # each element is its own mean, and its variance is 0
        centred = w.elementwise(input, Op.SUB, input)
        if epsilon <= 0:  # 0 / 0, as where the variance of several elements is 0
            centred = w.elementwise(centred, Op.DIV, 0.0)
        scaled = centred if scale is None else w.elementwise(centred, Op.PROD, w.at_rank(scale, len(input.shape)))
        return scaled if bias is None else w.elementwise(scaled, Op.SUM, w.at_rank(bias, len(input.shape)))
    order = sorted(range(len(axes)), key=axes.__getitem__)
    shape = tuple(size if axis in axes else 1 for axis, size in enumerate(input.shape))

    def place(tensor: ITensor | None) -> ITensor | None:
        return None if tensor is None else w.reshape(w.transpose(tensor, order), shape)

    return normalize(w, input, place(scale), place(bias), axes, epsilon)
