"""cumulativeSum. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cumulativesum"""

from __future__ import annotations

import numpy as np

from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt


@lowers("cumulativeSum")
def cumulative_sum(w: Writer, input: ITensor, *, axis: int, exclusive: bool, reversed: bool) -> ITensor:
    where = w.constant(np.array(axis, np.int32))
    return w.add("cumulative", input, where, trt.CumulativeOperation.SUM, exclusive, reversed)
