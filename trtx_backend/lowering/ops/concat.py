"""concat. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-concat"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor


@lowers("concat")
def concat(w: Writer, inputs: list[ITensor], *, axis: int) -> ITensor:
    return w.concat(inputs, axis)
