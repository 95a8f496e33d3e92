"""softmax. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softmax-method"""

from __future__ import annotations

from trtx_backend.lowering.common.axes import mask
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor


@lowers("softmax")
def softmax(w: Writer, input: ITensor, *, axis: int) -> ITensor:
    shape = tuple(input.shape)
    matrix = w.at_rank(input, max(len(shape), 2))  # TensorRT wants two dimensions
    result = w.add("softmax", matrix, axes=mask([axis + len(matrix.shape) - len(shape)]))
    return w.reshape(result, shape)
