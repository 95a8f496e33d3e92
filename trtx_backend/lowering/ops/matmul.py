"""matmul. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-matmul"""

from __future__ import annotations

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor


@lowers("matmul", broadcast=True)
def matmul(w: Writer, a: ITensor, b: ITensor) -> ITensor:
    return w.matmul(a, b)
