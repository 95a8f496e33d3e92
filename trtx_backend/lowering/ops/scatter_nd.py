"""scatterND. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatternd"""

from __future__ import annotations

from trtx_backend.lowering.common.indices import in_range
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("scatterND", values=True)
def scatter_nd(w: Writer, input: Value, indices: Value, updates: Value) -> ITensor:
    where = in_range(w, indices, input.descriptor.shape[: indices.descriptor.shape[-1]])
    return w.add("scatter", input.form(w), where, updates.form(w), trt.ScatterMode.ND)
