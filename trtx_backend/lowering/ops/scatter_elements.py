"""scatterElements. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatterelements"""

from __future__ import annotations

import numpy as np

from trtx_backend.lowering.common.indices import in_range
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import TENSORRT_TO_NUMPY, Writer
from trtx_backend.trt import ITensor, trt


@lowers("scatterElements", values=True)
def scatter_elements(w: Writer, input: Value, indices: Value, updates: Value, *, axis: int) -> ITensor:
    where = in_range(w, indices, [input.descriptor.shape[axis]])
    data, new = input.form(w), updates.form(w)
    if where.shape[axis] <= data.shape[axis]:
        return w.add("scatter", data, where, new, trt.ScatterMode.ELEMENT, axis=axis)
    # more updates than the axis has places: the compiler refuses such indices in this mode, but not coordinates
    return w.add("scatter", data, _coordinates(w, where, axis), new, trt.ScatterMode.ND)


def _coordinates(w: Writer, indices: ITensor, axis: int) -> ITensor:
    """For each index the full coordinates of the element it means, in a last dimension."""
    shape = tuple(indices.shape)
    parts = []
    for dim, size in enumerate(shape):
        if dim == axis:
            parts.append(w.reshape(indices, (*shape, 1)))
        else:
            own = np.arange(size, dtype=TENSORRT_TO_NUMPY[indices.dtype])
            place = own.reshape((1,) * dim + (size,) + (1,) * (len(shape) - dim))
            parts.append(w.expand(w.constant(place), (*shape, 1)))
    return w.concat(parts, len(shape))
