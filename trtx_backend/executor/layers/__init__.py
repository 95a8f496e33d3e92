"""One file a TensorRT layer type: reads the layer's parameters once and returns the function that computes it.

A layer function gets float64 for the float types (exactly what the float32 or float16 tensor holds), integers in their
own type and bool, and returns the same: the caller rounds floats once, to the type of the layer's output. A layer that
only moves elements is read with `moves=True` and gets floats in the type in which they are stored; so does one that is
read with `widens=True`, which widens them itself, piece by piece, to the type that it is told as `accumulate`. A function
that computes each element from the one in its place is read with `pointwise=True`, and may be given parts of its input.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.types import GRIDS, storage
from trtx_backend.trt import Layer, trt

Array = NDArray[Any]
Kernel = Callable[..., Array | tuple[Array, ...]]
Reader = Callable[[Layer], Kernel]
Wide = type[np.floating[Any]]

_READERS: dict[Any, Reader] = {}
_MOVES: set[Any] = set()
_WIDENS: set[Any] = set()
_POINTWISE: set[Any] = set()
_AS_STORED: set[Kernel] = set()


def reads(
    *types: Any, moves: bool = False, widens: bool = False, pointwise: bool = False
) -> Callable[[Reader], Reader]:
    """Register the reader of TensorRT layer types. Those that the lowering does not use are given by name, since not
    every flavor of TensorRT has them."""

    def register(reader: Reader) -> Reader:
        known = [getattr(trt.LayerType, kind, None) if isinstance(kind, str) else kind for kind in types]
        for kind in known:
            assert kind not in _READERS, f"{kind} has two readers"
            if kind is not None:
                _READERS[kind] = reader
        _MOVES.update(known if moves else ())
        _WIDENS.update(known if widens else ())
        _POINTWISE.update(known if pointwise else ())
        return reader

    return register


def as_stored(*functions: Kernel) -> None:
    """Functions that round once when they compute in the type in which floats are stored: what IEEE says of float32, and
    numpy does for float16."""
    _AS_STORED.update(functions)


@cache
def readers() -> dict[Any, Reader]:
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    return _READERS


def kernel(layer: Layer) -> tuple[Kernel, dict[str, Any]]:
    """The function that computes a layer, and how it is called, by the names that Step has for that. ExecutorError if the
    type or mode is not one that the executor computes."""
    kind = layer.type
    if kind not in readers():
        raise ExecutorError(f"{layer.name}: the executor does not compute {kind.name} layers")
    layer.__class__ = layer_class(kind)
    found = readers()[kind](layer)
    widens = kind in _WIDENS
    stored = widens or kind in _MOVES or found in _AS_STORED
    return found, {"moves": stored, "told": widens, "fresh": widens, "pointwise": kind in _POINTWISE}


IRREGULAR_CLASSES = {
    "TOPK": "ITopKLayer",
    "SOFTMAX": "ISoftMaxLayer",
    "ELEMENTWISE": "IElementWiseLayer",
    "PARAMETRIC_RELU": "IParametricReLULayer",
    "LRN": "ILRNLayer",
    "NMS": "INMSLayer",
    "CONDITIONAL_INPUT": "IIfConditionalInputLayer",
    "CONDITIONAL_OUTPUT": "IIfConditionalOutputLayer",
    "KV_CACHE_UPDATE": "IKVCacheUpdateLayer",
}


@cache
def layer_class(kind: Any) -> type:
    """TensorRT's class for a layer type: `get_layer` gives the base class, which has no parameters."""
    regular = "I" + "".join(word.capitalize() for word in kind.name.split("_")) + "Layer"
    found: type = getattr(trt, IRREGULAR_CLASSES.get(kind.name, regular))
    return found


def rounded_type(layer: Layer) -> np.dtype[Any] | None:
    """The type to which a layer's result can be rounded where it is computed; None if numpy has none that is so narrow."""
    dtype = layer.get_output(0).dtype
    return None if dtype in GRIDS else storage(dtype, layer.name)


def is_set(mask: int, rank: int) -> tuple[int, ...]:
    """The axes in a bit mask of TensorRT's."""
    return tuple(axis for axis in range(rank) if mask >> axis & 1)


def as_float(array: Array) -> NDArray[np.float64]:
    return array.astype(np.float64, copy=False)
