"""shape, an extension: the sizes are known, so they are a constant."""

from __future__ import annotations

import numpy as np

from trtx_backend.graph.ir import MLOperandDescriptor
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer


@lowers("shape", values=True)
def shape(w: Writer, input: Value) -> Value:
    sizes = np.array(input.descriptor.shape, np.int64)
    return Value(MLOperandDescriptor("int64", sizes.shape), array=sizes, constant=True)
