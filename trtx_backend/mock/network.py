"""The network: its layers, inputs, outputs, and what is said of its weights."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

from trtx_backend.mock.core import NAME_LIMIT, ILayer, ITensor
from trtx_backend.mock.enums import DataType, NetworkDefinitionCreationFlag, Severity
from trtx_backend.mock.layers.elementwise import ElementwiseLayers
from trtx_backend.mock.layers.indexing import IndexingLayers
from trtx_backend.mock.layers.loops import LoopLayers
from trtx_backend.mock.layers.reduction import ReductionLayers
from trtx_backend.mock.layers.shapes import ShapeLayers
from trtx_backend.mock.layers.windows import WindowLayers
from trtx_backend.mock.rules import member
from trtx_backend.mock.weights import Weights, as_weights, dims

if TYPE_CHECKING:
    from trtx_backend.mock.builder import Builder

LARGEST_VOLUME = 1 << 40


class INetworkDefinition(ElementwiseLayers, ShapeLayers, ReductionLayers, WindowLayers, IndexingLayers, LoopLayers):
    def __init__(self, builder: Builder, number: int) -> None:
        super().__init__()
        self.builder, self.name = builder, f"Unnamed Network {number}"
        self._inputs: list[ITensor] = []
        self._outputs: list[ITensor] = []
        self._weights_names: dict[str, tuple[Any, ...]] = {}
        self._refittable: set[str] = set()

    def _error(self, message: str) -> None:
        self.builder.logger.log(Severity.ERROR, message)

    def _tensors(self) -> Iterator[ITensor]:
        yield from self._inputs
        for state in self._layers:
            yield from state.outputs

    # Layers and tensors ---------------------------------------------------------------------------------------------

    @property
    def num_layers(self) -> int:
        return len(self._layers)

    @property
    def num_inputs(self) -> int:
        return len(self._inputs)

    @property
    def num_outputs(self) -> int:
        return len(self._outputs)

    @property
    def flags(self) -> int:
        return 1 << int(NetworkDefinitionCreationFlag.STRONGLY_TYPED)

    def get_layer(self, index: int) -> ILayer | None:
        return ILayer(self._layers[index]) if 0 <= index < self.num_layers else None

    def get_input(self, index: int) -> ITensor | None:
        return self._inputs[index] if 0 <= index < self.num_inputs else None

    def get_output(self, index: int) -> ITensor | None:
        return self._outputs[index] if 0 <= index < self.num_outputs else None

    def __len__(self) -> int:
        return self.num_layers

    def __getitem__(self, index: int) -> ILayer:
        return ILayer(self._layers[index])

    def add_input(self, name: str, dtype: Any, shape: Any) -> ITensor | None:
        sizes, kind = dims(shape), member(DataType)(dtype)
        taken = any(tensor.name == name for tensor in self._inputs)
        if taken or len(name) >= NAME_LIMIT or min(sizes, default=0) < -1 or prod(sizes) > LARGEST_VOLUME:
            self._error(f"the input {name!r}, {kind.name}{list(sizes)}, is not possible, or the name is used")
            return None
        tensor = ITensor(self)
        tensor._name, tensor._given = name, (kind, sizes)
        self._inputs.append(tensor)
        return tensor

    def mark_output(self, tensor: ITensor) -> None:
        if not isinstance(tensor, ITensor):
            raise TypeError(f"a tensor is needed, not {type(tensor).__name__}")
        if tensor._network is not self or tensor.is_network_input or tensor.is_network_output:
            self._error(f"{tensor.name} cannot become an output: it is one, or an input, or of another network")
        else:
            self._outputs.append(tensor)

    def unmark_output(self, tensor: ITensor) -> None:
        self._outputs = [output for output in self._outputs if output is not tensor]

    # Weights --------------------------------------------------------------------------------------------------------

    def _all_weights(self) -> Iterator[Weights]:
        for state in self._layers:
            yield from (value for value in state.values.values() if isinstance(value, Weights) and value.size)

    def set_weights_name(self, weights: Any, name: str | None) -> bool:
        """Weights are known by type, memory and count. False if the network has none like that, or the name is used."""
        identity = as_weights(weights)._identity
        if all(each._identity != identity for each in self._all_weights()):
            self._error("the network has no such weights")
            return False
        if not name:
            return True
        if len(name) >= NAME_LIMIT or self._weights_names.get(name, identity) != identity:
            self._error(f"weights cannot be called {name!r}: the name is used, or too long")
            return False
        self._weights_names = {key: held for key, held in self._weights_names.items() if held != identity}
        self._weights_names[name] = identity
        return True

    def mark_weights_refittable(self, name: str) -> bool:
        if name not in self._weights_names:
            self._error(f"there are no weights called {name!r}")
            return False
        self._refittable.add(name)
        return True

    def unmark_weights_refittable(self, name: str) -> bool:
        known = name in self._refittable
        self._refittable.discard(name)
        return known

    def are_weights_marked_refittable(self, name: str) -> bool:
        return name in self._refittable
