"""pad. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pad"""

from __future__ import annotations

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.common.casts import as_bits
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Transposed, Value, inverse
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import trt

MODE = {"edge": trt.SampleMode.CLAMP, "reflection": trt.SampleMode.REFLECT}


@lowers("pad", values=True)
def pad(
    w: Writer, input: Value, *, beginning_padding: Shape, ending_padding: Shape, mode: str, value: float
) -> Transposed | Value:
    if not any((*beginning_padding, *ending_padding)):
        return input
    held, order = input.held(w)
    before, after = ([padding[axis] for axis in inverse(order)] for padding in (beginning_padding, ending_padding))
    start = tuple(-padding for padding in before)
    shape = tuple(a + size + b for a, size, b in zip(before, held.shape, after, strict=True))
    if mode == "constant":
        return Transposed(w.pad(held, start, shape, as_bits(value, w.op.dtype("input"))), order)
    return Transposed(w.add("slice", held, start, shape, (1,) * len(shape), mode=MODE[mode]), order)
