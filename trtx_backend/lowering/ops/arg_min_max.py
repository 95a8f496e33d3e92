"""argMin and argMax. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-argminmax"""

from __future__ import annotations

from trtx_backend.lowering.common.axes import mask
from trtx_backend.lowering.common.casts import EXACT, ordered
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

INDEX = {"int32": trt.int32, "int64": trt.int64}


@lowers("argMin", "argMax", forms=EXACT)
def arg(w: Writer, input: ITensor, *, axis: int, keep_dimensions: bool, output_dtype: str) -> ITensor:
    operation = trt.TopKOperation.MIN if w.op.name == "argMin" else trt.TopKOperation.MAX
    shape = tuple(input.shape)
    values = ordered(w, w.at_rank(input, max(len(shape), 2)), w.op.dtype("input"))  # TensorRT wants two dimensions
    axes = mask([axis + len(values.shape) - len(shape)])
    index = w.output(w.layer("topk", values, operation, 1, axes, INDEX[output_dtype]), 1)
    kept = tuple(1 if i == axis else size for i, size in enumerate(shape))
    return w.reshape(index, kept if keep_dimensions else tuple(s for i, s in enumerate(shape) if i != axis))
