"""hardSigmoid. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-hard-sigmoid"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("hardSigmoid", elementwise=True)
def hard_sigmoid(w: Writer, input: ITensor, *, alpha: float, beta: float) -> ITensor:
    return w.activation(input, trt.ActivationType.HARD_SIGMOID, alpha=alpha, beta=beta)
