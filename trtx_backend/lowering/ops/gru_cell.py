"""gruCell. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-grucell"""

from __future__ import annotations

from trtx_backend.lowering.common.recurrent import directed
from trtx_backend.lowering.ops.gru import gru_step
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("gruCell")
def gru_cell(
    w: Writer,
    input: ITensor,
    hidden_state: ITensor,
    *,
    hidden_size: int,
    reset_after: bool,
    layout: str,
    activations: tuple[str, ...],
    **operands: ITensor | None,
) -> ITensor:
    weights = directed(w, operands, layout)
    gates = weights.from_input(w, w.cast(input, trt.float32))
    (hidden,) = gru_step(w, weights, reset_after, activations)(gates, [w.cast(hidden_state, trt.float32)])
    return w.cast(hidden, input.dtype)
