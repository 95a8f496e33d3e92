"""elu. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-elu"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("elu", elementwise=True)
def elu(w: Writer, input: ITensor, *, alpha: float) -> ITensor:
    return w.activation(input, trt.ActivationType.ELU, alpha=alpha)
