"""Steps: the layers of a network as numpy computes them, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import Kernel
from trtx_backend.executor.shares import PIECE, in_threads, pieces
from trtx_backend.executor.types import GRIDS
from trtx_backend.trt import TensorType

Array = NDArray[Any]


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
    """The kernel takes floats as they are stored: it only moves elements, or widens them itself."""
    told: bool = False
    """The kernel is told in which type to accumulate."""
    pointwise: bool = False
    """The kernel computes each element from the one in its place."""
    fresh: bool = False
    """What the kernel computes is never its input or a constant, nor a part of them."""
    dead: tuple[str, ...] = ()
    """Tensors that nothing reads after this step."""


def order(steps: Sequence[Step], wanted: Sequence[str]) -> list[Step]:
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


def run_step(step: Step, tensors: dict[str, Array], accumulate: type[np.floating[Any]]) -> None:
    """Compute a step from the tensors it reads and add what it computes, rounded once."""
    given = [None if name is None else tensors[name] for name in step.inputs]
    if step.pointwise and len(given) == len(step.outputs) == 1 and given[0] is not None and given[0].size > PIECE // 4:
        tensors[step.outputs[0].name] = _in_pieces(step, given[0], accumulate)
    else:
        arguments = given if step.moves else [None if array is None else _widen(array, accumulate) for array in given]
        result = step.kernel(*arguments, accumulate=accumulate) if step.told else step.kernel(*arguments)
        results = result if isinstance(result, tuple) else (result,)
        for info, array in zip(step.outputs, results, strict=True):
            tensors[info.name] = expect(info, _round(info, array, step.name), step.name)
    for name in step.dead:
        tensors.pop(name, None)


def _in_pieces(step: Step, given: Array, accumulate: type[np.floating[Any]]) -> Array:
    """A pointwise step, shared out, and never more than a piece of it widened."""
    info = step.outputs[0]
    result = np.empty(given.shape, info.storage)
    elements, results = given.reshape(-1), result.reshape(-1)

    def some(share: slice) -> None:
        for part in pieces(share, 1, PIECE // 4):
            piece = elements[part] if step.moves else _widen(elements[part], accumulate)
            results[part] = _round(info, np.asarray(step.kernel(piece)), step.name)

    in_threads(some, elements.size, 4)
    return expect(info, result, step.name)


def _widen(array: Array, to: type[np.floating[Any]]) -> Array:
    return array.astype(to, copy=False) if array.dtype.kind == "f" else array


def _round(info: TensorInfo, array: Array, where: str) -> Array:
    """Floats to the layer's own type, once. Integers and truth values must have it already."""
    if array.dtype.kind == "f" and info.storage.kind == "f":
        grid = GRIDS.get(info.dtype)
        return (array if grid is None else grid.round(array)).astype(info.storage, copy=False)
    if array.dtype != info.storage:
        raise ExecutorError(f"{where}: computed {array.dtype.name}, TensorRT says {info.dtype.name}")
    return array


def expect(info: TensorInfo, array: Array, where: str) -> Array:
    """The array, if it is of the type and shape that TensorRT says; -1 is a size that only running can tell."""
    fits = len(array.shape) == len(info.shape) and all(
        n in (-1, m) for n, m in zip(info.shape, array.shape, strict=True)
    )
    if array.dtype != info.storage or not fits:
        given = f"{array.dtype.name}{list(array.shape)}"
        raise ExecutorError(f"{where}: {info.name} is {given}, TensorRT says {info.dtype.name}{list(info.shape)}")
    return array
