"""IShuffleLayer: transpose, reshape, transpose."""

from __future__ import annotations

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.SHUFFLE, moves=True)
def shuffle(layer: Layer) -> Kernel:
    if layer.num_inputs > 1:
        raise ExecutorError(f"{layer.name}: a reshape to a computed shape is not supported")
    first, second = tuple(layer.first_transpose), tuple(layer.second_transpose)
    dims = layer.reshape_dims
    shape = None if dims is None else tuple(dims)
    zero_copies = layer.zero_is_placeholder

    def run(x: Array) -> Array:
        x = x.transpose(first[: x.ndim])
        if shape is not None:
            x = x.reshape([x.shape[i] if size == 0 and zero_copies else size for i, size in enumerate(shape)])
        return x.transpose(second[: x.ndim])

    return run
