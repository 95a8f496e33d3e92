"""concat. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-concat"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Transposed, Value, inverse, shared_permutation
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor


@lowers("concat", values=True)
def concat(w: Writer, inputs: list[Value], *, axis: int) -> ITensor | Transposed:
    order = shared_permutation(inputs)
    if order is None:
        return w.concat([value.form(w) for value in inputs], axis)
    held = [value.form(w, view=inverse(order)) for value in inputs]
    return Transposed(w.concat(held, order[axis]), order)
