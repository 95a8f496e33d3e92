"""What triage looks at and the public API does not show: the TensorRT network that a graph becomes, and the value of each
of its tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from trtx_backend.dtypes import Array
from trtx_backend.graph import Graph


@dataclass(frozen=True)
class Tensor:
    """A tensor of a network; `dtype` is TensorRT's name for it."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class Layer:
    """A layer of a network. Its name begins with the index and the name of the WebNN operator that it comes from."""

    name: str
    type: str
    inputs: tuple[str, ...]
    outputs: tuple[Tensor, ...]


@dataclass(frozen=True)
class NetworkView:
    """A network. `names` are its inputs and outputs: TensorRT's names to WebNN's."""

    layers: tuple[Layer, ...]
    names: Mapping[str, str]


def network_of(graph: Graph) -> NetworkView:
    """The network that the graph becomes. UnsupportedError or NetworkError if there is none."""
    from trtx_backend.lowering import lower

    lowered = lower(graph)
    network = lowered.network
    layers = tuple(_layer(network.get_layer(index)) for index in range(network.num_layers))
    bindings = [*lowered.inputs.items(), *lowered.outputs.items()]
    return NetworkView(layers, {binding.name: name for name, binding in bindings})


def _layer(layer: Any) -> Layer:
    given = [layer.get_input(index) for index in range(layer.num_inputs)]
    made = [layer.get_output(index) for index in range(layer.num_outputs)]
    outputs = tuple(Tensor(tensor.name, tensor.dtype.name.lower(), tuple(tensor.shape)) for tensor in made)
    inputs = tuple(tensor.name if tensor is not None else "" for tensor in given)
    return Layer(layer.name, str(layer.type).rpartition(".")[2].lower(), inputs, outputs)


@dataclass(frozen=True)
class Step:
    """What computed a tensor: the layer's name, and what it read."""

    layer: str
    inputs: tuple[str, ...]
    tensor: str


class Tracer(Protocol):
    """A way to compute a network that shows the value of each tensor.

    `trace` gives values by TensorRT's names. With `given`, each layer reads its inputs there and not what the layers
    before it have computed, so that every value shows the error of its own layer alone; None from one that cannot.
    """

    name: str

    def trace(
        self, graph: Graph, inputs: Mapping[str, Array], given: Mapping[str, Array] | None = None
    ) -> Mapping[str, Array] | None: ...


class ExecutorTracer:
    """The executor, which computes each layer in float64, or as plain float32 hardware would."""

    def __init__(self, accumulate: str = "float64") -> None:
        self.name = f"executor in {accumulate}"
        self._accumulate = np.float32 if accumulate == "float32" else np.float64

    def trace(
        self, graph: Graph, inputs: Mapping[str, Array], given: Mapping[str, Array] | None = None
    ) -> Mapping[str, Array]:
        from trtx_backend.edge import to_binding
        from trtx_backend.executor import read
        from trtx_backend.executor.steps import run_step
        from trtx_backend.lowering import lower

        lowered = lower(graph)
        feeds = {b.name: to_binding(inputs[name], b.descriptor.dtype) for name, b in lowered.inputs.items()}
        values: dict[str, Array] = dict(feeds)
        with np.errstate(all="ignore"):
            for step in read(lowered.network).steps:
                tensors = values if given is None else {**feeds, **given}
                run_step(replace(step, dead=()), tensors, self._accumulate)
                # copies: a constant's value is the network's memory, which ends with it
                values.update({tensor.name: np.array(tensors[tensor.name]) for tensor in step.outputs})
        return values


def steps_of(graph: Graph) -> list[Step]:
    """The order in which the executor computes the network, a tensor each."""
    from trtx_backend.executor import read
    from trtx_backend.lowering import lower

    steps = read(lower(graph).network).steps
    return [
        Step(step.name, tuple(name for name in step.inputs if name is not None), tensor.name)
        for step in steps
        for tensor in step.outputs
    ]
