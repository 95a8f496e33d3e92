"""reverse. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reverse-method"""

from __future__ import annotations

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor


@lowers("reverse", values=True)
def reverse(w: Writer, input: Value, *, axes: Shape) -> ITensor | Value:
    if not axes:
        return input
    tensor = input.movable(w)
    shape = tuple(tensor.shape)
    start = tuple(size - 1 if axis in axes else 0 for axis, size in enumerate(shape))
    return w.slice(tensor, start, shape, tuple(-1 if axis in axes else 1 for axis in range(len(shape))))
