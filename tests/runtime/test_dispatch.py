"""Dispatches on the double: results, CUDA graphs, and what may go wrong with them."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.made import W, X, context_on, execution, product, run, tensors
from trtx_backend import EngineError, MLGraphBuilder
from trtx_backend.context import MLContext
from trtx_backend.runtime.double import Machine
from trtx_backend.runtime.driver import Driver


def test_the_first_dispatch_runs_the_second_is_captured_and_run_all_others_are_replayed(
    machine: Machine, context: MLContext
) -> None:
    graph, (x, y) = product(context), tensors(context)
    expected = [
        ("execute_async_v3", 1, 0),
        ("execute_async_v3", 2, 1),
        ("cuGraphLaunch", 2, 2),
        ("cuGraphLaunch", 2, 3),
    ]
    for turn, (_, enqueued, launched) in enumerate(expected):
        np.testing.assert_array_equal(run(context, graph, x, y, X + turn), (X + turn) @ W)
        assert (machine.calls["execute_async_v3"], machine.calls["cuGraphLaunch"]) == (enqueued, launched)
    assert machine.calls["cuStreamBeginCapture"] == 1
    assert "cuStreamCreate" in machine.order and machine.calls["cuStreamCreate"] == 1
    assert not [name for name in machine.calls if "Event" in name]


def test_dispatches_wait_for_nothing(machine: Machine, context: MLContext) -> None:
    graph, (x, y) = product(context), tensors(context)
    context.write_tensor(x, X)
    before = machine.calls["cuStreamSynchronize"]
    for _ in range(5):
        context.dispatch(graph, {"x": x}, {"y": y})
    assert machine.calls["cuStreamSynchronize"] == before
    np.testing.assert_array_equal(context.read_tensor(y), X @ W)


def test_a_chain_of_dispatches_is_in_order(context: MLContext) -> None:
    graph, (x, y) = product(context), tensors(context)
    z = context.create_tensor("float32", [2, 2], readable=True)
    context.write_tensor(x, X)
    for _ in range(3):
        context.dispatch(graph, {"x": x}, {"y": y})
        context.dispatch(graph, {"x": y}, {"y": z})
    np.testing.assert_array_equal(context.read_tensor(z), X @ W @ W)


def test_without_cuda_graphs_all_is_enqueued(machine: Machine, tmp_path: Path) -> None:
    with context_on(tmp_path, cuda_graphs=False) as context:
        graph, (x, y) = product(context), tensors(context)
        for turn in range(4):
            np.testing.assert_array_equal(run(context, graph, x, y, X + turn), (X + turn) @ W)
    assert machine.calls["execute_async_v3"] == 4
    assert machine.calls["cuStreamBeginCapture"] == 0


def test_graphs_are_bounded_and_the_oldest_goes(machine: Machine, tmp_path: Path) -> None:
    with context_on(tmp_path, cuda_graph_limit=3) as context:
        graph, pairs = product(context), [tensors(context) for _ in range(6)]
        for pair in pairs:
            for _ in range(3):
                np.testing.assert_array_equal(run(context, graph, *pair), X @ W)
        assert execution(graph).captured == len(machine.cuda.executables) == 3
        launched = machine.calls["cuGraphLaunch"]
        run(context, graph, *pairs[-3])
        assert (machine.calls["cuStreamBeginCapture"], machine.calls["cuGraphLaunch"]) == (6, launched + 1)
        run(context, graph, *pairs[0])  # its graph went: captured anew, since it comes again
        assert (machine.calls["cuStreamBeginCapture"], execution(graph).captured) == (7, 3)


def test_a_graph_goes_with_each_of_its_tensors(machine: Machine, context: MLContext) -> None:
    graph = product(context)
    for which in (0, 1):
        pair = tensors(context)
        for _ in range(3):
            run(context, graph, *pair)
        assert execution(graph).captured == 1
        pair[which].destroy()
        assert execution(graph).captured == len(machine.cuda.executables) == 0
        pair[1 - which].destroy()


def test_new_tensors_at_old_addresses_are_not_old_tensors(machine: Machine, context: MLContext) -> None:
    graph, (x, y) = product(context), tensors(context)
    for _ in range(3):
        run(context, graph, x, y)
    addresses = {x.storage.buffer.address, y.storage.buffer.address}
    x.destroy()
    y.destroy()
    x, y = tensors(context)
    assert {x.storage.buffer.address, y.storage.buffer.address} == addresses
    launched = machine.calls["cuGraphLaunch"]
    np.testing.assert_array_equal(run(context, graph, x, y, X * 2), X * 2 @ W)
    assert machine.calls["cuGraphLaunch"] == launched


@pytest.mark.parametrize("status", ["CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "CUDA_ERROR_OUT_OF_MEMORY"])
@pytest.mark.parametrize(
    "call", ["cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiate", "cuGraphDestroy", "execute_async_v3"]
)
def test_what_cannot_be_captured_is_enqueued(
    machine: Machine, context: MLContext, caplog: pytest.LogCaptureFixture, call: str, status: str
) -> None:
    graph, (x, y) = product(context), tensors(context)
    run(context, graph, x, y)
    machine.fault.at_name, machine.fault.status = call, status
    with caplog.at_level(logging.WARNING, "trtx"):
        for turn in range(2):
            np.testing.assert_array_equal(run(context, graph, x, y, X + turn), (X + turn) @ W)
    assert machine.fault.hit == call
    assert len([record for record in caplog.records if "cannot be captured" in record.message]) == 1
    np.testing.assert_array_equal(run(context, graph, x, y, X + 2), (X + 2) @ W)
    assert execution(graph).captured == 1  # what disturbed it is over


def test_captures_that_keep_failing_are_given_up_and_logged_once(
    machine: Machine, context: MLContext, caplog: pytest.LogCaptureFixture
) -> None:
    graph, (x, y) = product(context), tensors(context)
    machine.fault.always = "cuGraphInstantiate"
    with caplog.at_level(logging.WARNING, "trtx"):
        for turn in range(8):
            np.testing.assert_array_equal(run(context, graph, x, y, X + turn), (X + turn) @ W)
    assert machine.calls["cuStreamBeginCapture"] == 3
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert not machine.cuda.graphs and not machine.cuda.executables


def test_what_tensorrt_calls_uncapturable_is_not_captured(
    machine: Machine, context: MLContext, caplog: pytest.LogCaptureFixture
) -> None:
    machine.capturable = False
    graph, (x, y) = product(context), tensors(context)
    with caplog.at_level(logging.WARNING, "trtx"):
        for _ in range(4):
            np.testing.assert_array_equal(run(context, graph, x, y), X @ W)
    assert machine.calls["cuStreamBeginCapture"] == 0
    assert len(caplog.records) == 1


def test_a_stream_that_stays_in_capture_loses_the_context(machine: Machine, tmp_path: Path) -> None:
    context = context_on(tmp_path)
    graph, (x, y) = product(context), tensors(context)
    run(context, graph, x, y)
    machine.fault.always = "cuStreamEndCapture"
    with pytest.raises(Exception, match="does not leave a failed capture"):
        run(context, graph, x, y)
    assert "does not leave a failed capture" in str(context.lost)
    machine.fault.always = None


def test_two_graphs_in_turns(context: MLContext) -> None:
    double = W * 2
    one, two = product(context), product(context, double)
    (x, y), (u, v) = tensors(context), tensors(context)
    for _ in range(4):
        np.testing.assert_array_equal(run(context, one, x, y), X @ W)
        np.testing.assert_array_equal(run(context, two, x, y), X @ double)
        np.testing.assert_array_equal(run(context, one, u, v), X @ W)


def test_an_engine_without_an_input_that_nobody_reads_is_taken_and_one_with_other_bindings_is_not(
    context: MLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    bindings = Driver.bindings
    builder = MLGraphBuilder(context)
    y = builder.add(builder.input("x", "float32", [2, 2]), builder.input("z", "float32", [2, 2]))
    monkeypatch.setattr(Driver, "bindings", lambda d, e: tuple(b for b in bindings(d, e) if b.name != "in1"))
    with builder.build({"y": y}) as graph:
        assert list(graph.inputs) == ["x", "z"]
    for wrong in (
        lambda b: replace(b, dtype="HALF"),
        lambda b: replace(b, shape=(4,)),
        lambda b: replace(b, name="else"),
    ):
        monkeypatch.setattr(Driver, "bindings", lambda d, e, wrong=wrong: tuple(wrong(b) for b in bindings(d, e)))
        with pytest.raises(EngineError, match="the engine's bindings are"):
            product(context)
    monkeypatch.setattr(Driver, "bindings", lambda d, e: tuple(b for b in bindings(d, e) if b.is_input))
    with pytest.raises(EngineError, match="the engine's bindings are"):
        product(context)


def test_the_graph_goes_that_was_not_replayed_for_longest(machine: Machine, tmp_path: Path) -> None:
    with context_on(tmp_path, cuda_graph_limit=2) as context:
        graph, (a, b, c) = product(context), [tensors(context) for _ in range(3)]
        for pair in (a, a, b, b, a, c, c):  # b's goes for c's
            run(context, graph, *pair)
        captures = machine.calls["cuStreamBeginCapture"]
        run(context, graph, *a)
        assert machine.calls["cuStreamBeginCapture"] == captures == 3
        run(context, graph, *b)
        assert machine.calls["cuStreamBeginCapture"] == 4


def test_what_was_seen_once_is_bounded_too(context: MLContext, tmp_path: Path) -> None:
    with context_on(tmp_path, cuda_graph_limit=1) as small:
        graph, pairs = product(small), [tensors(small) for _ in range(9)]
        for pair in pairs:
            run(small, graph, *pair)
        assert len(execution(graph)._graphs._seen) == 4
