"""IShuffleLayer: transpose, reshape, transpose."""

from __future__ import annotations

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer, trt


@reads(trt.LayerType.SHUFFLE, moves=True)
def shuffle(layer: Layer) -> Kernel:
    """Input 1 may be the shape. A 0 in it copies the input's size; -1 is what is left."""
    first, second = tuple(layer.first_transpose), tuple(layer.second_transpose)
    dims = layer.reshape_dims
    shape = None if dims is None else tuple(dims)
    zero_copies = layer.zero_is_placeholder

    def run(x: Array, computed: Array | None = None) -> Array:
        x = x.transpose(first[: x.ndim])
        target = shape if computed is None else tuple(int(size) for size in computed)
        if target is not None:
            x = x.reshape([x.shape[i] if size == 0 and zero_copies else size for i, size in enumerate(target)])
        return x.transpose(second[: x.ndim])

    return run
