"""transpose. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-transpose"""

from __future__ import annotations

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor


@lowers("transpose", values=True)
def transpose(w: Writer, input: Value, *, permutation: Shape) -> ITensor:
    return input.movable(w, permutation)
