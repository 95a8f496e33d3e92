"""Which contexts run on a CUDA device, where there is one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.runtime.made import W, X, context_on, product
from trtx_backend import (
    ML,
    Backend,
    BackendDevice,
    BackendUnavailable,
    CacheMissError,
    MLContextOptions,
    PowerPreference,
)
from trtx_backend.runtime.double import Machine, installed


@pytest.mark.parametrize(
    ("options", "device"),
    [
        (MLContextOptions(), "Trtx { cuda_device_idx: 0 }"),
        (MLContextOptions(power_preference=PowerPreference.HIGH_PERFORMANCE), "Trtx { cuda_device_idx: 0 }"),
        (MLContextOptions(power_preference=PowerPreference.LOW_POWER), "Cpu"),
        (MLContextOptions(accelerated=False), "Cpu"),
        (MLContextOptions(backend=Backend.CPU), "Cpu"),
        (MLContextOptions(accelerated=False, backend=Backend.TRTX), "Trtx { cuda_device_idx: 0 }"),
        (MLContextOptions(device=BackendDevice.trtx(1)), "Trtx { cuda_device_idx: 1 }"),
    ],
)
def test_the_device_of_a_context(options: MLContextOptions, device: str) -> None:
    with installed(Machine(devices=2)) as machine:
        with ML().create_context(options) as context:
            assert str(context.device) == device
            assert bool(machine.calls["cuStreamCreate"]) == device.startswith("Trtx")
        assert machine.left() == {}


def test_a_device_that_is_not_there_is_an_error() -> None:
    with (
        installed(),
        pytest.raises(BackendUnavailable, match="there is no CUDA device 3 that can be used; there are: 0"),
    ):
        ML().create_context(MLContextOptions(device=BackendDevice.trtx(3)))


def test_a_device_that_cannot_be_used_is_passed_over_or_an_error() -> None:
    with installed(Machine(capability=(6, 1))):
        assert ML().create_context().backend is Backend.CPU
        with pytest.raises(BackendUnavailable, match="no CUDA device has compute capability"):
            ML().create_context(MLContextOptions(backend=Backend.TRTX))


def test_engines_come_from_the_cache_and_nothing_is_built_where_that_is_forbidden(tmp_path: Path) -> None:
    with installed() as machine:
        with context_on(tmp_path, fail_on_cache_miss=True) as context, pytest.raises(CacheMissError, match="not in"):
            product(context)
        with context_on(tmp_path) as context:
            assert not product(context).compiled.cached
        with context_on(tmp_path, fail_on_cache_miss=True) as context:
            graph = product(context, W + 1)  # the weights are no part of the engine
            assert graph.compiled.cached
            np.testing.assert_array_equal(context.compute(graph, {"x": X})["y"], X @ (W + 1))
        with context_on(tmp_path, engine_caching=False) as context:
            assert not product(context).compiled.cached
        del graph
        assert machine.left() == {} and machine.wrong == []
