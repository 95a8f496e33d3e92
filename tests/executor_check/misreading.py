"""Layers of which the executor would misread a parameter: another axis, another mode, padding in front for padding behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.executor_check.modes import ATTRIBUTES, layer_type
from trtx_backend.executor.layers import readers

_WINDOWS = ("stride_nd", "pre_padding", "post_padding", "padding_mode")
PARAMETERS: dict[str, tuple[str, ...]] = {
    **{kind: names for kind, names in ATTRIBUTES.items() if "to_type" not in names},
    "ACTIVATION": ("type", "alpha", "beta"),
    "CONCATENATION": ("axis",),
    "CONVOLUTION": (*_WINDOWS, "dilation_nd", "num_groups"),
    "CUMULATIVE": ("exclusive", "reverse"),
    "DECONVOLUTION": (*_WINDOWS, "dilation_nd", "num_groups"),
    "DEQUANTIZE": ("axis",),
    "FILL": ("alpha", "beta"),
    "GATHER": ("axis", "mode", "num_elementwise_dims"),
    "LRN": ("window_size", "alpha", "beta", "k"),
    "NMS": ("bounding_box_format", "topk_box_limit"),
    "NORMALIZATION": ("axes", "epsilon", "num_groups"),
    "ONE_HOT": ("axis",),
    "PADDING": ("pre_padding_nd", "post_padding_nd"),
    "POOLING": ("type", *_WINDOWS, "average_count_excludes_padding", "blend_factor"),
    "QUANTIZE": ("axis",),
    "REDUCE": ("op", "axes"),
    "RESIZE": (
        "resize_mode",
        "coordinate_transformation",
        "nearest_rounding",
        "selector_for_single_pixel",
        "cubic_coeff",
        "exclude_outside",
    ),
    "REVERSE_SEQUENCE": ("batch_axis", "sequence_axis"),
    "ROTARY_EMBEDDING": ("interleaved", "rotary_embedding_dim"),
    "SCALE": ("mode", "channel_axis"),
    "SCATTER": ("axis", "mode"),
    "SHUFFLE": ("first_transpose", "second_transpose", "zero_is_placeholder"),
    "SLICE": ("start", "stride", "mode", "axes"),
    "SOFTMAX": ("axes",),
    "TOPK": ("op", "axes"),
}
"""What says what a layer computes. Sizes of its result and types are not here: TensorRT infers the same from them."""


NO_DIFFERENCE: dict[tuple[str, str, str], str] = {
    ("ACTIVATION", "type", "RELU as THRESHOLDED_RELU"): "the threshold is alpha, and that of RELU 0",
    ("DECONVOLUTION", "padding_mode", "EXPLICIT_ROUND_DOWN as EXPLICIT_ROUND_UP"): "no size is divided",
    ("DECONVOLUTION", "padding_mode", "EXPLICIT_ROUND_UP as EXPLICIT_ROUND_DOWN"): "no size is divided",
    ("ELEMENTWISE", "op", "AND as MIN"): "the same of truth values",
    ("ELEMENTWISE", "op", "AND as PROD"): "the same of truth values",
    ("ELEMENTWISE", "op", "OR as MAX"): "the same of truth values",
    ("ELEMENTWISE", "op", "OR as SUM"): "the same of truth values, as numpy adds them",
    ("GRID_SAMPLE", "sample_mode", "CLAMP as STRICT_BOUNDS"): "a mode that the layer has not",
    ("GRID_SAMPLE", "sample_mode", "CLAMP as WRAP"): "a mode that the layer has not",
    ("POOLING", "type", "MAX as MAX_AVERAGE_BLEND"): "the blend factor of MAX is 0",
    ("SCALE", "mode", "UNIFORM as CHANNEL"): "one number is spread over any shape",
    ("SCALE", "mode", "UNIFORM as ELEMENTWISE"): "one number is spread over any shape",
    ("SLICE", "mode", "STRICT_BOUNDS as CLAMP"): "the modes differ outside the input, where STRICT_BOUNDS does not go",
    ("SLICE", "mode", "STRICT_BOUNDS as FILL"): "the modes differ outside the input, where STRICT_BOUNDS does not go",
    (
        "SLICE",
        "mode",
        "STRICT_BOUNDS as REFLECT",
    ): "the modes differ outside the input, where STRICT_BOUNDS does not go",
    ("SLICE", "mode", "STRICT_BOUNDS as WRAP"): "the modes differ outside the input, where STRICT_BOUNDS does not go",
}
"""Misreadings that no test can notice, by layer type, parameter and what it is taken for."""


@dataclass(frozen=True)
class Misreading:
    """`what` is "SUM as PROD" of an enumeration, else one of a few words."""

    kind: str
    name: str
    what: str


class Misread:
    """Stands in for a layer. One attribute has another value."""

    def __init__(self, layer: Any, name: str, value: Any) -> None:
        self._layer, self._name, self._value = layer, name, value

    def __getattr__(self, name: str) -> Any:
        return self._value if name == self._name else getattr(self._layer, name)


def misreadings(layer: Any) -> dict[Misreading, Any]:
    """All of a layer whose class is set, each with the value that is taken for the right one."""
    kind = layer_type(layer)
    return {
        Misreading(kind, name, what): value
        for name in PARAMETERS.get(kind, ())
        for what, value in _others(layer, name, getattr(layer, name))
    }


class NotRead(Exception):
    """A mode that the executor does not know, which is no misreading."""


def misread(layer: Any, misreading: Misreading, value: Any) -> Any:
    """The kernel that comes of it."""
    try:
        return _readers()[misreading.kind](Misread(layer, misreading.name, value))
    except Exception as error:
        raise NotRead from error


@cache
def _readers() -> dict[str, Any]:
    return {kind.name: reader for kind, reader in readers().items()}


def _others(layer: Any, name: str, value: Any) -> Iterator[tuple[str, Any]]:
    rank = len(layer.get_input(0).shape) if layer.num_inputs and layer.get_input(0) is not None else 0
    if isinstance(value, bool):
        yield f"{value} as {not value}", not value
    elif hasattr(type(value), "__members__"):
        members = {member.name: member for member in type(value).__members__.values()}
        yield from ((f"{value.name} as {other}", members[other]) for other in members if other != value.name)
    elif isinstance(value, float):
        yield "another number", value * 1.5 + 0.25
    elif name == "axes" and isinstance(value, int):
        full = (1 << rank) - 1
        shifted = (value << 1 | value >> max(rank - 1, 0)) & full
        if shifted != value:
            yield "the next axes", shifted
        if value & (value - 1):
            yield "without the first", value & (value - 1)
    elif "axis" in name and isinstance(value, int):
        if rank > 1:
            yield "the next axis", (value + 1) % rank
    elif isinstance(value, int):
        yield "one more", value + 1
        if value > 0:
            yield "one less", value - 1
    elif value is not None:
        yield from _other_lists(layer, name, list(value), rank)


def _other_lists(layer: Any, name: str, value: list[int], rank: int) -> Iterator[tuple[str, Any]]:
    if "transpose" in name:
        if name == "second_transpose":
            rank = len(layer.get_output(0).shape)
        value = value[:rank]
        inverse = sorted(range(len(value)), key=value.__getitem__)
        if inverse != value:
            yield "the inverse", tuple(inverse)
        if value != sorted(value):
            yield "none", tuple(sorted(value))
        return
    if value[::-1] != value:
        yield "backwards", tuple(value[::-1])
    if value:
        yield "one more", (*value[:-1], value[-1] + 1)
    other = {"pre_padding": "post_padding", "post_padding": "pre_padding"}.get(name)
    if other is not None and list(getattr(layer, other)) != value:
        yield f"as {other}", tuple(getattr(layer, other))
