"""How a layer comes into a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trtx_backend.mock.core import ILayer, ITensor, Refused, State


def checked(value: Any) -> ITensor:
    """TypeError for what is no tensor."""
    if not isinstance(value, ITensor):
        raise TypeError(f"a tensor is needed, not {type(value).__name__}")
    return value


class Adding:
    """The part of a network that its `add_…` methods share. They return None, after an error was logged, where TensorRT
    does; arguments of a wrong Python type are a TypeError."""

    def __init__(self) -> None:
        self._layers: list[State] = []
        self._layer_names: set[str] = set()

    def _add(self, cls: type[ILayer], inputs: Sequence[ITensor], refuse: str | None = None, **values: Any) -> Any:
        """A layer with these parameters. `refuse`: why TensorRT does not make one."""
        converted = {}
        for name, value in values.items():
            parameter = getattr(cls, name)
            converted[name] = parameter.convert(value)
            refuse = refuse or (parameter.check(converted[name]) if parameter.check else None)
        if any(each._network is not self for each in inputs):
            refuse = "a tensor is of another network"
        if refuse:
            self._error(f"no layer of type {cls.layer_type.name} was added: {refuse}")
            return None
        state = State(self, cls, f"(Unnamed Layer* {len(self._layers)}) [{cls.title}]", list(inputs), converted)  # type: ignore[arg-type]
        state.outputs = [ITensor(self, state, index) for index in range(cls.num_results)]  # type: ignore[arg-type]
        for each in inputs:
            if each._state is not None:
                each._state.read = True
        self._layers.append(state)
        self._layer_names.add(state.name)
        return cls(state)

    def _error(self, message: str) -> None:
        raise NotImplementedError

    def _known(self, value: ITensor) -> tuple[Any, Any] | None:
        """Type and shape of a tensor; None if it is refused, which shows when a shape is asked for."""
        try:
            return value._infer()
        except Refused:
            return None

    def _third_last(self, value: ITensor) -> int:
        """The axis that some layers have until it is set."""
        known = self._known(value)
        return max(len(known[1]) - 3, 0) if known else 0
