"""lstmCell. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstmcell"""

from __future__ import annotations

from trtx_backend.lowering.common.recurrent import directed
from trtx_backend.lowering.ops.lstm import lstm_step
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("lstmCell")
def lstm_cell(
    w: Writer,
    input: ITensor,
    hidden_state: ITensor,
    cell_state: ITensor,
    *,
    hidden_size: int,
    layout: str,
    activations: tuple[str, ...],
    **operands: ITensor | None,
) -> list[ITensor]:
    weights = directed(w, operands, layout)
    gates = weights.from_input(w, w.cast(input, trt.float32), weights.recurrent_bias)
    states = [w.cast(state, trt.float32) for state in (hidden_state, cell_state)]
    return [w.cast(state, input.dtype) for state in lstm_step(w, weights, activations)(gates, states)]
