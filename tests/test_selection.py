"""Which device a context gets, with made-up lists of devices, and what is logged."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conformance.make import ROOT
from trtx_backend import Backend, BackendDevice, BackendUnavailable, MLContextOptions, PowerPreference, selection
from trtx_backend.selection import select

ONE = [SimpleNamespace(index=0, name="RTX 4090")]
TWO = [SimpleNamespace(index=1, name="RTX 5090"), SimpleNamespace(index=3, name="RTX 4060")]
TRTX = MLContextOptions(backend=Backend.TRTX)


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Any:
    """Set what the CUDA driver is to list."""
    monkeypatch.delenv("TRTX_FLAVOR", raising=False)
    caplog.set_level(logging.INFO, "trtx")

    def lists(found: list[Any], reason: str | None = None) -> None:
        monkeypatch.setattr(selection, "cuda_devices", lambda: (found, reason))

    lists(ONE)
    return lists


def test_the_first_cuda_device_is_preferred(devices: Any, caplog: pytest.LogCaptureFixture) -> None:
    assert select(MLContextOptions()) == BackendDevice.trtx(0)
    assert caplog.messages == ["CUDA devices found: 0 (RTX 4090)", "Backend selected: Trtx { cuda_device_idx: 0 }"]
    devices(TWO)
    assert select(MLContextOptions(power_preference=PowerPreference.HIGH_PERFORMANCE)) == BackendDevice.trtx(1)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (MLContextOptions(accelerated=False), "accelerated is False"),
        (MLContextOptions(power_preference=PowerPreference.LOW_POWER), "low power is preferred"),
        (MLContextOptions(accelerated=False, power_preference=PowerPreference.HIGH_PERFORMANCE), "accelerated is False"),
    ],
)  # fmt: skip
def test_a_gpu_is_not_used_against_the_options(
    devices: Any, caplog: pytest.LogCaptureFixture, options: MLContextOptions, reason: str
) -> None:
    assert select(options) == BackendDevice.cpu()
    assert caplog.messages == [f"backend trtx passed over: {reason}", "Backend selected: Cpu"]


def test_without_a_device_the_cpu_is_taken_and_the_reason_is_logged(
    devices: Any, caplog: pytest.LogCaptureFixture
) -> None:
    devices([], "cuInit: no driver")
    assert select(MLContextOptions()) == BackendDevice.cpu()
    assert "backend trtx passed over: cuInit: no driver" in caplog.messages
    devices([])
    assert select(MLContextOptions()) == BackendDevice.cpu()
    assert "backend trtx passed over: there is no CUDA device" in caplog.messages


def test_a_library_that_cannot_be_loaded_passes_the_backend_over(
    devices: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def load() -> None:
        raise BackendUnavailable("libtensorrt_rtx.so.1: file not found")

    monkeypatch.setattr(selection, "load", load)
    assert select(MLContextOptions()) == BackendDevice.cpu()
    assert "backend trtx passed over: libtensorrt_rtx.so.1: file not found" in caplog.messages
    with pytest.raises(
        BackendUnavailable, match=r"asked for and cannot be had: libtensorrt_rtx\.so\.1: file not found"
    ):
        select(TRTX)


def test_a_hint_forces_a_device(devices: Any) -> None:
    devices(TWO)
    assert select(TRTX) == BackendDevice.trtx(1)
    against = {"accelerated": False, "power_preference": PowerPreference.LOW_POWER}
    assert select(MLContextOptions(device=BackendDevice.trtx(3), **against)) == BackendDevice.trtx(3)  # type: ignore[arg-type]
    assert select(MLContextOptions(backend=Backend.CPU)) == BackendDevice.cpu()
    assert select(MLContextOptions(device=BackendDevice.cpu())) == BackendDevice.cpu()


def test_a_hint_that_cannot_be_had_says_why(devices: Any) -> None:
    devices(TWO)
    with pytest.raises(BackendUnavailable, match=r"no CUDA device 0 .* there are: 1 \(RTX 5090\), 3 \(RTX 4060\)"):
        select(MLContextOptions(device=BackendDevice.trtx(0)))
    devices([], "cuInit: no driver")
    with pytest.raises(BackendUnavailable, match="asked for and cannot be had: cuInit: no driver"):
        select(MLContextOptions(device=BackendDevice.trtx(0)))


@pytest.mark.parametrize("flavor", ["mock", "enterprise"])
def test_flavors_that_run_nothing_are_passed_over(
    devices: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, flavor: str
) -> None:
    monkeypatch.setenv("TRTX_FLAVOR", flavor)
    assert select(MLContextOptions()) == BackendDevice.cpu()
    assert f"backend trtx passed over: TRTX_FLAVOR={flavor} runs nothing on CUDA devices" in caplog.messages


def test_enterprise_cannot_be_forced_to_run_and_the_mock_plays_a_device(
    devices: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRTX_FLAVOR", "enterprise")
    with pytest.raises(BackendUnavailable, match="TRTX_FLAVOR=enterprise runs nothing"):
        select(TRTX)
    monkeypatch.setenv("TRTX_FLAVOR", "mock")
    assert select(TRTX) == BackendDevice.trtx(0)
    assert select(MLContextOptions(device=BackendDevice.trtx(2))) == BackendDevice.trtx(2)


def test_an_unknown_flavor_is_named(devices: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRTX_FLAVOR", "rtxx")
    with pytest.raises(BackendUnavailable, match="TRTX_FLAVOR=rtxx: must be one of rtx, enterprise, mock"):
        select(TRTX)


def select_in_a_process(**environment: str) -> str:
    """What a program that selects a device prints to standard error."""
    code = """
from types import SimpleNamespace
from trtx_backend import MLContextOptions, selection
selection.cuda_devices = lambda: ([SimpleNamespace(index=0, name="RTX 4090")], None)
selection.select(MLContextOptions())
selection.select(MLContextOptions(accelerated=False))
"""
    clean = {k: v for k, v in os.environ.items() if k not in ("RUST_LOG", "TRTX_LOG", "RUSTNN_TRTX_LOG_VERBOSITY")}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**clean, **environment}, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stderr


@pytest.mark.parametrize("variable", ["RUST_LOG", "TRTX_LOG"])
def test_what_was_selected_is_printed_on_demand(variable: str) -> None:
    assert select_in_a_process(**{variable: "info"}) == (
        "INFO trtx: CUDA devices found: 0 (RTX 4090)\n"
        "INFO trtx: Backend selected: Trtx { cuda_device_idx: 0 }\n"
        "INFO trtx: backend trtx passed over: accelerated is False\n"
        "INFO trtx: Backend selected: Cpu\n"
    )


def test_nothing_is_printed_otherwise() -> None:
    assert select_in_a_process() == ""
    assert select_in_a_process(RUST_LOG="servo=debug,wgpu=trace", RUSTNN_TRTX_LOG_VERBOSITY="error") == ""
