"""pad. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pad"""

from __future__ import annotations

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.common.casts import as_bits
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

MODE = {"edge": trt.SampleMode.CLAMP, "reflection": trt.SampleMode.REFLECT}


@lowers("pad")
def pad(
    w: Writer, input: ITensor, *, beginning_padding: Shape, ending_padding: Shape, mode: str, value: float
) -> ITensor:
    given = tuple(input.shape)
    shape = tuple(a + s + b for a, s, b in zip(beginning_padding, given, ending_padding, strict=True))
    if shape == given:
        return input
    start = tuple(-padding for padding in beginning_padding)
    if mode == "constant":
        return w.pad(input, start, shape, as_bits(value, w.op.dtype("input")))
    return w.add("slice", input, start, shape, (1,) * len(shape), mode=MODE[mode])
