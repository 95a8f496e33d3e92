"""conv2d: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-conv2d"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.oracle import Array, oracle


@oracle
def conv2d(
    input: Array,
    filter: Array,
    *,
    padding: Sequence[int] = (0, 0, 0, 0),
    strides: Sequence[int] = (1, 1),
    dilations: Sequence[int] = (1, 1),
    groups: int = 1,
    input_layout: str = "nchw",
    filter_layout: str = "oihw",
    bias: Array | None = None,
) -> Array:
    """Sum over the window and the group's channels; tap by tap, so that each tap is one strided view of the input."""
    x = input.transpose([input_layout.index(dim) for dim in "nchw"])
    kernel = filter.transpose([filter_layout.index(dim) for dim in "oihw"])
    x = np.pad(x, ((0, 0), (0, 0), (padding[0], padding[1]), (padding[2], padding[3])))
    maps, per_group, height, width = kernel.shape
    rows = (x.shape[2] - (height - 1) * dilations[0] - 1) // strides[0] + 1
    columns = (x.shape[3] - (width - 1) * dilations[1] - 1) // strides[1] + 1
    result = np.zeros((x.shape[0], maps, rows, columns))
    for output in range(maps):
        first = output // (maps // groups) * per_group
        for i in range(height):
            for j in range(width):
                top, left = i * dilations[0], j * dilations[1]
                taps = x[:, first : first + per_group, top :: strides[0], left :: strides[1]][:, :, :rows, :columns]
                result[:, output] += np.einsum("nchw,c->nhw", taps, kernel[output, :, i, j])
    if bias is not None:
        result += bias.reshape(1, -1, 1, 1)
    return result.transpose(["nchw".index(dim) for dim in input_layout])
