"""Blockwise broadcasting: each value serves a block of elements."""

from __future__ import annotations

import numpy as np

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, TensorType


def at_blocks(w: Writer, value: Value, shape: Shape, form: TensorType | None = None) -> ITensor:
    """The value as a tensor that TensorRT broadcasts to `shape`. Dimensions of 1 or of full size are left as they are."""
    given = value.descriptor.shape
    factors = [1 if size in (1, target) else target // size for size, target in zip(given, shape, strict=True)]
    if all(factor == 1 for factor in factors):
        return value.form(w, form)
    if value.array is not None:
        array = value.array
        for axis, factor in enumerate(factors):
            array = np.repeat(array, factor, axis)
        return Value(value.descriptor, array=array, operands=value.operands).form(w, form, rank=array.ndim)
    tensor = value.form(w, form)
    for axis, factor in enumerate(factors):
        if factor > 1:
            before, size, after = tuple(tensor.shape[:axis]), tensor.shape[axis], tuple(tensor.shape[axis + 1 :])
            apart = w.reshape(tensor, (*before, size, 1, *after))
            tensor = w.reshape(w.expand(apart, (*before, size, factor, *after)), (*before, size * factor, *after))
    return tensor
