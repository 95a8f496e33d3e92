"""From a graph to an engine: built, cached, refitted, and what happens when any of it fails."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from tests.engine.double import DoubleCompiler, DoubleLoader
from tests.engine.graphs import mlp
from trtx_backend.engine import EngineCache, for_device, obtain
from trtx_backend.errors import CacheMissError

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
