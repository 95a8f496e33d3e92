"""Contexts used by several threads, and captures that others disturb."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.made import W, X, context_on, execution, product, run, tensors
from trtx_backend import CudaError
from trtx_backend.context import MLContext
from trtx_backend.runtime.device import Gate
from trtx_backend.runtime.double import Machine, installed


def at_once(*calls: Callable[[], None]) -> None:
    with ThreadPoolExecutor(len(calls)) as pool:
        for future in [pool.submit(call) for call in calls]:
            future.result(60)


def test_one_context_in_four_threads(machine: Machine, context: MLContext) -> None:
    graph = product(context)

    def work(seed: int) -> None:
        with context.create_tensor("float32", [2, 2], writable=True) as x:
            y = context.create_tensor("float32", [2, 2], readable=True, writable=True)
            for turn in range(25):
                np.testing.assert_array_equal(run(context, graph, x, y, X + seed + turn), (X + seed + turn) @ W)
            y.destroy()

    at_once(*(lambda seed=seed * 100: work(seed) for seed in range(4)))
    assert machine.calls["cuGraphLaunch"] > 50


def test_contexts_of_their_own_in_three_threads_build_and_dispatch(machine: Machine, tmp_path: Path) -> None:
    def work(seed: int) -> None:
        with context_on(tmp_path) as context:
            for turn in range(4):
                weights = W + seed + turn
                with product(context, weights) as graph:
                    x, y = tensors(context)
                    for _ in range(4):
                        np.testing.assert_array_equal(run(context, graph, x, y), X @ weights)
                    x.destroy()
                    y.destroy()

    at_once(*(lambda seed=seed * 10: work(seed) for seed in range(3)))


def test_a_capture_is_not_tried_while_another_thread_may_wait_for_the_device(
    machine: Machine, context: MLContext
) -> None:
    graph, (x, y) = product(context), tensors(context)
    run(context, graph, x, y)
    with context.runtime.queue.device.gate.work():  # type: ignore[attr-defined]
        np.testing.assert_array_equal(run(context, graph, x, y), X @ W)
        assert machine.calls["cuStreamBeginCapture"] == 0
    np.testing.assert_array_equal(run(context, graph, x, y), X @ W)
    assert execution(graph).captured == 1


def test_a_capture_that_a_foreign_thread_disturbs_is_enqueued_plainly(
    machine: Machine, context: MLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, (x, y) = product(context), tensors(context)
    run(context, graph, x, y)
    enqueue = context.runtime.queue.driver.enqueue  # type: ignore[attr-defined]

    def disturbed(*arguments: object) -> None:
        enqueue(*arguments)
        thread = threading.Thread(target=machine.cuda.disturb_captures)  # somebody else's cuCtxSynchronize
        thread.start()
        thread.join()

    monkeypatch.setattr(context.runtime.queue.driver, "enqueue", disturbed)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(run(context, graph, x, y, X + 1), (X + 1) @ W)
    monkeypatch.undo()
    np.testing.assert_array_equal(run(context, graph, x, y, X + 2), (X + 2) @ W)
    assert execution(graph).captured == 1


def test_a_context_that_is_collected_amid_a_capture_does_not_wait_for_it(
    machine: Machine, context: MLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, (x, y) = product(context), tensors(context)
    run(context, graph, x, y)
    enqueue, cycles = context.runtime.queue.driver.enqueue, []  # type: ignore[attr-defined]
    other = context_on(tmp_path)
    cycles.append([cycles, other, product(other)])
    del other

    def collecting(*arguments: object) -> None:
        cycles.clear()
        gc.collect()
        enqueue(*arguments)

    monkeypatch.setattr(context.runtime.queue.driver, "enqueue", collecting)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(run(context, graph, x, y, X + 1), (X + 1) @ W)
    monkeypatch.undo()
    assert machine.left()["contexts"] == 1


def test_the_gate_lets_many_work_or_one_capture() -> None:
    gate, worked = Gate(), threading.Event()

    def work() -> None:
        with gate.work():
            worked.set()

    with gate.work(), gate.work(), gate.capture() as free:
        assert not free
    with gate.capture() as free:
        assert free
        with gate.capture() as second:
            assert not second
        waiting = threading.Thread(target=work)
        waiting.start()
        assert not worked.wait(0.05)
    waiting.join(60)
    assert worked.is_set()
    with gate.capture() as free:
        assert free


def test_a_fault_in_one_thread_is_seen_by_all(tmp_path: Path) -> None:
    with installed() as machine:
        context = context_on(tmp_path)
        graph = product(context)
        errors: list[Exception] = []

        def work() -> None:
            try:
                x, y = tensors(context)
                while True:
                    run(context, graph, x, y)
            except Exception as error:
                errors.append(error)

        machine.fault.at, machine.fault.status = machine.fault.calls + 300, "CUDA_ERROR_ILLEGAL_ADDRESS"
        at_once(work, work, work)
        assert len(errors) == 3 and sum(isinstance(error, CudaError) for error in errors) == 1, errors
        assert "ILLEGAL_ADDRESS" in str(context.lost)
        assert machine.wrong == []
