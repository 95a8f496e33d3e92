"""instanceNormalization. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-instancenorm"""

from __future__ import annotations

from trtx_backend.lowering.common.normalization import normalize
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Transposed, Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor


@lowers("instanceNormalization", values=True)
def instance_normalization(
    w: Writer, input: Value, scale: Value | None, bias: Value | None, *, epsilon: float, layout: str
) -> Transposed:
    held, order = input.held(w)
    axis = {dim: order[layout.index(dim)] for dim in layout}
    channels = tuple(size if i == axis["c"] else 1 for i, size in enumerate(held.shape))

    def place(value: Value | None) -> ITensor | None:
        return None if value is None else w.reshape(value.form(w), channels)

    return Transposed(normalize(w, held, place(scale), place(bias), (axis["h"], axis["w"]), epsilon), order)
