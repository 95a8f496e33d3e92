"""Indices as WebNN has them: negative ones count from the end, and what is out of range is clamped."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trtx_backend.lowering.common.casts import EXACT, is_negative
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import TENSORRT_TO_NUMPY, Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


def in_range(w: Writer, indices: Value, limits: Sequence[int]) -> ITensor:
    """Indices from 0 to limit - 1, as INT32 or INT64; one limit for all, or one for each along the last dimension.

    TensorRT leaves both kinds undefined. Constants are put right here, others by layers in the network.
    """
    if indices.array is not None:
        high = np.asarray(limits if len(limits) > 1 else limits[0], np.int64)
        clamped = np.clip(indices.array.astype(np.int64), -high, high - 1)
        positive = np.where(clamped < 0, clamped + high, clamped)
        return w.constant(positive.astype(np.int32 if high.max() < 2**31 else np.int64), *indices.operands)
    dtype = indices.descriptor.dtype
    tensor = indices.form(w, EXACT.get(dtype))
    tensor = w.elementwise(tensor, Op.MIN, _limit(w, tensor, [limit - 1 for limit in limits]))
    if dtype == "uint32":
        return tensor
    from_end = w.elementwise(tensor, Op.SUM, _limit(w, tensor, limits))
    return w.elementwise(w.select(is_negative(w, tensor), from_end, tensor), Op.MAX, 0)


def _limit(w: Writer, like: ITensor, limits: Sequence[int]) -> ITensor:
    if len(limits) == 1:
        return w.scalar(limits[0], like)
    shape = (1,) * (len(like.shape) - 1) + (len(limits),)
    return w.constant(np.array(limits, TENSORRT_TO_NUMPY[like.dtype]).reshape(shape))
