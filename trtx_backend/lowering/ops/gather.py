"""gather. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gather"""

from __future__ import annotations

from trtx_backend.lowering.common.indices import in_range
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor


@lowers("gather", values=True)
def gather(w: Writer, input: Value, indices: Value, *, axis: int) -> ITensor:
    return w.add("gather", input.movable(w), in_range(w, indices, [input.descriptor.shape[axis]]), axis)
