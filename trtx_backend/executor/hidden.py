"""What a layer reads beside the inputs that it lists: the condition of an if, the mask and the lengths of an attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from trtx_backend.executor.layers import layer_class
from trtx_backend.trt import Layer, trt

HIDING = {getattr(trt.LayerType, name, None) for name in ("CONDITIONAL_OUTPUT", "ATTENTION_INPUT")}


def hidden_inputs(layers: Sequence[Layer]) -> Callable[[Layer], tuple[str | None, ...]]:
    """A function that gives the names of those tensors, which follow the layer's own inputs. (An attention lists its mask,
    too; that comes after query, key and value in any case.)"""
    conditions: dict[str, str] = {}
    if not any(layer.type in HIDING for layer in layers):
        return lambda layer: ()
    for layer in layers:
        if layer.type.name == "CONDITION":
            name = layer.get_input(0).name
            conditions[_typed(layer).conditional.name] = name

    def found(layer: Layer) -> tuple[str | None, ...]:
        if layer.type.name == "CONDITIONAL_OUTPUT":
            return (conditions[_typed(layer).conditional.name],)
        if layer.type.name == "ATTENTION_INPUT":
            attention = _typed(layer).attention
            listed = layer.num_inputs > 3
            tensors = (() if listed else (attention.mask,)) + (
                attention.key_value_lengths,
                attention.normalization_quantize_scale,
            )
            return tuple(None if tensor is None else str(tensor.name) for tensor in tensors)
        return ()

    return found


def _typed(layer: Layer) -> Any:
    layer.__class__ = layer_class(layer.type)
    return layer
