"""From a graph to an engine: built, cached, refitted, and what happens when any of it fails."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.engine.double import DoubleCompiler, DoubleEngine, DoubleLoader
from tests.engine.graphs import bytes_moved, mlp
from trtx_backend.engine import EngineCache, TensorRTCompiler, for_device, obtain
from trtx_backend.errors import CacheMissError, EngineError
from trtx_backend.graph import MLGraphBuilder

SETTINGS = for_device((8, 9))


def test_the_second_time_it_comes_from_the_cache_with_the_weights_of_its_own_graph(tmp_path: Path) -> None:
    compiler, loader, cache = DoubleCompiler(), DoubleLoader(), EngineCache(tmp_path)
    first = obtain(mlp(seed=0), SETTINGS, compiler, loader, cache)
    second = obtain(mlp(seed=9, prefix="other "), SETTINGS, compiler, loader, EngineCache(tmp_path))
    assert (first.cached, first.stored, second.cached, len(compiler.compiled)) == (False, True, True, 1)
    assert first.key == second.key
    assert sorted(first.engine.weights) == sorted(second.engine.weights) == sorted(first.engine.missing)
    for name, array in first.engine.weights.items():
        assert not np.array_equal(array, second.engine.weights[name])


def test_a_plan_with_its_weights_inside_is_not_kept(tmp_path: Path) -> None:
    engine = obtain(mlp(), SETTINGS, DoubleCompiler(strips=False), DoubleLoader(), cache := EngineCache(tmp_path))
    assert not engine.stored and not engine.stripped and not cache.files()


@pytest.mark.parametrize("fault", [{"refuse_plans": 1}, {"refuse_weights": 1}])
def test_a_cached_engine_of_no_use_is_dropped_and_built_again(
    tmp_path: Path, fault: dict[str, int], caplog: pytest.LogCaptureFixture
) -> None:
    compiler, cache = DoubleCompiler(), EngineCache(tmp_path)
    key = obtain(mlp(), SETTINGS, compiler, DoubleLoader(), cache).key
    with caplog.at_level(logging.WARNING, "trtx"):
        engine = obtain(mlp(), SETTINGS, compiler, DoubleLoader(**fault), cache)
    assert (engine.cached, engine.built, engine.stored, len(compiler.compiled)) == (False, 1, True, 2)
    assert f"the cached engine {key} is dropped" in caplog.text
    assert obtain(mlp(), SETTINGS, compiler, DoubleLoader(), cache).cached


def test_a_dropped_engine_is_gone_even_if_the_new_one_is_not_kept(tmp_path: Path) -> None:
    cache = EngineCache(tmp_path)
    obtain(mlp(), SETTINGS, DoubleCompiler(), DoubleLoader(), cache)
    engine = obtain(mlp(), SETTINGS, DoubleCompiler(strips=False), DoubleLoader(refuse_plans=1), cache)
    assert (engine.cached, engine.stored, cache.files()) == (False, False, [])


def test_weights_that_the_compiler_baked_are_found_before_anything_is_stored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    compiler, cache = DoubleCompiler(ignored=["c1"]), EngineCache(tmp_path)
    with caplog.at_level(logging.WARNING, "trtx"):
        engine = obtain(mlp(), SETTINGS, compiler, DoubleLoader(), cache)
    assert (engine.built, engine.stripped, engine.stored, cache.files()) == (2, False, False, [])
    assert [settings.refit for settings in compiler.compiled] == [True, False]
    assert (
        "cannot be refitted with the constant float32[4] of 1.1 add elementwise “0”: the engine has baked"
        in caplog.text
    )


def test_a_miss_can_be_an_error(tmp_path: Path) -> None:
    compiler, cache = DoubleCompiler(), EngineCache(tmp_path)
    with pytest.raises(CacheMissError, match=r"engine [0-9a-f]{64} is not in .*rustnn/trtx, and nothing may be built"):
        obtain(mlp(), SETTINGS, compiler, DoubleLoader(), cache, fail_on_cache_miss=True)
    assert not compiler.compiled
    obtain(mlp(), SETTINGS, compiler, DoubleLoader(), cache)
    assert obtain(mlp(), SETTINGS, compiler, DoubleLoader(), cache, fail_on_cache_miss=True).cached


def test_a_graph_with_a_baked_constant_is_neither_stored_nor_looked_for(tmp_path: Path) -> None:
    compiler, cache = DoubleCompiler(), EngineCache(tmp_path)
    for _ in range(2):
        engine = obtain(bytes_moved(), SETTINGS, compiler, DoubleLoader(), cache)
        assert (engine.stored, engine.cached) == (False, False)
    assert cache.files() == [] and len(compiler.compiled) == 2
    with pytest.raises(
        CacheMissError, match=r"can never be cached, .* bakes the constant int8\[2, 2\] of 0.1 concat cast:"
    ):
        obtain(bytes_moved(), SETTINGS, compiler, DoubleLoader(), cache, fail_on_cache_miss=True)


def test_a_graph_without_constants_is_cached_without_a_refit(tmp_path: Path) -> None:
    b = MLGraphBuilder()
    graph = b.finish({"y": b.relu(b.input("x", "float32", [4]))})
    cache = EngineCache(tmp_path)
    assert obtain(graph, SETTINGS, TensorRTCompiler(), AnyPlan(), cache).stored
    assert obtain(graph, SETTINGS, TensorRTCompiler(), AnyPlan(refuse_weights=1), cache).cached


class AnyPlan(DoubleLoader):
    """Takes TensorRT's own plans."""

    def deserialize(self, plan: bytes) -> DoubleEngine:
        return DoubleEngine([], {})


def test_without_a_cache_it_is_built_each_time() -> None:
    compiler = DoubleCompiler()
    engines = [obtain(mlp(), SETTINGS, compiler, DoubleLoader()) for _ in range(2)]
    assert [(e.cached, e.stored, e.built, e.stripped) for e in engines] == [(False, False, 1, True)] * 2
    with pytest.raises(CacheMissError, match="the cache, which is off"):
        obtain(mlp(), SETTINGS, compiler, DoubleLoader(), fail_on_cache_miss=True)


def test_a_new_engine_that_cannot_be_loaded_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="the engine that was just built cannot be loaded: refused"):
        obtain(mlp(), SETTINGS, DoubleCompiler(), DoubleLoader(refuse_plans=1), cache := EngineCache(tmp_path))
    assert cache.files() == []


def test_a_cache_that_cannot_be_written_changes_nothing_but_the_time(tmp_path: Path) -> None:
    (tmp_path / "rustnn").write_bytes(b"")
    engine = obtain(mlp(), SETTINGS, DoubleCompiler(), DoubleLoader(), EngineCache(tmp_path))
    assert (engine.stored, len(engine.engine.weights)) == (False, 4)


def test_an_entry_with_other_bindings_or_weights_is_dropped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = EngineCache(tmp_path)
    key = obtain(mlp(), SETTINGS, DoubleCompiler(), DoubleLoader(), cache).key
    entry = cache.load(key)
    assert entry is not None and entry.weights == {"c0": 64, "c1": 16, "c2": 64, "c3": 16}
    for change in (
        {"inputs": ("in1",)},
        {"outputs": ()},
        {"weights": {"c0": 64}},
        {"weights": {**entry.weights, "c3": 8}},
    ):
        assert cache.store(replace(entry, **change))
        with caplog.at_level(logging.WARNING, "trtx"):
            assert not obtain(mlp(), SETTINGS, DoubleCompiler(), DoubleLoader(), cache).cached
        assert "its bindings or weights are not those of the graph" in caplog.text
        caplog.clear()
        assert cache.load(key) == entry
