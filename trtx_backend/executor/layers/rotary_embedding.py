"""IRotaryEmbeddingLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer


@reads("ROTARY_EMBEDDING")
def rotary_embedding(layer: Layer) -> Kernel:
    """Rotates pairs of the last dimension of [B, N, S, H] by the angles of their position: neighbours if interleaved, else
    halves. Input 3 holds the positions [B, S] in the caches [positions, pairs]; without it these are [B, S, pairs]. Only the
    first `rotary_embedding_dim` elements turn (0: all)."""
    interleaved, width = layer.interleaved, layer.rotary_embedding_dim

    def run(x: Array, cos: Array, sin: Array, positions: Array | None = None) -> Array:
        turned = width or x.shape[-1]
        if positions is not None:
            cos, sin = cos[positions], sin[positions]
        cos, sin = cos[:, None, :, : turned // 2], sin[:, None, :, : turned // 2]
        head, rest = x[..., :turned], x[..., turned:]
        if interleaved:
            first, second = head[..., 0::2], head[..., 1::2]
        else:
            first, second = head[..., : turned // 2], head[..., turned // 2 :]
        pair = (first * cos - second * sin, first * sin + second * cos)
        rotated = np.stack(pair, -1).reshape(head.shape) if interleaved else np.concatenate(pair, -1)
        return np.concatenate([rotated, rest], -1)

    return run
