"""Puts the weights into an engine that was built without them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from trtx_backend.dtypes import Array
from trtx_backend.engine.weights import Weight
from trtx_backend.errors import RefitError


class WeightsRefused(Exception):
    """What a Loader raises: names of the weights that an engine lacks or does not take, and TensorRT's words."""

    def __init__(self, names: Collection[str], reason: str) -> None:
        super().__init__(reason)
        self.names = tuple(names)


class BadPlan(Exception):
    """What a Loader raises: the plan is no engine for this device, in TensorRT's words."""


class Loader(Protocol):
    """Makes plans into engines on a device. The engine itself is the Loader's own affair."""

    def deserialize(self, plan: bytes) -> Any:
        """An engine. BadPlan."""
        ...

    def refittable(self, engine: Any) -> Collection[str]:
        """The names of all weights that the engine can be given."""
        ...

    def refit(self, engine: Any, weights: Mapping[str, Array]) -> None:
        """Give the engine its weights, flat arrays of the types that the network had. WeightsRefused."""
        ...


def refit(loader: Loader, engine: Any, weights: Sequence[Weight]) -> None:
    """Give an engine all its weights. RefitError if it has not exactly these or does not take them; it names the
    constants and the operators that use them."""
    by_name = {weight.name: weight for weight in weights}
    has = set(loader.refittable(engine))
    if lost := by_name.keys() - has:
        raise _error(by_name, lost, "the engine has baked them")
    if unknown := has - by_name.keys():
        raise _error(by_name, unknown, "the graph has no such constants")
    if not by_name:
        return
    try:
        loader.refit(engine, {name: weight.array.reshape(-1) for name, weight in by_name.items()})
    except WeightsRefused as error:
        raise _error(by_name, error.names, str(error)) from None


def _error(by_name: Mapping[str, Weight], names: Collection[str], reason: str) -> RefitError:
    what = "; ".join(str(by_name.get(name, name)) for name in sorted(names)[:8]) or "its weights"
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return RefitError(f"an engine cannot be refitted with {what}{more}: {reason}")
