"""softsign. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softsign-method"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("softsign", elementwise=True)
def softsign(w: Writer, input: ITensor) -> ITensor:
    return w.activation(input, trt.ActivationType.SOFTSIGN)
