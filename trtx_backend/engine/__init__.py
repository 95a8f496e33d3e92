"""TensorRT networks into engines."""

from trtx_backend.engine.build import Compiler, Plan, TensorRTCompiler, build
from trtx_backend.engine.cache import EngineCache, Entry
from trtx_backend.engine.obtain import Engine, obtain
from trtx_backend.engine.refit import BadPlan, Loader, WeightsRefused
from trtx_backend.engine.settings import ALL_TARGETS, EngineSettings, for_device
from trtx_backend.engine.weights import Weight, find_weights, refittable

__all__ = [
    "ALL_TARGETS",
    "BadPlan",
    "Compiler",
    "Engine",
    "EngineCache",
    "EngineSettings",
    "Entry",
    "Loader",
    "Plan",
    "TensorRTCompiler",
    "Weight",
    "WeightsRefused",
    "build",
    "find_weights",
    "for_device",
    "obtain",
    "refittable",
]
