"""Runs a program: each layer exactly, in float64 or in integers, then rounded once to the type of its output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trtx_backend.errors import ExecutorError
from trtx_backend.executor.reader import Program
from trtx_backend.executor.shares import blas_on_one_thread
from trtx_backend.executor.steps import expect, run_step

Array = NDArray[Any]


def execute(
    program: Program, feeds: Mapping[str, Array], accumulate: type[np.floating[Any]] = np.float64
) -> dict[str, Array]:
    """Compute the network's outputs from its inputs, both by TensorRT's names.

    Floats are computed in float64 inside a layer; with `accumulate` np.float32 as plain float32 hardware would, which adds
    the noise of its arithmetic to what the network itself rounds.

    ExecutorError if an input is missing or of another type or shape than the network says, or if a layer's result is
    not of the type and shape that TensorRT inferred.

    The outputs have memory of their own: they neither change with the inputs nor go with the network, whose constants a
    layer may have handed on.
    """
    tensors: dict[str, Array] = {}
    for info in program.inputs:
        if info.name not in feeds:
            raise ExecutorError(f"input {info.name} is missing")
        tensors[info.name] = expect(info, np.asarray(feeds[info.name]), "input")
    with np.errstate(all="ignore"), blas_on_one_thread():
        for step in program.steps:
            run_step(step, tensors, accumulate)
    return {
        info.name: np.array(tensors[info.name], order="C", copy=None if info.name in program.fresh else True)
        for info in program.outputs
    }
