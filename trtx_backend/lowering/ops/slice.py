"""slice. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-slice"""

from __future__ import annotations

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor


@lowers("slice", values=True)
def slice(w: Writer, input: Value, *, starts: Shape, sizes: Shape, strides: Shape) -> ITensor:
    tensor = input.movable(w)
    # WebNN's size is the extent of the window, TensorRT's the number of elements taken
    taken = tuple(-(-size // stride) for size, stride in zip(sizes, strides, strict=True))
    return tensor if taken == tuple(tensor.shape) else w.slice(tensor, starts, taken, strides)
