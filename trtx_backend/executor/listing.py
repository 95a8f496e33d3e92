"""What TensorRT says of a network, as plain data for JSON: layers with their parameters, tensors with types and shapes."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np

from trtx_backend.executor.layers import layer_class
from trtx_backend.executor.types import STORAGE
from trtx_backend.trt import ITensor, Layer, Network, trt

_WINDOW = ("stride_nd", "pre_padding", "post_padding", "padding_mode")
_CONVOLUTION = ("num_output_maps", "kernel_size_nd", *_WINDOW, "dilation_nd", "num_groups", "kernel", "bias")

PARAMETERS: dict[str, tuple[str, ...]] = {
    "ACTIVATION": ("type", "alpha", "beta"),
    "CAST": ("to_type",),
    "CONCATENATION": ("axis",),
    "CONSTANT": ("shape", "weights"),
    "CONVOLUTION": _CONVOLUTION,
    "CUMULATIVE": ("op", "exclusive", "reverse"),
    "DECONVOLUTION": _CONVOLUTION,
    "ELEMENTWISE": ("op",),
    "GATHER": ("axis", "mode", "num_elementwise_dims"),
    "IDENTITY": (),
    "ITERATOR": ("axis", "reverse", "loop"),
    "LOOP_OUTPUT": ("axis", "kind", "loop"),
    "MATRIX_MULTIPLY": ("op0", "op1"),
    "PARAMETRIC_RELU": (),
    "POOLING": ("type", "window_size_nd", *_WINDOW, "average_count_excludes_padding", "blend_factor"),
    "RECURRENCE": ("loop",),
    "REDUCE": ("op", "axes", "keep_dims"),
    "RESIZE": (
        "resize_mode",
        "shape",
        "scales",
        "coordinate_transformation",
        "nearest_rounding",
        "selector_for_single_pixel",
        "cubic_coeff",
        "exclude_outside",
    ),
    "SCATTER": ("axis", "mode"),
    "SELECT": (),
    "SHUFFLE": ("first_transpose", "reshape_dims", "second_transpose", "zero_is_placeholder"),
    "SLICE": ("start", "shape", "stride", "mode", "axes"),
    "SOFTMAX": ("axes",),
    "TOPK": ("op", "k", "axes", "indices_type"),
    "TRIP_LIMIT": ("kind", "loop"),
    "UNARY": ("op",),
}
"""The attributes that say what a layer computes, by its type. Of other types only inputs and outputs are listed."""


def listing(network: Network) -> dict[str, Any]:
    """The whole network. Weights are listed by their digest."""
    return {
        "name": network.name,
        "inputs": [_tensor(network.get_input(i)) for i in range(network.num_inputs)],
        "outputs": [_tensor(network.get_output(i)) for i in range(network.num_outputs)],
        "layers": [listed(network.get_layer(i)) for i in range(network.num_layers)],
    }


def listed(layer: Layer) -> dict[str, Any]:
    """One layer."""
    kind = layer.type
    inputs = [layer.get_input(i) for i in range(layer.num_inputs)]
    outputs = [_tensor(layer.get_output(i)) for i in range(layer.num_outputs)]
    found = {
        "name": layer.name,
        "type": kind.name,
        "metadata": layer.metadata,
        "inputs": [None if tensor is None else tensor.name for tensor in inputs],
        "outputs": outputs,
    }
    if kind.name in PARAMETERS:
        layer.__class__ = layer_class(kind)
        rank = len(outputs[0]["shape"]) if outputs else 0
        found["parameters"] = {name: _value(_get(layer, name), rank) for name in PARAMETERS[kind.name]}
    return found


def _get(layer: Layer, name: str) -> Any:
    return layer.loop.name if name == "loop" else getattr(layer, name)


def _tensor(tensor: ITensor) -> dict[str, Any]:
    return {"name": tensor.name, "type": tensor.dtype.name, "shape": list(tensor.shape)}


def _value(value: Any, rank: int) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, (np.ndarray, trt.Weights)):
        return _weights(value)
    if isinstance(value, trt.Permutation):
        return list(value)[:rank]
    return value.name if hasattr(value, "name") else [_value(item, rank) for item in value]


def _weights(weights: Any) -> dict[str, Any]:
    if not isinstance(weights, np.ndarray) and weights.dtype in STORAGE:
        weights = weights.numpy()
    if not isinstance(weights, np.ndarray):  # a type that numpy has not
        return {"type": weights.dtype.name, "count": weights.size}
    digest = hashlib.sha256(np.ascontiguousarray(weights).tobytes()).hexdigest()
    return {"type": weights.dtype.name, "count": weights.size, "sha256": digest}
