"""The conformance targets that go through the runtime: trtx, and double, which proves its way on any machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from conformance.cli import USAGE
from conformance.cli import main as conformance
from conformance.targets import TARGETS, ContextLost, Double, snapshots_of
from tests.runtime.made import W, X
from trtx_backend import ExecutorError
from trtx_backend.graph import Graph, MLGraphBuilder
from trtx_backend.runtime.double import Machine
from trtx_backend.runtime.driver import Driver


@pytest.fixture
def target() -> Iterator[Double]:
    made = Double()
    yield made
    if made._context is not None:
        made._context.destroy()
    made._kept.close()


def graph() -> Graph:
    builder = MLGraphBuilder()
    y = builder.matmul(builder.input("x", "float32", [2, 2]), builder.constant(W))
    return builder.finish({"y": y})


def machine_of(target: Double) -> Machine:
    assert target._machine is not None
    return target._machine


def test_double_goes_all_the_way(target: Double) -> None:
    assert target.unavailable() is None
    outputs = target.run(graph(), {"x": X})
    assert outputs is not None
    np.testing.assert_array_equal(outputs["y"], X @ W)
    calls = machine_of(target).calls
    assert (calls["deserialize_cuda_engine"], calls["refit_cuda_engine"], calls["cuGraphLaunch"]) == (2, 2, 4)
    assert calls["execute_async_v3"] == 4  # twice the first and the captured one


@pytest.mark.parametrize(
    ("method", "instead", "message"),
    [
        ("launch", lambda *_: None, "of the captured run is not that of the plain one"),
        ("refit", lambda *_: None, "of a built engine is not that of the executor"),
        ("synchronize", lambda *_: None, "is not that of"),
    ],
)
def test_double_sees_what_is_left_out(
    target: Double, monkeypatch: pytest.MonkeyPatch, method: str, instead: Any, message: str
) -> None:
    monkeypatch.setattr(Driver, method, instead)
    with pytest.raises(ExecutorError, match=message):
        target.run(graph(), {"x": X})
    monkeypatch.undo()


def test_what_the_double_blames_fails_the_case(target: Double) -> None:
    target.run(graph(), {"x": X})
    machine_of(target).blame("a misdeed")
    with pytest.raises(ExecutorError, match="the double saw: a misdeed"):
        target.run(graph(), {"x": X})


def test_a_context_that_is_lost_ends_the_process_of_the_case(target: Double) -> None:
    target.run(graph(), {"x": X})
    machine_of(target).fault.at_name, machine_of(target).fault.status = (
        "cuStreamSynchronize",
        "CUDA_ERROR_LAUNCH_FAILED",
    )
    with pytest.raises(ContextLost, match="cuStreamSynchronize: CUDA_ERROR_LAUNCH_FAILED"):
        target.run(graph(), {"x": X})


def test_double_has_no_snapshots_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert {name: snapshots_of(name) for name in TARGETS} == {name: name for name in TARGETS} | dict.fromkeys(
        ("double", "mock"), "cpu"
    )
    assert conformance(["run", "--target", "double", "--op", "relu", "--update-snapshots"]) == USAGE
    assert "those of cpu hold" in capsys.readouterr().err
