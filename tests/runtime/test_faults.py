"""Each call of the CUDA driver and of TensorRT's runtime fails in turn, over the whole life of a context."""

from __future__ import annotations

import itertools
import logging
import os
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.made import W, X, context_on, product, run, tensors
from trtx_backend import BackendUnavailable, ContextLostError, EngineError
from trtx_backend.context import MLContext
from trtx_backend.engine.jit_cache import _shared
from trtx_backend.errors import CudaError, TensorRTError
from trtx_backend.runtime.double import Machine, installed
from trtx_backend.runtime.driver import STICKY

EXPECTED = (CudaError, TensorRTError, EngineError, ContextLostError, BackendUnavailable)
RELEASES = {
    "cuMemFree": "memory",
    "cuMemFreeAsync": "memory",
    "cuGraphDestroy": "graphs",
    "cuGraphExecDestroy": "executables",
    "cuStreamDestroy": "streams",
    "cuDevicePrimaryCtxRelease": "contexts",
}
"""Calls that give back, and what is left when they do not."""


class Life:
    """A context from its creation to its end, as a program would have it. `results` are what it read."""

    def __init__(self, cache: Path) -> None:
        self.context: MLContext | None = None
        self.results: list[object] = []
        self.cache = cache

    def live(self) -> None:
        context = self.context = context_on(self.cache)
        with context, product(context) as graph:
            x, y = tensors(context)
            with x, y:
                for turn in range(3):
                    np.testing.assert_array_equal(run(context, graph, x, y, X + turn), (X + turn) @ W)
                    self.results.append(turn)
            np.testing.assert_array_equal(context.compute(graph, {"x": X})["y"], X @ W)
            other = context.create_tensor("float32", [2, 2])
            del other  # for the finalizer
            context.create_tensor("float32", [2, 2]).destroy()


def calls_of_a_life(cache: Path, pools: bool) -> list[str]:
    with installed(Machine(pools=pools)) as machine:
        Life(cache).live()
        assert machine.wrong == [] and machine.left() == {}
    return machine.order


@pytest.mark.parametrize("pools", [True, False], ids=["pools", "no pools"])
@pytest.mark.parametrize("status", ["CUDA_ERROR_UNKNOWN", "CUDA_ERROR_OUT_OF_MEMORY", "CUDA_ERROR_ILLEGAL_ADDRESS"])
def test_every_call_may_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str, pools: bool) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    order = calls_of_a_life(tmp_path / "first", pools)
    names = set()
    for at in itertools.count():
        with installed(Machine(pools=pools)) as machine:
            machine.fault.at, machine.fault.status = at, status
            life = Life(tmp_path / str(at))
            error = None
            try:
                life.live()
            except EXPECTED as raised:
                error = raised
            if machine.fault.hit is None:
                break
            names.add(machine.fault.hit)
            where = f"call {at}, {machine.fault.hit}, {status}: {error!r}"
            check_error(machine, life, status, error, where)
            if life.context is not None:
                life.context.destroy()
            assert machine.wrong == [], where
            excused = RELEASES.get(machine.fault.hit, "")
            if status not in STICKY:  # else what is left goes when the next context resets the device
                assert set(machine.left()) <= {excused}, where
            if status in STICKY or not at % 8:
                Life(tmp_path / f"{at} again").live()  # a new context works
                assert machine.wrong == [] and set(machine.left()) <= {excused}, where
    assert at >= len(order)
    assert names == set(order)


def check_error(machine: Machine, life: Life, status: str, error: Exception | None, where: str) -> None:
    """The error names the call, and the context is lost when it must be."""
    hit = machine.fault.hit
    if isinstance(error, CudaError):
        assert error.name == status and error.code is not None and error.call.startswith("cu"), where
        assert error.sticky == (status in STICKY), where
    if error is None:  # it could be done without, or it was about to end
        assert len(life.results) == 3, where
    if status in STICKY and life.context is not None:
        assert life.context.lost is not None, where
        with pytest.raises(ContextLostError, match="lost"):
            life.context.create_tensor("float32", [1])
    assert hit is not None


def test_a_sticky_error_loses_every_context_of_the_device_and_a_new_one_works(tmp_path: Path) -> None:
    with installed() as machine:
        one, two = context_on(tmp_path), context_on(tmp_path)
        graph, (x, y) = product(one), tensors(one)
        other, (u, v) = product(two), tensors(two)
        run(two, other, u, v)
        machine.fault.at_name, machine.fault.status = "cuStreamSynchronize", "CUDA_ERROR_ILLEGAL_ADDRESS"
        with pytest.raises(CudaError, match=r"cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS \(700\)"):
            run(one, graph, x, y)
        assert one.lost == "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)"
        with pytest.raises(ContextLostError, match="CUDA_ERROR_ILLEGAL_ADDRESS"):
            one.read_tensor(y)
        with context_on(tmp_path) as three:
            assert "must be reset after" in str(two.lost)
            np.testing.assert_array_equal(three.compute(product(three), {"x": X})["y"], X @ W)
        for each in (x, y, u, v, graph, other, one, two):
            each.destroy()
        assert machine.wrong == [] and machine.left() == {}


def test_a_reset_takes_the_runtime_cache_and_its_file_fills_a_new_one(tmp_path: Path) -> None:
    with installed() as machine:
        context = context_on(tmp_path)
        product(context)
        machine.fault.at_name, machine.fault.status = "cuMemAllocAsync", "CUDA_ERROR_ILLEGAL_ADDRESS"
        with pytest.raises(CudaError):
            tensors(context)
        with context_on(tmp_path) as new:
            product(new)
        assert (machine.calls["create_runtime_cache"], machine.calls["deserialize"]) == (2, 1)
        with context_on(tmp_path) as again:
            product(again)
        assert machine.calls["create_runtime_cache"] == 2
    assert not [path for path in _shared if tmp_path in path.parents]


def test_a_sticky_error_behind_tensorrts_back_is_seen(tmp_path: Path) -> None:
    with installed() as machine:
        context = context_on(tmp_path, cuda_graphs=False)
        graph, (x, y) = product(context), tensors(context)
        machine.fault.at_name, machine.fault.status = "execute_async_v3", "CUDA_ERROR_LAUNCH_FAILED"
        with pytest.raises(CudaError, match="cuStreamQuery: CUDA_ERROR_LAUNCH_FAILED"):
            run(context, graph, x, y)
        assert "LAUNCH_FAILED" in str(context.lost)


def test_an_error_that_is_kept_keeps_nothing_alive(tmp_path: Path) -> None:
    with installed() as machine:
        kept = []
        with context_on(tmp_path, cuda_graphs=False) as context:
            graph, (x, y) = product(context), tensors(context)
            for call in ("execute_async_v3", "set_tensor_address", "cuMemcpyHtoDAsync"):
                machine.fault.at_name = call
                with pytest.raises((TensorRTError, CudaError)) as error:
                    run(context, graph, *tensors(context))
                kept.append(error.value)
            np.testing.assert_array_equal(run(context, graph, x, y), X @ W)
        assert machine.left() == {} and machine.wrong == []
        assert len(kept) == 3


def test_a_refit_error_names_the_constant_and_its_users_and_costs_a_build(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with installed() as machine, context_on(tmp_path) as context, caplog.at_level(logging.WARNING, "trtx"):
        machine.fault.always = "set_named_weights"
        graph = product(context)
        machine.fault.always = None
        np.testing.assert_array_equal(context.compute(graph, {"x": X})["y"], X @ W)
        assert "the constant float32[2, 2] of 0.1 matmul" in caplog.text
        assert "set_named_weights" in caplog.text


def test_after_an_error_nothing_is_left_behind(tmp_path: Path) -> None:
    with installed() as machine, context_on(tmp_path) as context:
        machine.fault.at_name, machine.fault.status = "cuMemsetD8Async", "CUDA_ERROR_OUT_OF_MEMORY"
        with pytest.raises(CudaError, match=r"cuMemsetD8Async: CUDA_ERROR_OUT_OF_MEMORY \(2\)"):
            context.create_tensor("float32", [4])
        assert "memory" not in machine.left()
        assert machine.cuda.stack == []  # no context is current any more
        machine.fault.always = "set_named_weights"
        graph = product(context)
        machine.fault.always = None
        assert machine.left()["engines"] == 1  # not the one that took no weights
        graph.destroy()
