"""The double's plans: a TensorRT network as the executor reads it, in bytes, without the weights that can be refitted.

A network is written down by letting the executor read it and noting what it asked for. From a plan it reads the same
answers again, so that a plan can be run where the network is gone: in another process, from a cache.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from trtx_backend.dtypes import Array
from trtx_backend.executor import Program, read
from trtx_backend.trt import ITensor, Layer, Network, trt

MAGIC = b"plan of the double\n"


@dataclass(frozen=True)
class Tensor:
    """What the executor asks of an ITensor."""

    name: str
    dtype: Any
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Weight:
    """In the place of weights that were stripped."""

    name: str
    dtype: np.dtype[Any]
    size: int


@dataclass
class PlannedLayer:
    """A layer as it was read. What it says depends on whether it was cast to its own class: `type` then means another."""

    name: str
    inputs: list[Tensor | None]
    outputs: list[Tensor]
    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)
    is_cast: bool = False
    weights_of: Any = None
    num_inputs: int = 0
    num_outputs: int = 0

    def get_input(self, index: int) -> Tensor | None:
        return self.inputs[index]

    def get_output(self, index: int) -> Tensor:
        return self.outputs[index]

    def __getattr__(self, name: str) -> Any:
        answers = self.__dict__.get("after" if self.__dict__.get("is_cast") else "before", {})
        if name not in answers:
            raise AttributeError(f"{self.__dict__.get('name')}: {name} was not read when the plan was made")
        value = answers[name]
        return self.weights_of(value) if isinstance(value, Weight) else value

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "__class__":
            name, value = "is_cast", True
        object.__setattr__(self, name, value)


@dataclass
class PlannedNetwork:
    """What the executor asks of an INetworkDefinition. `names` are those of the weights that were stripped."""

    inputs: list[Tensor]
    outputs: list[Tensor]
    layers: list[PlannedLayer]
    weights: dict[str, Weight] = field(default_factory=dict)

    @property
    def num_layers(self) -> int:
        return len(self.layers)

    @property
    def num_inputs(self) -> int:
        return len(self.inputs)

    @property
    def num_outputs(self) -> int:
        return len(self.outputs)

    def get_layer(self, index: int) -> PlannedLayer:
        return self.layers[index]

    def get_input(self, index: int) -> Tensor:
        return self.inputs[index]

    def get_output(self, index: int) -> Tensor:
        return self.outputs[index]


class _Noting:
    """A layer that notes in a PlannedLayer what is asked of it."""

    def __init__(self, layer: Layer, noted: PlannedLayer) -> None:
        self.__dict__.update(layer=layer, noted=noted, name=noted.name)

    def __getattr__(self, name: str) -> Any:
        noted: PlannedLayer = self.__dict__["noted"]
        if name in ("num_inputs", "num_outputs", "get_input", "get_output"):
            return getattr(noted, name)
        value = _plain(getattr(self.__dict__["layer"], name))
        (noted.after if noted.is_cast else noted.before)[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "__class__":
            raise AttributeError(name)
        self.__dict__["layer"].__class__ = value
        self.__dict__["noted"].is_cast = True


class _NotingNetwork:
    def __init__(self, planned: PlannedNetwork, layers: list[_Noting]) -> None:
        self.planned, self.layers = planned, layers

    def __getattr__(self, name: str) -> Any:
        return getattr(self.planned, name)

    def get_layer(self, index: int) -> _Noting:
        return self.layers[index]


def make_plan(network: Network, stripped: Mapping[str, str]) -> bytes:
    """The plan of a network. `stripped` are the weights to be left out: their constant layer, and their name."""
    given = [network.get_layer(index) for index in range(network.num_layers)]
    planned = PlannedNetwork(
        [_tensor(network.get_input(index)) for index in range(network.num_inputs)],
        [_tensor(network.get_output(index)) for index in range(network.num_outputs)],
        [_layer(layer) for layer in given],
    )
    read(_NotingNetwork(planned, [_Noting(*pair) for pair in zip(given, planned.layers, strict=True)]))
    for layer in planned.layers:
        layer.is_cast = False
        if "weights" in layer.after:
            layer.after["weights"] = _kept(planned, layer.after["weights"], stripped.get(layer.name))
    absent = set(stripped.values()) - set(planned.weights)
    if absent:
        raise ValueError(f"weights {sorted(absent)} belong to no constant of the network")
    return MAGIC + pickle.dumps(planned)


def _kept(planned: PlannedNetwork, weights: Array, name: str | None) -> Array | Weight:
    if name is None:
        return np.array(weights)
    planned.weights[name] = Weight(name, weights.dtype, weights.size)
    return planned.weights[name]


def load_plan(plan: bytes) -> PlannedNetwork:
    """ValueError if it is none."""
    if not bytes(plan).startswith(MAGIC):
        raise ValueError("not a plan of the double")
    try:
        network: PlannedNetwork = pickle.loads(bytes(plan)[len(MAGIC) :])
    except Exception as error:
        raise ValueError(f"a damaged plan: {error}") from error
    return network


def program(network: PlannedNetwork, weights: Mapping[str, Array]) -> Program:
    """What the executor runs. The weights are referred to, so that they can be changed later."""
    for layer in network.layers:
        layer.is_cast = False
        layer.weights_of = lambda weight: weights[weight.name]
    return read(network)


def _layer(layer: Layer) -> PlannedLayer:
    inputs = [layer.get_input(index) for index in range(layer.num_inputs)]
    outputs = [_tensor(layer.get_output(index)) for index in range(layer.num_outputs)]
    described = [None if tensor is None else _tensor(tensor) for tensor in inputs]
    return PlannedLayer(layer.name, described, outputs, num_inputs=len(inputs), num_outputs=len(outputs))


def _tensor(tensor: ITensor) -> Tensor:
    return Tensor(tensor.name, tensor.dtype, tuple(tensor.shape))


def _plain(value: Any) -> Any:
    """TensorRT's own kinds of sequences and objects as Python's."""
    if isinstance(value, (trt.Dims, trt.Permutation)):
        return tuple(value)
    if isinstance(value, trt.ILoop):
        return SimpleNamespace(name=value.name)
    if isinstance(value, trt.Weights):
        return SimpleNamespace(size=value.size, dtype=value.dtype)
    return value
