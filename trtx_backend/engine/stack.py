"""TensorRT's compiler calls itself for each layer of a chain, and ends the process when the stack is used up: main threads
have 8 MB of it on Linux, 1 MB on Windows. Larger networks are compiled in a thread that has enough.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from trtx_backend.errors import EngineError
from trtx_backend.trt import Network

T = TypeVar("T")

FEW = 200
"""Layers that any stack has room for."""
MOST = 10_000
"""Layers that a chain may have. The time to compile it grows with their square."""
BASE, EACH = 16 << 20, 8 << 10
"""Bytes of stack, and for each layer more: a chain of activations was seen to take 2.0 to 2.7 kB."""

_thread = threading.local()
_starting = threading.Lock()


def on_large_stack(network: Network, compile: Callable[[], T]) -> T:
    """What `compile` returns or raises, called where the stack suffices for this network. EngineError if none would."""
    layers = network.num_layers
    if layers <= FEW or getattr(_thread, "large", False):
        return compile()
    if layers > MOST and (deepest := depth(network)) > MOST:
        raise EngineError(
            f"the network is {deepest} layers deep, one after the other: {MOST} are the most that compile"
        )
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        _thread.large = True
        try:
            results.append(compile())
        except BaseException as error:  # raised again by who asked
            errors.append(error)

    thread = threading.Thread(target=run, name="trtx compiler")
    with _starting:
        before = threading.stack_size(BASE + EACH * min(layers, MOST))
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
    if errors:
        raise errors.pop()
    return results.pop()


def depth(network: Network) -> int:
    """Layers of the longest chain; a loop's body counts once."""
    depths: dict[str, int] = {}
    for index in range(network.num_layers):
        layer = network.get_layer(index)
        given = [layer.get_input(place) for place in range(layer.num_inputs)]
        own = 1 + max((depths.get(tensor.name, 0) for tensor in given if tensor is not None), default=0)
        depths.update((layer.get_output(place).name, own) for place in range(layer.num_outputs))
    return max(depths.values(), default=0)
