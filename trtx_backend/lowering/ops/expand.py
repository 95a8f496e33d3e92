"""expand. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-expand"""

from __future__ import annotations

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor


@lowers("expand", values=True)
def expand(w: Writer, input: Value, *, new_shape: Shape) -> ITensor:
    return w.expand(input.movable(w), new_shape)
