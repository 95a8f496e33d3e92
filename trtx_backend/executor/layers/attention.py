"""Parts of IAttention: all is computed at its input; what comes out there is handed on by its output."""

from __future__ import annotations

from typing import Any

import numpy as np

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer


@reads("ATTENTION_INPUT")
def attention(layer: Layer) -> Kernel:
    """softmax(query key^T + mask) value over [B, heads, S, H], with nothing divided by sqrt(H). Fewer heads of keys than
    of queries each serve several. A mask of truth values leaves out where it is false. Mask and lengths are no inputs of
    the layer's: the reader puts them last."""
    given: Any = layer.attention
    causal, normalized = given.causal_kind.name, given.norm_op.name == "SOFTMAX"
    if given.normalization_quantize_scale is not None:
        raise ExecutorError(f"{layer.name}: a quantized attention is not supported")
    if "PADDED_BHND" not in given.query_form.name or "PADDED_BHND" not in given.key_value_form.name:
        raise ExecutorError(f"{layer.name}: an attention over packed tokens is not supported")

    def run(q: Array, k: Array, v: Array, mask: Array | None, lengths: Array | None, *_: None) -> Array:
        repeats = q.shape[1] // k.shape[1]
        scores = q @ np.repeat(k, repeats, 1).swapaxes(-1, -2)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf) if mask.dtype == np.bool_ else scores + mask
        rows, columns = np.arange(q.shape[2])[:, None], np.arange(k.shape[2])
        ends = np.full(len(q), k.shape[2]) if lengths is None else lengths
        ends = ends.reshape(-1, 1, 1, 1)
        if lengths is not None:
            scores = np.where(columns < ends, scores, -np.inf)
        if causal != "NONE":
            shift = ends - q.shape[2] if causal == "LOWER_RIGHT" else 0
            scores = np.where(columns <= rows + shift, scores, -np.inf)
        if normalized:
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores = scores / scores.sum(-1, keepdims=True)
        return np.asarray(scores @ np.repeat(v, repeats, 1))

    return run


@reads("ATTENTION_OUTPUT", moves=True)
def output(layer: Layer) -> Kernel:
    return lambda x: x


@reads("KV_CACHE_UPDATE", moves=True)
def kv_cache_update(layer: Layer) -> Kernel:
    """The cache [B, heads, S, H] with new keys or values written from a position of each batch item on."""

    def run(cache: Array, update: Array, starts: Array) -> Array:
        result = cache.copy()
        for item, start in enumerate(starts):
            result[item, :, start : start + update.shape[2]] = update[item]
        return result

    return run
