"""Reads a finished TensorRT network back through TensorRT's API, into steps that can be computed in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Kernel, kernel
from trtx_backend.executor.types import storage
from trtx_backend.trt import ITensor, Layer, Network, TensorType


@dataclass(frozen=True)
class TensorInfo:
    """A tensor: its name, which is unique in the network, and what TensorRT inferred for it."""

    name: str
    dtype: TensorType
    storage: np.dtype[Any]
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """One layer: names of what it reads (None for an input that is not connected) and the tensors that it computes."""

    name: str
    inputs: tuple[str | None, ...]
    outputs: tuple[TensorInfo, ...]
    kernel: Kernel
    moves: bool = False
    """The kernel only moves elements, and takes floats as they are stored."""
    dead: tuple[str, ...] = ()
    """Tensors that nothing reads after this step."""


@dataclass(frozen=True)
class Program:
    """A network in numpy: feed `inputs`, compute `steps` in order, take `outputs`. `network` owns the constants."""

    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    steps: tuple[Step, ...]
    network: Network


def read(network: Network) -> Program:
    """Read a network. ExecutorError names a layer that the executor cannot compute."""
    layers = [network.get_layer(i) for i in range(network.num_layers)]
    steps = [_step(layer) for layer in layers]
    outputs = tuple(_info(network.get_output(i)) for i in range(network.num_outputs))
    inputs = tuple(_info(network.get_input(i)) for i in range(network.num_inputs))
    ordered = _order(steps, [tensor.name for tensor in outputs])
    return Program(inputs, outputs, _with_lifetimes(ordered, {tensor.name for tensor in outputs}), network)


def _step(layer: Layer) -> Step:
    inputs = tuple(_name(layer.get_input(i)) for i in range(layer.num_inputs))
    outputs = tuple(_info(layer.get_output(i)) for i in range(layer.num_outputs))
    return Step(layer.name, inputs, outputs, *kernel(layer))


def _name(tensor: ITensor | None) -> str | None:
    return None if tensor is None else str(tensor.name)


def _info(tensor: ITensor) -> TensorInfo:
    return TensorInfo(tensor.name, tensor.dtype, storage(tensor.dtype, tensor.name), tuple(tensor.shape))


def _order(steps: Sequence[Step], wanted: Sequence[str]) -> list[Step]:
    """The steps that the outputs need, each after those that it reads. A network's own order does not promise that."""
    producer = {tensor.name: step for step in steps for tensor in step.outputs}
    ordered: dict[str, Step] = {}
    stack = [producer[name] for name in reversed(wanted) if name in producer]
    waiting: set[str] = set()
    while stack:
        step = stack[-1]
        missing = [producer[name] for name in step.inputs if name in producer and producer[name].name not in ordered]
        if not missing:
            ordered[stack.pop().name] = step
        elif step.name in waiting:
            raise ExecutorError(f"{step.name}: the network has a cycle")
        else:
            waiting.add(step.name)
            stack.extend(missing)
    return list(ordered.values())


def _with_lifetimes(steps: Sequence[Step], kept: set[str]) -> tuple[Step, ...]:
    seen = set(kept)
    result = []
    for step in reversed(steps):
        names = [name for name in (*step.inputs, *(tensor.name for tensor in step.outputs)) if name is not None]
        dead = tuple(name for name in dict.fromkeys(names) if name not in seen)
        seen.update(dead)
        result.append(replace(step, dead=dead))
    return tuple(reversed(result))
