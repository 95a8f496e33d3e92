"""where. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-where"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("where", values=True)
def where(w: Writer, condition: Value, true_value: Value, false_value: Value) -> ITensor:
    rank = max(len(value.descriptor.shape) for value in (condition, true_value, false_value))
    return w.select(condition.form(w, trt.bool, rank), true_value.form(w, rank=rank), false_value.form(w, rank=rank))
