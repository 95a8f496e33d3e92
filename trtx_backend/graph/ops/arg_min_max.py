"""argMin and argMax. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-argminmax"""

from __future__ import annotations

from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.errors import check
from trtx_backend.graph import arguments
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.limits import tensor
from trtx_backend.graph.operator import Output, family, output
from trtx_backend.graph.ops.reduction import reduced


@family("arg_min", "arg_max", input=tensor(min_rank=1), output=tensor("int32", "int64"))
def ARG(
    input: MLOperand, axis: int, *, keep_dimensions: bool = False, output_dtype: str = "int32", label: str = ""
) -> Output:
    """Index, as int32 or int64, of the least or greatest element along `axis`, the first of several; any data type."""
    axis = arguments.axis("axis", axis, input.rank)
    arguments.choice("output_dtype", output_dtype, ("int32", "int64"))
    limit = int(DATA_TYPES[output_dtype].max)
    check(input.shape[axis] <= limit, "axis", axis, f"its size {input.shape[axis]} must be within {output_dtype}")
    keep = arguments.boolean("keep_dimensions", keep_dimensions)
    return output(output_dtype, reduced(input.shape, (axis,), keep), axis=axis, keep_dimensions=keep)
