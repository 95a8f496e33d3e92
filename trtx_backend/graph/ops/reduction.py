"""Reduction operations. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand, Shape
from trtx_backend.graph.limits import floats, tensor
from trtx_backend.graph.operator import Output, family, output

WIDE = ("float32", "float16", "int32", "uint32", "int64", "uint64")


def reduced(shape: Shape, axes: Shape, keep_dimensions: bool) -> Shape:
    """The shape without these axes, or with 1 in their place."""
    if keep_dimensions:
        return tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def _reduce(
    input: MLOperand, *, axes: Sequence[int] | None = None, keep_dimensions: bool = False, label: str = ""
) -> Output:
    """Reduce the axes (all, if None; none, if empty: then the function applies to each element). The float functions
    take float32 and float16; the sums and products int32, uint32, int64 and uint64 as well; max and min any data type."""
    axes = arguments.axes("axes", axes, input.rank)
    keep = arguments.boolean("keep_dimensions", keep_dimensions)
    return output(input.dtype, reduced(input.shape, axes, keep), axes=axes, keep_dimensions=keep)


REDUCE = {
    **family("reduce_l1", "reduce_product", "reduce_sum", "reduce_sum_square", input=tensor(*WIDE))(_reduce),
    **family("reduce_l2", "reduce_log_sum", "reduce_log_sum_exp", "reduce_mean", input=floats())(_reduce),
    **family("reduce_max", "reduce_min", input=tensor())(_reduce),
}
