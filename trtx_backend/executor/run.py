"""Runs a program: each layer exactly, in float64 or in integers, then rounded once to the type of its output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.reader import Program, Step, TensorInfo

Array = NDArray[Any]


def execute(program: Program, feeds: Mapping[str, Array]) -> dict[str, Array]:
    """Compute the network's outputs from its inputs, both by TensorRT's names.

    ExecutorError if an input is missing or of another type or shape than the network says, or if a layer's result is
    not of the type and shape that TensorRT inferred.
    """
    tensors: dict[str, Array] = {}
    for info in program.inputs:
        if info.name not in feeds:
            raise ExecutorError(f"input {info.name} is missing")
        tensors[info.name] = _expect(info, np.asarray(feeds[info.name]), "input")
    with np.errstate(all="ignore"):
        for step in program.steps:
            _run(step, tensors)
    return {info.name: tensors[info.name] for info in program.outputs}


def _run(step: Step, tensors: dict[str, Array]) -> None:
    given = [None if name is None else tensors[name] for name in step.inputs]
    arguments = given if step.moves else [None if array is None else _widen(array) for array in given]
    result = step.kernel(*arguments)
    results = result if isinstance(result, tuple) else (result,)
    for info, array in zip(step.outputs, results, strict=True):
        tensors[info.name] = _expect(info, _round(info, array, step.name), step.name)
    for name in step.dead:
        tensors.pop(name, None)


def _widen(array: Array) -> Array:
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def _round(info: TensorInfo, array: Array, where: str) -> Array:
    """Floats to the layer's own type, once. Integers and truth values must have it already."""
    if array.dtype.kind == "f" and info.storage.kind == "f":
        return array.astype(info.storage, copy=False)
    if array.dtype != info.storage:
        raise ExecutorError(f"{where}: computed {array.dtype.name}, TensorRT says {info.dtype.name}")
    return array


def _expect(info: TensorInfo, array: Array, where: str) -> Array:
    if array.dtype != info.storage or array.shape != info.shape:
        given = f"{array.dtype.name}{list(array.shape)}"
        raise ExecutorError(f"{where}: {info.name} is {given}, TensorRT says {info.dtype.name}{list(info.shape)}")
    return array
