"""Tensors and layers, and how types and shapes are inferred: when they are asked for, from the layers in front.

A layer is a `State` that the network holds. The objects that stand for it outside are views: the one that `add_…` gives
has the layer's own class, the one that `get_layer` gives is an ILayer until its `__class__` is set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from trtx_backend.mock.enums import DataType, Enumeration
from trtx_backend.mock.weights import Dims

if TYPE_CHECKING:
    from trtx_backend.mock.network import INetworkDefinition

Inferred = tuple[Enumeration, Dims]

NAME_LIMIT = 4096


class Refused(Exception):
    """What TensorRT does not accept; the text says why. `of` is the layer at fault, once that is known."""

    of = ""

    def __str__(self) -> str:
        return f"{self.of}: {self.args[0]}" if self.of else str(self.args[0])


@dataclass(eq=False)
class State:
    """A layer of a network. `inferred`: types and shapes of its outputs, or why there are none; None: not asked yet."""

    network: INetworkDefinition
    cls: type[ILayer]
    name: str
    inputs: list[ITensor | None]
    values: dict[str, Any]
    outputs: list[ITensor] = field(default_factory=list)
    metadata: str = ""
    inferred: list[Inferred] | Refused | None = None
    read: bool = False
    """Another layer reads an output."""

    def changed(self) -> None:
        """Forget what was inferred from how the layer was."""
        for state in self.network._layers if self.read else (self,):
            state.inferred = None


class ITensor:
    """A tensor: an input of the network, or an output of a layer."""

    def __init__(self, network: INetworkDefinition, state: State | None = None, index: int = 0) -> None:
        self._network, self._state, self._index = network, state, index
        self._name: str | None = None
        self._given: Inferred | None = None

    @property
    def name(self) -> str:
        if self._name is not None or self._state is None:
            return self._name or ""
        tail = f" ({self._index})" if self._index else ""
        return f"{self._state.name}_output{tail}"

    @name.setter
    def name(self, name: str) -> None:
        if len(name) >= NAME_LIMIT or any(t is not self and t.name == name for t in self._network._tensors()):
            self._network._error(f"the tensor {self.name!r} cannot be called {name!r}: the name is used, or too long")
        else:
            self._name = name

    @property
    def dtype(self) -> Enumeration:
        try:
            return self._infer()[0]
        except Refused:
            first = next((tensor for tensor in self._state.inputs if tensor is not None), None) if self._state else None
            return first.dtype if first is not None and first is not self else DataType.FLOAT

    @property
    def shape(self) -> Dims:
        """RuntimeError, after an error was logged, if a layer in front is refused."""
        try:
            return self._infer()[1]
        except Refused as refused:
            self._network._error(str(refused))
            raise RuntimeError("the tensor has no shape") from None

    @property
    def is_network_input(self) -> bool:
        return self._state is None

    @property
    def is_network_output(self) -> bool:
        return any(tensor is self for tensor in self._network._outputs)

    def _infer(self) -> Inferred:
        if self._given is not None:
            return self._given
        assert self._state is not None
        inferred = infer(self._state)
        if isinstance(inferred, Refused):
            raise inferred
        return inferred[self._index]


def infer(last: State) -> list[Inferred] | Refused:
    """Infer a layer's outputs, and before that those of the layers in front of it. (A loop: a network may be deep.)"""
    waiting: set[int] = set()
    stack = [last]
    while stack:
        state = stack[-1]
        if state.inferred is None:
            needed = [tensor._state for tensor in state.cls.sources(state.inputs) if tensor is not None]
            missing = [producer for producer in needed if producer is not None and producer.inferred is None]
            if missing and id(state) not in waiting:
                waiting.add(id(state))
                stack.extend(missing)
                continue
            state.inferred = Refused("the network has a cycle") if missing else _infer(state)
        stack.pop()
    assert last.inferred is not None
    return last.inferred


def _infer(state: State) -> list[Inferred] | Refused:
    view = state.cls(state)
    try:
        return [(dtype, Dims(shape)) for dtype, shape in view.infer()]
    except Refused as refused:
        refused.of = refused.of or f"{state.name} ({state.cls.layer_type.name})"
        return refused


class Parameter:
    """A property of a layer. `convert` raises TypeError for what cannot be one; `check` says why a value is not accepted:
    the old one stays then, and an error is logged."""

    def __init__(
        self, convert: Callable[[Any], Any], default: Any = None, check: Callable[[Any], str | None] | None = None
    ) -> None:
        self.convert, self.default, self.check = convert, default, check

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, layer: ILayer | None, owner: type) -> Any:
        return self if layer is None else layer._state.values.get(self.name, self.default)

    def __set__(self, layer: ILayer, value: Any) -> None:
        value = self.convert(value)
        problem = self.check(value) if self.check else None
        if problem:
            layer._state.network._error(f"{layer.name}: {self.name} stays as it is: {problem}")
            return
        layer._state.values[self.name] = value
        layer._state.changed()


class ILayer:
    """A layer, seen without its parameters."""

    layer_type: ClassVar[Enumeration]
    title: ClassVar[str]
    """In default names."""
    most_inputs: ClassVar[int] = 1
    num_results: ClassVar[int] = 1

    def __init__(self, state: State) -> None:
        self._state = state

    def infer(self) -> Sequence[tuple[Enumeration, Sequence[int]]]:
        """Types and shapes of the outputs. Refused if the inputs or parameters cannot be."""
        raise NotImplementedError

    @classmethod
    def sources(cls, inputs: list[ITensor | None]) -> Sequence[ITensor | None]:
        """The inputs that types and shapes follow from."""
        return inputs

    @property
    def type(self) -> Any:
        return self._state.cls.layer_type

    @property
    def name(self) -> str:
        return self._state.name

    @name.setter
    def name(self, name: str) -> None:
        state, taken = self._state, self._state.network._layer_names
        if len(name) >= NAME_LIMIT or (name in taken and name != state.name):
            state.network._error(f"the layer {state.name!r} cannot be called {name!r}: the name is used, or too long")
            return
        taken.discard(state.name)
        taken.add(name)
        state.name = name

    @property
    def metadata(self) -> str:
        return self._state.metadata

    @metadata.setter
    def metadata(self, text: str) -> None:
        if len(text) < NAME_LIMIT:
            self._state.metadata = text

    @property
    def num_inputs(self) -> int:
        return len(self._state.inputs)

    @property
    def num_outputs(self) -> int:
        return len(self._state.outputs)

    def get_input(self, index: int) -> ITensor | None:
        return self._state.inputs[index] if 0 <= index < self.num_inputs else None

    def get_output(self, index: int) -> ITensor | None:
        return self._state.outputs[index] if 0 <= index < self.num_outputs else None

    def set_input(self, index: int, tensor: ITensor) -> None:
        if not isinstance(tensor, ITensor):
            raise TypeError(f"an input is a tensor, not {type(tensor).__name__}")
        inputs, problem = self._state.inputs, None
        if not 0 <= index < self._state.cls.most_inputs:
            problem = f"it has no input {index}"
        elif tensor._network is not self._state.network:
            problem = "the tensor is of another network"
        if problem:
            self._state.network._error(f"{self.name}: {problem}")
            return
        inputs.extend([None] * (index + 1 - len(inputs)))
        inputs[index] = tensor
        if tensor._state is not None:
            tensor._state.read = True
        if tensor in self._state.cls.sources(inputs):
            self._state.changed()

    def _input(self, index: int) -> ITensor:
        tensor = self.get_input(index)
        if tensor is None:
            raise Refused(f"input {index} is missing")
        return tensor

    def _facts(self, index: int = 0) -> Inferred:
        """Type and shape of an input."""
        return self._input(index)._infer()
