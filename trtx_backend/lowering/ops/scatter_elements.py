"""scatterElements. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatterelements"""

from __future__ import annotations

import math

import numpy as np

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.common.indices import in_range
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import TENSORRT_TO_NUMPY, Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation


@lowers("scatterElements", values=True)
def scatter_elements(w: Writer, input: Value, indices: Value, updates: Value, *, axis: int) -> ITensor:
    where = in_range(w, indices, [input.descriptor.shape[axis]])
    data, new = input.form(w), updates.form(w)
    if where.shape[axis] <= data.shape[axis]:
        return w.add("scatter", data, where, new, trt.ScatterMode.ELEMENT, axis=axis)
    # more updates than the axis has places: the compiler refuses such indices in this mode, but not coordinates
    flat = w.reshape(data, (math.prod(data.shape),))
    place = w.reshape(_places(w, where, tuple(data.shape), axis), (math.prod(where.shape), 1))
    result = w.add("scatter", flat, place, w.reshape(new, (math.prod(where.shape),)), trt.ScatterMode.ND)
    return w.reshape(result, tuple(data.shape))


def _places(w: Writer, indices: ITensor, shape: Shape, axis: int) -> ITensor:
    """For each index the place of the element that it means, were the data of this shape of one dimension."""
    strides = [math.prod(shape[dim + 1 :]) for dim in range(len(shape))]
    others = sum(grid * strides[dim] for dim, grid in enumerate(np.indices(indices.shape)) if dim != axis)
    first = np.broadcast_to(others, tuple(indices.shape)).astype(TENSORRT_TO_NUMPY[indices.dtype])
    return w.elementwise(w.elementwise(indices, Op.PROD, strides[axis]), Op.SUM, w.constant(first))
