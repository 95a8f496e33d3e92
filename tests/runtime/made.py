"""Contexts and graphs for the tests of the runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from trtx_backend import ML, Backend, MLContextOptions, MLGraphBuilder, TrtxOptions
from trtx_backend.context import MLContext, MLGraph, MLTensor
from trtx_backend.runtime.dispatch import Execution

X = np.array([[1, -2], [3, -4]], np.float32)
W = np.array([[1, 2], [3, 4]], np.float32)


def context_on(cache: Path, **options: Any) -> MLContext:
    """A context on the machine's first CUDA device."""
    trtx = TrtxOptions(cache_dir=cache, **options)
    made: MLContext = ML().create_context(MLContextOptions(backend=Backend.TRTX, trtx=trtx))
    return made


def product(context: MLContext, weights: Any = W) -> MLGraph:
    """y = x @ weights: an engine that must be refitted."""
    builder = MLGraphBuilder(context)
    y = builder.matmul(builder.input("x", "float32", [2, 2]), builder.constant(np.array(weights, np.float32)))
    built: MLGraph = builder.build({"y": y})
    return built


def tensors(context: MLContext) -> tuple[MLTensor, MLTensor]:
    x = context.create_tensor("float32", [2, 2], writable=True)
    return x, context.create_tensor("float32", [2, 2], readable=True, writable=True)


def run(context: MLContext, graph: MLGraph, x: MLTensor, y: MLTensor, value: Any = X) -> Any:
    """One dispatch on tensors: y is overwritten before it, and returned."""
    context.write_tensor(x, np.array(value, np.float32))
    context.write_tensor(y, np.full((2, 2), -7, np.float32))
    context.dispatch(graph, {"x": x}, {"y": y})
    return context.read_tensor(y)


def execution(graph: MLGraph) -> Execution:
    found: Execution = graph.compiled.execution
    return found
