"""Context options: what is accepted, and what a wrong value says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trtx_backend import Backend, BackendDevice, MLContextOptions, PowerPreference, TrtxOptions


def test_enums_may_be_given_by_their_text() -> None:
    options = MLContextOptions(power_preference="low-power", backend="cpu")  # type: ignore[arg-type]
    assert options.power_preference is PowerPreference.LOW_POWER
    assert options.backend is Backend.CPU


def test_a_device_hint_says_what_it_is() -> None:
    assert str(BackendDevice.trtx(cuda_device_idx=1)) == "Trtx { cuda_device_idx: 1 }"
    assert str(BackendDevice.cpu()) == "Cpu"
    assert MLContextOptions(backend=Backend.TRTX, device=BackendDevice.trtx()).device == BackendDevice.trtx(0)


def test_a_cache_directory_may_be_text_or_a_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert TrtxOptions(cache_dir="~/here").cache_dir == TrtxOptions(cache_dir=tmp_path / "here").cache_dir


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TrtxOptions(engine_caching=1), "engine_caching is 1: must be True or False"),
        (lambda: TrtxOptions(runtime_cache=None), "runtime_cache is None: must be True or False"),
        (lambda: TrtxOptions(cuda_graphs="no"), "cuda_graphs is 'no': must be True or False"),
        (lambda: TrtxOptions(engine_caching=False, fail_on_cache_miss=True), "would miss a cache that is not used"),
        (lambda: TrtxOptions(cache_size=0), "cache_size is 0: must be an integer from 1"),
        (lambda: TrtxOptions(cache_size=1e9), "cache_size is 1000000000.0: must be an integer"),
        (lambda: TrtxOptions(runtime_cache_size=True), "runtime_cache_size is True: must be an integer"),
        (lambda: TrtxOptions(cuda_graph_limit=-1), "cuda_graph_limit is -1: must be an integer from 1"),
        (lambda: TrtxOptions(cache_dir=7), "cache_dir is 7: must be a path or None"),
        (lambda: TrtxOptions(cache_dir=""), "cache_dir is '': must not be empty"),
        (lambda: MLContextOptions(power_preference="fast"), "must be one of default, high-performance, low-power"),
        (lambda: MLContextOptions(backend="cuda"), "backend is 'cuda': must be one of trtx, cpu"),
        (lambda: MLContextOptions(accelerated=1), "accelerated is 1: must be True or False"),
        (lambda: MLContextOptions(device="cuda:0"), "device is 'cuda:0': must be a BackendDevice"),
        (lambda: MLContextOptions(trtx={}), "trtx is {}: must be a TrtxOptions"),
        (lambda: MLContextOptions(backend="cpu", device=BackendDevice.trtx()), "the backend hint says cpu"),
        (lambda: BackendDevice.trtx(-1), "cuda_device_idx is -1: must be an integer from 0"),
        (lambda: BackendDevice.trtx(None), "cuda_device_idx is None: must be an integer from 0"),
        (lambda: BackendDevice(Backend.CPU, 0), "the cpu backend has none"),
        (lambda: BackendDevice("gpu", 0), "backend is 'gpu': must be one of trtx, cpu"),
        (lambda: TrtxOptions(cache_dir="~nobody-of-this-name/x"), "cache_dir is '~nobody-of-this-name/x': "),
        (lambda: TrtxOptions(cache="x"), "unexpected keyword argument"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_a_type_error(make: Any, message: str) -> None:
    with pytest.raises(TypeError) as error:
        make()
    assert message in str(error.value)
