"""split. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-split"""

from __future__ import annotations

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor


@lowers("split", values=True)
def split(w: Writer, input: Value, *, splits: Shape, axis: int) -> list[ITensor] | list[Value]:
    if len(splits) == 1:
        return [input]
    tensor = input.movable(w)
    shape, one, parts, start = list(tensor.shape), (1,) * len(tensor.shape), [], 0
    for size in splits:
        first = tuple(start if i == axis else 0 for i in range(len(shape)))
        parts.append(w.slice(tensor, first, (*shape[:axis], size, *shape[axis + 1 :]), one))
        start += size
    return parts
