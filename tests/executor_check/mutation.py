"""Other results of one layer type, put in from outside, and a record of the layers that a network has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from trtx_backend.executor import loops, reader
from trtx_backend.executor.layers import kernel as real_kernel

PARTS = ("ITERATOR", "LOOP_OUTPUT", "RECURRENCE", "TRIP_LIMIT")
real_part, real_result = loops.read_part, loops._result


def everywhere(x: Any) -> Any:
    """5 % and a little more; 1 more; the opposite."""
    if x.dtype.kind == "b":
        return ~x
    return x * x.dtype.type(1.05) + x.dtype.type(0.03) if x.dtype.kind == "f" else x + x.dtype.type(1)


def last_element(x: Any) -> Any:
    if x.size < 2:
        return everywhere(x)
    changed = np.array(x)
    changed.reshape(-1)[-1:] = everywhere(changed.reshape(-1)[-1:])
    return changed


PERTURBATIONS: dict[str, Callable[[Any], Any]] = {"every element": everywhere, "the last element": last_element}


@contextmanager
def mutated(kind: str, change: Callable[[Any], Any]) -> Iterator[None]:
    """Networks that are read and run inside get other results from the layers of a type. Iterators go the other way,
    recurrences stay as they begin, loops end a turn early."""

    def kernel(layer: Any) -> Any:
        function, how = real_kernel(layer)
        if reader_type(layer) != kind:
            return function, how

        def other(*given: Any, **named: Any) -> Any:
            result = function(*given, **named)
            return tuple(map(change, result)) if isinstance(result, tuple) else change(np.asarray(result))

        return other, how

    def part(layer: Any, inputs: Any, outputs: Any) -> Any:
        found = real_part(layer, inputs, outputs)
        if kind == found.kind.name == "ITERATOR":
            return replace(found, backward=not found.backward)
        return replace(found, inputs=(inputs[0], inputs[0])) if kind == found.kind.name == "RECURRENCE" else found

    reader.kernel, reader.read_part = kernel, part  # type: ignore[attr-defined, assignment]
    if kind == "LOOP_OUTPUT":
        loops._result = lambda *given: change(np.asarray(real_result(*given)))
    if kind == "TRIP_LIMIT":
        loops.range = lambda n: range(max(n - 1, 0))  # type: ignore[attr-defined]
    try:
        yield
    finally:
        reader.kernel, reader.read_part = real_kernel, real_part  # type: ignore[attr-defined]
        loops._result = real_result
        loops.__dict__.pop("range", None)


@contextmanager
def recorded() -> Iterator[set[tuple[str, str, str]]]:
    """Fills the set with (layer type, mode, data type) of the layers that are read inside."""
    seen: set[tuple[str, str, str]] = set()

    def kernel(layer: Any) -> Any:
        found = real_kernel(layer)
        seen.add((reader_type(layer), mode(layer), data_type(layer)))
        return found

    def part(layer: Any, inputs: Any, outputs: Any) -> Any:
        found = real_part(layer, inputs, outputs)
        word = found.mode.name if found.mode is not None else "reverse" if found.backward else ""
        seen.add((found.kind.name, word, outputs[0].dtype.name if outputs else "BOOL"))
        return found

    reader.kernel, reader.read_part = kernel, part  # type: ignore[attr-defined, assignment]
    try:
        yield seen
    finally:
        reader.kernel, reader.read_part = real_kernel, real_part  # type: ignore[attr-defined]


def reader_type(layer: Any) -> str:
    """ILayer's type, which the `type` of activation and pooling hides."""
    from trtx_backend.trt import trt

    hidden = getattr(trt.ILayer, "type", None)
    return str((hidden.fget(layer) if isinstance(hidden, property) else layer.type).name)


MODES: dict[str, tuple[str, ...]] = {
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


def mode(layer: Any) -> str:
    kind = reader_type(layer)
    words = []
    for name in MODES.get(kind, ()):
        value = getattr(layer, name)
        if isinstance(value, bool):
            words += [name] if value else []
        elif not (name == "nearest_rounding" and layer.resize_mode.name != "NEAREST"):
            words.append(value.name)
    if kind == "ATTENTION_INPUT":
        words.append(layer.attention.causal_kind.name)
    if kind == "GATHER" and layer.num_elementwise_dims:
        words.append("batched")
    if kind in ("CONVOLUTION", "DECONVOLUTION") and layer.num_groups > 1:
        words.append("grouped")
    if kind == "NORMALIZATION" and layer.num_groups > 1:
        words.append("groups")
    if kind == "ROTARY_EMBEDDING" and layer.rotary_embedding_dim:
        words.append("part")
    return " ".join(words)


def data_type(layer: Any) -> str:
    """Of the first input, or of the output of a layer without any."""
    first = layer.get_input(0) if layer.num_inputs and reader_type(layer) != "FILL" else None
    return str((layer.get_output(0) if first is None else first).dtype.name)
