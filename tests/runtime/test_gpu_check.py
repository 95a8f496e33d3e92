"""make gpu-check, on the double; and that it sees what it is there to see."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.gpu import layers, parts
from benchmarks.gpu.__main__ import check, main, write
from tests.conformance.make import ROOT
from trtx_backend.runtime.device import missing
from trtx_backend.runtime.double import Machine, installed
from trtx_backend.runtime.driver import Driver


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    monkeypatch.setattr(parts, "GRAPHS", {"mlp": parts.mlp})
    monkeypatch.setattr(parts, "DISPATCHES", 3)
    with installed() as machine:
        yield machine
        assert machine.left() == {}


@pytest.mark.skipif(missing() is None, reason="there is a GPU here")
@pytest.mark.parametrize("target", ["gpu-check", "test-wpt-trtx", "wpt-sync-trtx"])
def test_without_a_gpu_it_says_what_is_missing_and_exits_with_3(target: str) -> None:
    line = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    command = line.strip().splitlines()[-1]
    run = subprocess.run(command, cwd=ROOT, shell=True, capture_output=True, text=True, check=False)
    assert run.returncode == 3, run.stderr
    assert "target trtx is not available: there is no CUDA driver: cuInit" in run.stderr


def test_a_report_of_the_double(tmp_path: Path, small: Machine) -> None:
    report = check("double", "relu", 2)
    file = write(report, tmp_path)
    assert file.name.startswith("gpu-Double-of-an-RTX-GPU-1.6.1")
    assert json.loads(file.read_text(encoding="utf-8"))["passed"], report
    assert report["suite"]["summary"]["PASS"] == report["suite"]["summary"]["cases"] > 10
    assert report["layers"]["types"]["ACTIVATION"]["equal"] == report["layers"]["types"]["ACTIVATION"]["layers"] > 0
    assert small.wrong == []


def test_a_replay_that_does_nothing_is_seen(small: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert parts.replay()["passed"]
    monkeypatch.setattr(Driver, "launch", lambda *_: None)
    assert not parts.replay()["passed"]


def test_a_cache_that_never_hits_is_seen(small: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert parts.cache()["passed"]
    monkeypatch.setattr("trtx_backend.engine.cache.EngineCache.load", lambda *_: None)
    assert not parts.cache()["passed"] and not parts.refit()["passed"]


def test_an_engine_with_wrong_weights_is_seen(small: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert parts.refit()["passed"]
    set_weights = Driver.set_weights
    monkeypatch.setattr(Driver, "set_weights", lambda self, r, name, data: set_weights(self, r, name, data + 1))
    assert not parts.refit()["passed"]


def test_a_layer_that_computes_something_else_is_seen(small: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert layers.compare("tanh", 1)["passed"]
    run = Driver.download

    def off(self: Driver, data: Any, address: int, stream: Any) -> None:
        run(self, data, address, stream)
        self.synchronize(stream)
        if data.dtype == np.float32:
            data += 0.25

    monkeypatch.setattr(Driver, "download", off)
    found = layers.compare("tanh", 1)
    assert not found["passed"] and found["far"][0]["layer"]


def test_what_the_executor_assumes_is_asked_of_the_device(small: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    found = layers.assumptions()
    assert found["passed"] and found["confirmed"] > 20, found
    monkeypatch.setattr(Driver, "enqueue", lambda *_: None)  # a device that computes nothing
    found = layers.assumptions()
    assert not found["passed"] and found["refuted"] > 20


def test_a_part_that_fails_does_not_cost_the_others(small: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "cache", lambda: 1 / 0)
    monkeypatch.setattr("benchmarks.gpu.__main__.suite", lambda *_: {"passed": True})
    report = check("double", "relu", 1)
    assert report["cache"] == {"passed": False, "error": "ZeroDivisionError: division by zero"}
    assert report["refit"]["passed"] and not report["passed"]


def test_main_on_the_double(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmarks.gpu.__main__.check", lambda *_: {
        "device": {"name": "Some GPU / 9"}, "versions": {"tensorrt": "1.2"}, "passed": False,
    })  # fmt: skip
    assert main(["--double", "--out", str(tmp_path)]) == 1
    assert (tmp_path / "gpu-Some-GPU-9-1.2.json").exists()
    assert "NOT as it should be" in capsys.readouterr().out
