"""tile. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-tile"""

from __future__ import annotations

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("tile", values=True)
def tile(w: Writer, input: Value, *, repetitions: Shape) -> ITensor | Value:
    if all(count == 1 for count in repetitions):
        return input
    tensor = input.movable(w)
    shape = tuple(size * count for size, count in zip(tensor.shape, repetitions, strict=True))
    return w.add("slice", tensor, (0,) * len(shape), shape, (1,) * len(shape), mode=trt.SampleMode.WRAP)
