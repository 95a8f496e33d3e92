"""gelu. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gelu-method"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("gelu", elementwise=True)
def gelu(w: Writer, input: ITensor) -> ITensor:
    return w.activation(input, trt.ActivationType.GELU_ERF)
