"""Asks TensorRT itself what it makes of a constant that is marked refittable.

Without a GPU it cannot build a plan that leaves a constant out. But how it fails tells: a constant that it means to keep
apart makes it look for the GPU, one that it refuses is named in the error, and one that it has baked, or that no output
needs, it passes over, and the build succeeds.
"""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.engine.build import compile_network, mark_refittable
from trtx_backend.engine.settings import EngineSettings
from trtx_backend.engine.weights import Weight
from trtx_backend.errors import EngineError
from trtx_backend.lowering import LoweredGraph

SETTINGS = EngineSettings(("SM89",), refit=True)
KEPT = "CHECK(status == CUDA_SUCCESS) failed"
"""What TensorRT says when it needs the GPU for a constant that is not to be baked."""


def fate(lowered: LoweredGraph, *weights: Weight) -> str:
    """When these weights alone are marked: "kept" apart from the plan, "ignored", or TensorRT's words of refusal."""
    mark_refittable(lowered, weights)
    try:
        compile_network(lowered.network, SETTINGS)
        return "ignored"
    except EngineError as error:
        return "kept" if KEPT in str(error) else str(error)
    finally:
        for weight in weights:
            lowered.network.unmark_weights_refittable(weight.name)


def ignored_together(lowered: LoweredGraph, weights: Sequence[Weight]) -> bool:
    return fate(lowered, *weights) == "ignored"
