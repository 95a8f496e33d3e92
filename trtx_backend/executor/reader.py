"""Reads a finished TensorRT network back through TensorRT's API, into steps that can be computed in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trtx_backend.executor.hidden import hidden_inputs
from trtx_backend.executor.layers import kernel
from trtx_backend.executor.loops import PARTS, collapse, read_part
from trtx_backend.executor.steps import Step, TensorInfo, order
from trtx_backend.executor.types import storage
from trtx_backend.trt import ITensor, Layer, Network


@dataclass(frozen=True)
class Program:
    """A network in numpy: feed `inputs`, compute `steps` in order, take `outputs`. `network` owns the constants."""

    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    steps: tuple[Step, ...]
    network: Network
    fresh: frozenset[str] = frozenset()
    """Tensors that have memory of their own."""


def read(network: Network, layers: Sequence[Layer] | None = None, wanted: Sequence[ITensor] | None = None) -> Program:
    """Read a network; or only some of its layers, which need no input, and of these what the tensors `wanted` need.
    ExecutorError names a layer that the executor cannot compute."""
    part = layers is not None
    layers = [network.get_layer(i) for i in range(network.num_layers)] if layers is None else layers
    parts = [read_part(layer, _inputs(layer), _outputs(layer)) for layer in layers if layer.type in PARTS]
    hidden = hidden_inputs(layers)
    steps = []
    for layer in layers:
        if layer.type not in PARTS:
            function, how = kernel(layer)
            steps.append(Step(layer.name, _inputs(layer) + hidden(layer), _outputs(layer), function, **how))
    steps = collapse(steps, parts) if parts else steps
    wanted = [network.get_output(i) for i in range(network.num_outputs)] if wanted is None else wanted
    outputs = tuple(_info(tensor) for tensor in wanted)
    inputs = () if part else tuple(_info(network.get_input(i)) for i in range(network.num_inputs))
    ordered = order(steps, [tensor.name for tensor in outputs])
    fresh = frozenset(info.name for step in ordered if step.fresh for info in step.outputs)
    return Program(inputs, outputs, _with_lifetimes(ordered, {tensor.name for tensor in outputs}), network, fresh)


def _inputs(layer: Layer) -> tuple[str | None, ...]:
    return tuple(_name(layer.get_input(i)) for i in range(layer.num_inputs))


def _outputs(layer: Layer) -> tuple[TensorInfo, ...]:
    return tuple(_info(layer.get_output(i)) for i in range(layer.num_outputs))


def _name(tensor: ITensor | None) -> str | None:
    return None if tensor is None else str(tensor.name)


def _info(tensor: ITensor) -> TensorInfo:
    return TensorInfo(tensor.name, tensor.dtype, storage(tensor.dtype, tensor.name), tuple(tensor.shape))


def _with_lifetimes(steps: Sequence[Step], kept: set[str]) -> tuple[Step, ...]:
    seen = set(kept)
    result = []
    for step in reversed(steps):
        names = [name for name in (*step.inputs, *(tensor.name for tensor in step.outputs)) if name is not None]
        dead = tuple(name for name in dict.fromkeys(names) if name not in seen)
        seen.update(dead)
        result.append(replace(step, dead=dead))
    return tuple(reversed(result))
