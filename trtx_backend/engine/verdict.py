"""What decides whether a network compiles, as a key: TensorRT, the settings, and the network as TensorRT itself tells it.

The graph that it was lowered from is not in it, nor the lowering: who changes one gets other keys for the networks that
come out differently, and the same ones for all others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np

from trtx_backend.engine.key import sources_digest
from trtx_backend.engine.settings import EngineSettings
from trtx_backend.executor.layers import layer_class
from trtx_backend.executor.weights import values
from trtx_backend.loading import dynamically_load_tensorrt
from trtx_backend.trt import ITensor, Layer, Network, flavor, trt

FORMAT = 1

SOURCES = (
    "trt.py",
    "loading.py",
    "flavor.py",
    "engine/build.py",
    "engine/settings.py",
    "engine/stack.py",
    "engine/verdict.py",
)
"""What hands a finished network to the compiler, and this."""

PLAIN = (bool, int, float, str, type(None))


class Untold(Exception):
    """A layer has a property of which not all can be read."""


def verdict_key(network: Network, settings: EngineSettings) -> str | None:
    """32 hexadecimal digits: two networks of one key are the same to the compiler. None if that cannot be told: of a
    network with a property that cannot be read, and where plans are for the GPU at hand."""
    if not flavor.ahead_of_time:
        return None
    digest = hashlib.blake2b(digest_size=16, person=b"trtx verdict")
    try:
        for line in (*_surroundings(), *_settings(settings), *network_lines(network)):
            digest.update(repr(line).encode() + b"\n")
    except (Untold, RuntimeError):  # TensorRT has no shapes for a network that makes no sense
        return None
    return digest.hexdigest()


def _surroundings() -> Iterator[Any]:
    yield FORMAT, sources_digest(names=SOURCES), str(trt.__version__), flavor.name, dynamically_load_tensorrt()


def _settings(settings: EngineSettings) -> Iterator[Any]:
    yield from ((field.name, getattr(settings, field.name)) for field in fields(settings))


def network_lines(network: Network) -> Iterator[Any]:
    """All that TensorRT tells of a network, as plain values; of weights their digest. Untold."""
    yield network.name, network.flags, network.num_inputs, network.num_outputs, network.num_layers
    for index in range(network.num_inputs):
        yield _tensor(network.get_input(index))
    for index in range(network.num_outputs):
        yield _tensor(network.get_output(index))
    for index in range(network.num_layers):
        yield from _layer(network.get_layer(index))


def _layer(layer: Layer) -> Iterator[Any]:
    kind = _KIND(layer)
    yield int(kind), layer.num_inputs, layer.num_outputs
    for index in range(layer.num_inputs):
        tensor = layer.get_input(index)
        yield None if tensor is None else tensor.name
    for index in range(layer.num_outputs):
        yield _tensor(layer.get_output(index))
    layer.__class__ = layer_class(kind)
    for name in properties(layer.__class__):
        yield name, _told(_property(layer, name))


_KIND = trt.ILayer.type.__get__
"""The type of a layer; some classes have another property of that name."""


def _property(layer: Layer, name: str) -> Any:
    return getattr(layer, name)


@cache
def properties(kind: type) -> tuple[str, ...]:
    """The names of all that a class of layers has to tell."""
    found = {name for each in kind.__mro__ for name, value in vars(each).items() if isinstance(value, property)}
    return tuple(sorted(found))


def _tensor(tensor: ITensor) -> Any:
    return (
        tensor.name,
        int(tensor.dtype),  # a name takes longer
        tuple(tensor.shape),
        tensor.allowed_formats,
        tensor.is_shape_tensor,
        tensor.is_execution_tensor,
    )


def _told(value: Any) -> Any:
    """A property as plain values. Untold if they would not be all there is to it."""
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, (np.ndarray, trt.Weights)):
        array = np.ascontiguousarray(values(value))
        digest = hashlib.blake2b(array.reshape(-1).view("u1").data, digest_size=16)
        return str(value.dtype), array.dtype.str, value.size, digest.hexdigest()
    if hasattr(type(value), "__members__"):
        return type(value).__name__, int(value)
    if isinstance(value, (tuple, list, trt.Dims, trt.Permutation)):
        return tuple(_told(item) for item in value)
    if isinstance(value, trt.ILoop):  # all else of a loop is in its layers
        return "loop", value.name
    raise Untold(type(value).__name__)
