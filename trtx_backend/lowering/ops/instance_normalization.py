"""instanceNormalization. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-instancenorm"""

from __future__ import annotations

from trtx_backend.lowering.common.normalization import normalize
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor


@lowers("instanceNormalization")
def instance_normalization(
    w: Writer, input: ITensor, scale: ITensor | None, bias: ITensor | None, *, epsilon: float, layout: str
) -> ITensor:
    channels = tuple(size if dim == "c" else 1 for dim, size in zip(layout, input.shape, strict=True))

    def place(tensor: ITensor | None) -> ITensor | None:
        return None if tensor is None else w.reshape(tensor, channels)

    return normalize(w, input, place(scale), place(bias), (layout.index("h"), layout.index("w")), epsilon)
