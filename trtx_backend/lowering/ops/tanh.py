"""tanh. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-tanh-method"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("tanh", elementwise=True)
def tanh(w: Writer, input: ITensor) -> ITensor:
    return w.activation(input, trt.ActivationType.TANH)
