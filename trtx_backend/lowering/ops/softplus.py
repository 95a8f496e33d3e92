"""softplus. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softplus-method"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("softplus", elementwise=True)
def softplus(w: Writer, input: ITensor) -> ITensor:
    return w.activation(input, trt.ActivationType.SOFTPLUS, alpha=1.0, beta=1.0)
