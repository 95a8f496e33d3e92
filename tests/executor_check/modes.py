"""What a layer is, for tables of evidence: its type, its mode and its data type."""

from __future__ import annotations

from typing import Any

Kind = tuple[str, str, str]
"""Layer type, mode, data type, by TensorRT's names."""

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "ACTIVATION": ("type",),
    "CAST": ("to_type",),
    "CONVOLUTION": ("padding_mode",),
    "CUMULATIVE": ("exclusive", "reverse"),
    "DECONVOLUTION": ("padding_mode",),
    "ELEMENTWISE": ("op",),
    "FILL": ("operation",),
    "GATHER": ("mode",),
    "GRID_SAMPLE": ("interpolation_mode", "sample_mode", "align_corners"),
    "MATRIX_MULTIPLY": ("op0", "op1"),
    "NMS": ("bounding_box_format",),
    "NORMALIZATION": ("is_v2",),
    "POOLING": ("type", "padding_mode"),
    "QUANTIZE": ("to_type",),
    "DEQUANTIZE": ("to_type",),
    "REDUCE": ("op",),
    "RESIZE": ("resize_mode", "coordinate_transformation", "nearest_rounding"),
    "ROTARY_EMBEDDING": ("interleaved",),
    "SCALE": ("mode",),
    "SCATTER": ("mode",),
    "SLICE": ("mode",),
    "TOPK": ("op",),
    "UNARY": ("op",),
}
"""The attributes that make a mode. (Of a layer whose class is set.)"""

DATA = {"SELECT": 1, "ONE_HOT": 1}
"""The input whose type is the layer's, where that is not the first."""


ENUMERATIONS = {
    "ACTIVATION": "ActivationType",
    "CONVOLUTION": "PaddingMode",
    "DECONVOLUTION": "PaddingMode",
    "ELEMENTWISE": "ElementWiseOperation",
    "FILL": "FillOperation",
    "GATHER": "GatherMode",
    "LOOP_OUTPUT": "LoopOutput",
    "MATRIX_MULTIPLY": "MatrixOperation",
    "POOLING": "PoolingType",
    "REDUCE": "ReduceOperation",
    "RESIZE": "InterpolationMode",
    "SCALE": "ScaleMode",
    "SCATTER": "ScatterMode",
    "SLICE": "SampleMode",
    "TOPK": "TopKOperation",
    "TRIP_LIMIT": "TripLimit",
    "UNARY": "UnaryOperation",
}
"""Where TensorRT lists the modes of a layer type."""


def never(seen: set[str]) -> list[str]:
    """Layer types that the executor computes, and modes that TensorRT has, which are not in any "TYPE|mode" key."""
    from trtx_backend.executor.layers import readers
    from trtx_backend.trt import trt

    words = {(key.split("|")[0], word) for key in seen for word in key.split("|")[1].split()}
    types = {kind.name for kind in readers()}
    missing = sorted(types - {key.split("|")[0] for key in seen})
    for kind, name in ENUMERATIONS.items():
        members = dict.fromkeys(member.name for member in getattr(trt, name).__members__.values())
        missing += [f"{kind} {member}" for member in members if (kind, member) not in words]
    return missing


def kind_of(layer: Any) -> Kind:
    return layer_type(layer), mode(layer), data_type(layer)


def layer_type(layer: Any) -> str:
    """ILayer's type, which the `type` of activation and pooling hides."""
    from trtx_backend.trt import trt

    hidden = getattr(trt.ILayer, "type", None)
    return str((hidden.fget(layer) if isinstance(hidden, property) else layer.type).name)


def mode(layer: Any) -> str:
    kind = layer_type(layer)
    words = []
    for name in ATTRIBUTES.get(kind, ()):
        value = getattr(layer, name)
        if isinstance(value, bool):
            words += [name] if value else []
        elif not (name == "nearest_rounding" and layer.resize_mode.name != "NEAREST"):
            words.append(value.name)
    return " ".join(words + _more(kind, layer))


def _more(kind: str, layer: Any) -> list[str]:
    """What is no attribute of its own."""
    if kind == "ATTENTION_INPUT":
        return [str(layer.attention.causal_kind.name)]
    if kind in ("CONVOLUTION", "DECONVOLUTION"):
        words = {"grouped": layer.num_groups > 1, "3d": len(layer.kernel_size_nd) == 3}
    elif kind == "GATHER":
        words = {"batched": layer.num_elementwise_dims > 0}
    elif kind == "NORMALIZATION":
        words = {"groups": layer.num_groups > 1}
    elif kind == "POOLING":
        average = _hidden_type(layer) != "MAX"
        words = {
            "counts-padding": average and not layer.average_count_excludes_padding,
            "3d": len(layer.window_size_nd) == 3,
        }
    elif kind in ("QUANTIZE", "DEQUANTIZE"):
        rank = len(layer.get_input(1).shape)
        words = {"by-axis": rank == 1, "by-block": rank > 1}
    elif kind == "RESIZE":
        upper = layer.selector_for_single_pixel.name == "UPPER"
        words = {"first-pixel": upper, "excludes-outside": layer.exclude_outside}
    elif kind == "ROTARY_EMBEDDING":
        words = {"part": layer.rotary_embedding_dim > 0}
    elif kind == "SHUFFLE":
        identity = list(range(len(layer.first_transpose)))
        turned = list(layer.first_transpose) != identity or list(layer.second_transpose) != identity
        words = {"transpose": turned, "reshape": layer.reshape_dims is not None or layer.num_inputs > 1}
    elif kind == "SLICE":
        words = {"some-axes": layer.num_inputs > 5 or bool(layer.axes is not None and len(layer.axes))}
    else:
        return []
    return [word for word, holds in words.items() if holds]


def _hidden_type(layer: Any) -> str:
    return str(layer.type.name)


def data_type(layer: Any) -> str:
    """Of the input that holds the data, or of the output of a layer without any."""
    kind = layer_type(layer)
    first = layer.get_input(DATA.get(kind, 0)) if layer.num_inputs and kind != "FILL" else None
    return str((layer.get_output(0) if first is None else first).dtype.name)
