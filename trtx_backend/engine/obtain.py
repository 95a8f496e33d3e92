"""From a graph to an engine with its weights: out of the cache if it is there, else built."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from trtx_backend.engine.build import Compiler
from trtx_backend.engine.cache import EngineCache, Entry
from trtx_backend.engine.fold import lower_folded
from trtx_backend.engine.key import engine_key, surroundings
from trtx_backend.engine.refit import BadPlan, Loader, refit
from trtx_backend.engine.settings import EngineSettings
from trtx_backend.engine.weights import Weight, find_weights, refittable
from trtx_backend.errors import CacheMissError, EngineError, RefitError
from trtx_backend.graph.ir import Graph
from trtx_backend.lowering import LoweredGraph, lower

logger = logging.getLogger("trtx.engine")


@dataclass(frozen=True)
class Engine:
    """An engine that is ready to run. `engine` is what the Loader made; `cached`: it came from the cache; `built`: how
    many times the network was compiled for it."""

    engine: Any
    lowered: LoweredGraph
    key: str
    cached: bool
    built: int
    stripped: bool
    stored: bool


def obtain(
    graph: Graph,
    settings: EngineSettings,
    compiler: Compiler,
    loader: Loader,
    cache: EngineCache | None = None,
    fail_on_cache_miss: bool = False,
) -> Engine:
    """The engine of a graph. Without `cache` it is always built. CacheMissError if the cache does not hold it and nothing
    is to be built; EngineError, RefitError, NetworkError, UnsupportedError."""
    lowered = lower_folded(graph) if settings.refit else lower(graph)
    weights = find_weights(lowered)
    key = engine_key(graph, lowered, weights, settings)
    storable = cache is not None and settings.refit and not any(weight.baked for weight in weights)
    job = _Job(lowered, weights, settings, compiler, loader, key)
    if cache is not None and storable:
        engine = _from_cache(job, cache)
        if engine is not None:
            return engine
    if fail_on_cache_miss:
        raise CacheMissError(_miss(key, cache, weights))
    logger.info("engine %s is built", key)
    engine, entry = job.build()
    stored = storable and cache is not None and engine.stripped and cache.store(entry)
    return replace(engine, stored=stored)


def _from_cache(job: _Job, cache: EngineCache) -> Engine | None:
    """The cached engine with its weights; one that proves to be of no use is dropped."""
    entry = cache.load(job.key)
    if entry is None:
        return None
    try:
        if job.entry(b"") != replace(entry, plan=b""):
            raise RefitError("its bindings or weights are not those of the graph")
        engine = job.load(entry.plan, stripped=True)
    except (BadPlan, RefitError) as error:
        logger.warning("the cached engine %s is dropped, and built again: %s", job.key, error)
        cache.drop(job.key)
        return None
    logger.info("engine %s comes from the cache", job.key)
    return job.engine(engine, cached=True, built=0, stripped=True)


@dataclass(frozen=True)
class _Job:
    lowered: LoweredGraph
    weights: Sequence[Weight]
    settings: EngineSettings
    compiler: Compiler
    loader: Loader
    key: str

    def build(self) -> tuple[Engine, Entry]:
        """A new engine, and what the cache is to keep of it. One that does not take its weights is built with them."""
        plan = self.compiler.compile(self.lowered, self.settings, refittable(self.weights))
        try:
            made = self.load(plan.data, plan.stripped)
        except BadPlan as error:
            raise EngineError(f"the engine that was just built cannot be loaded: {error}") from None
        except RefitError as error:
            logger.warning("%s; built again, with its weights inside", error)
            plan = self.compiler.compile(self.lowered, replace(self.settings, refit=False), [])
            return self.engine(self.load(plan.data, False), built=2, stripped=False), self.entry(plan.data)
        return self.engine(made, built=1, stripped=plan.stripped), self.entry(plan.data)

    def load(self, plan: bytes, stripped: bool) -> Any:
        engine = self.loader.deserialize(plan)
        if stripped:
            refit(self.loader, engine, refittable(self.weights))
        return engine

    def engine(self, made: Any, *, built: int, stripped: bool, cached: bool = False) -> Engine:
        return Engine(made, self.lowered, self.key, cached, built, stripped, stored=False)

    def entry(self, plan: bytes) -> Entry:
        around = surroundings()
        inputs, outputs = (
            [binding.name for binding in side.values()] for side in (self.lowered.inputs, self.lowered.outputs)
        )
        sizes = {weight.name: weight.array.nbytes for weight in refittable(self.weights)}
        return Entry(self.key, plan, tuple(inputs), tuple(outputs), sizes, around.tensorrt, around.flavor)


def _miss(key: str, cache: EngineCache | None, weights: Sequence[Weight]) -> str:
    baked = [f"{weight}: {weight.baked}" for weight in weights if weight.baked]
    if baked:
        return f"engine {key} can never be cached, and nothing may be built: TensorRT bakes {'; '.join(baked[:4])}"
    return f"engine {key} is not in {cache.directory if cache else 'the cache, which is off'}, and nothing may be built"
