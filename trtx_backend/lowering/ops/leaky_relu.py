"""leakyRelu. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-leakyrelu"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("leakyRelu", elementwise=True)
def leaky_relu(w: Writer, input: ITensor, *, alpha: float) -> ITensor:
    return w.activation(input, trt.ActivationType.LEAKY_RELU, alpha=alpha)
