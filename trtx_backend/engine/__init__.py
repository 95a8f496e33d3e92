"""TensorRT networks into engines."""

from trtx_backend.engine.build import Compiler, Plan, TensorRTCompiler, build, compile_network
from trtx_backend.engine.cache import EngineCache, Entry
from trtx_backend.engine.fold import lower_folded
from trtx_backend.engine.jit_cache import JitCache, JitFile, RuntimeCache, jit_cache
from trtx_backend.engine.obtain import Engine, obtain
from trtx_backend.engine.refit import BadPlan, Loader, WeightsRefused
from trtx_backend.engine.settings import ALL_TARGETS, EngineSettings, for_device
from trtx_backend.engine.verdict import verdict_key
from trtx_backend.engine.weights import Weight, find_weights, refittable

__all__ = [
    "ALL_TARGETS",
    "BadPlan",
    "Compiler",
    "Engine",
    "EngineCache",
    "EngineSettings",
    "Entry",
    "JitCache",
    "JitFile",
    "Loader",
    "Plan",
    "RuntimeCache",
    "TensorRTCompiler",
    "Weight",
    "WeightsRefused",
    "build",
    "compile_network",
    "find_weights",
    "for_device",
    "jit_cache",
    "lower_folded",
    "obtain",
    "refittable",
    "verdict_key",
]
