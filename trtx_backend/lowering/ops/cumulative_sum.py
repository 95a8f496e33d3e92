"""cumulativeSum. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cumulativesum"""

from __future__ import annotations

import numpy as np

from trtx_backend.lowering.common.casts import in_float32
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("cumulativeSum")
def cumulative_sum(w: Writer, input: ITensor, *, axis: int, exclusive: bool, reversed: bool) -> ITensor:
    where = w.constant(np.array(axis, np.int32))

    def total(x: ITensor) -> ITensor:
        return w.add("cumulative", x, where, trt.CumulativeOperation.SUM, exclusive, reversed)

    # float16 is added up in float32, as in the reductions: a HALF total of many terms stops growing
    return in_float32(w, input, total) if input.dtype == trt.float16 else total(input)
