"""The double sees what a GPU would punish: each misdeed on purpose."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from tests.runtime.made import W
from trtx_backend.engine import EngineSettings, find_weights
from trtx_backend.errors import CudaError, TensorRTError
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.lowering import lower
from trtx_backend.runtime.double import DoubleCompiler, Machine
from trtx_backend.runtime.double.plan import load_plan
from trtx_backend.runtime.driver import Driver


class Bench:
    """The bare driver with a context and two streams."""

    def __init__(self) -> None:
        self.machine = Machine()
        self.driver: Driver = self.machine.driver()
        self.driver.device_count()
        self.device = self.driver.device(0)
        self.context = self.driver.retain(self.device)
        self.driver.call("cuCtxPushCurrent", self.context)
        self.one, self.two = self.driver.create_stream(), self.driver.create_stream()
        self.host = np.arange(4, dtype=np.uint8)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def fails(bench: Bench, status: str) -> pytest.RaisesExc[CudaError]:
    return pytest.raises(CudaError, match=status)


def test_work_waits_until_somebody_waits_for_it(bench: Bench) -> None:
    d = bench.driver
    address = d.allocate(4, bench.one)
    back = np.zeros(4, np.uint8)
    d.upload(address, bench.host, bench.one)
    d.download(back, address, bench.one)
    bench.host[:] = 9  # too early: it is read later
    assert back.tolist() == [0, 0, 0, 0]
    d.synchronize(bench.one)
    assert back.tolist() == [9, 9, 9, 9]


def test_fresh_memory_holds_garbage(bench: Bench) -> None:
    back = np.zeros(4, np.uint8)
    bench.driver.download(back, bench.driver.allocate(4, bench.one), bench.one)
    bench.driver.synchronize(bench.one)
    assert back.tolist() == [0xCD] * 4


def test_use_after_free_double_free_and_out_of_bounds(bench: Bench) -> None:
    d, wrong = bench.driver, bench.machine.wrong
    address = d.allocate(3, bench.one)
    with fails(bench, "ILLEGAL_ADDRESS"):
        d.upload(address, bench.host, bench.one)
    assert "has 3 bytes, 4 are touched" in wrong.pop()
    bench.machine.cuda.sticky = None
    d.free(address, bench.one)
    for misdeed in (
        lambda: d.zero(address, 1, bench.one),
        lambda: d.free(address, bench.one),
        lambda: d.free(0x1234, bench.one),
    ):
        with pytest.raises(CudaError):
            misdeed()
        assert "is no allocation" in wrong.pop()
        bench.machine.cuda.sticky = None


def test_two_streams_without_an_event(bench: Bench) -> None:
    d = bench.driver
    address = d.allocate(4, bench.one)
    d.zero(address, 4, bench.one)
    with fails(bench, "ILLEGAL_ADDRESS"):
        d.zero(address, 4, bench.two)
    assert "has work pending on another stream" in bench.machine.wrong[0]


def test_after_a_sticky_error_nothing_works_until_a_reset(bench: Bench) -> None:
    d = bench.driver
    with pytest.raises(CudaError, match="ILLEGAL_ADDRESS") as error:
        d.zero(0x1234, 4, bench.one)
    assert error.value.sticky
    for call in (lambda: d.synchronize(bench.two), lambda: d.allocate(4, None), lambda: d.retain(bench.device)):
        with fails(bench, "ILLEGAL_ADDRESS"):
            call()
    d.reset(bench.device)
    assert d.allocate(4, None)


@pytest.mark.parametrize("misdeed", ["synchronize", "query", "allocate", "other thread waits for the device"])
def test_what_no_capture_survives(bench: Bench, misdeed: str) -> None:
    d = bench.driver
    address = d.allocate(4, bench.one)
    d.begin_capture(bench.one)
    d.zero(address, 4, bench.one)
    if misdeed == "synchronize":
        with fails(bench, "STREAM_CAPTURE_UNSUPPORTED"):
            d.synchronize(bench.one)
    elif misdeed == "query":
        with fails(bench, "STREAM_CAPTURE_UNSUPPORTED"):
            d.check_stream(bench.one)
    elif misdeed == "allocate":
        d.allocate(4, None)
    else:
        thread = threading.Thread(target=bench.machine.cuda.disturb_captures)
        thread.start()
        thread.join()
    assert d.is_capturing(bench.one)
    with fails(bench, "STREAM_CAPTURE_INVALIDATED"):
        d.end_capture(bench.one)
    assert not d.is_capturing(bench.one)


def test_an_allocation_of_another_thread_is_nothing_to_a_capture(bench: Bench) -> None:
    d = bench.driver
    d.begin_capture(bench.one)

    def allocate() -> None:
        with d.current(bench.context):
            d.allocate(4, None)

    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    d.destroy_graph(d.end_capture(bench.one))


def test_a_capture_runs_nothing_until_it_is_launched(bench: Bench) -> None:
    d, back = bench.driver, np.zeros(4, np.uint8)
    address = d.allocate(4, bench.one)
    d.zero(address, 4, bench.one)
    d.begin_capture(bench.one)
    d.upload(address, bench.host, bench.one)
    executable = d.instantiate(d.end_capture(bench.one))
    for launches, expected in ((0, [0, 0, 0, 0]), (1, [0, 1, 2, 3])):
        for _ in range(launches):
            d.launch(executable, bench.one)
        d.download(back, address, bench.one)
        d.synchronize(bench.one)
        assert back.tolist() == expected


def test_a_graph_over_freed_memory(bench: Bench) -> None:
    d = bench.driver
    address = d.allocate(4, bench.one)
    d.begin_capture(bench.one)
    d.zero(address, 4, bench.one)
    executable = d.instantiate(d.end_capture(bench.one))
    d.free(address, bench.one)
    with fails(bench, "ILLEGAL_ADDRESS"):
        d.launch(executable, bench.one)
    assert "is no allocation's" in bench.machine.wrong[0]


def test_leaks_at_the_end_of_a_context(bench: Bench) -> None:
    bench.driver.allocate(4, None)
    bench.driver.release(bench.device)
    assert bench.machine.wrong == ["1 memory left when the context ended", "2 streams left when the context ended"]


def test_a_context_that_is_not_current(bench: Bench) -> None:
    bench.driver.call("cuCtxPopCurrent")
    with fails(bench, "INVALID_CONTEXT"):
        bench.driver.allocate(4, None)
    assert bench.machine.wrong == ["cuMemAlloc: no context is current"]


def plan() -> bytes:
    builder = MLGraphBuilder()
    y = builder.matmul(builder.input("x", "float32", [2, 2]), builder.constant(W))
    lowered = lower(builder.finish({"y": y}))
    settings = EngineSettings(refit=True)
    return DoubleCompiler().compile(lowered, settings, find_weights(lowered)).data


def test_weights_are_not_in_a_plan_and_an_engine_without_them_computes_nonsense(bench: Bench) -> None:
    d, data = bench.driver, plan()
    assert W.tobytes() not in data and len(load_plan(data).weights) == 1
    engine = d.deserialize(runtime := d.create_runtime(), data)
    refitter = d.create_refitter(engine)
    assert list(d.missing_weights(refitter)) == list(d.refittable_weights(refitter))
    with pytest.raises(TensorRTError, match="missing weights"):
        d.refit(refitter)
    execution = d.create_execution_context(engine, d.create_runtime_config(engine))
    x, y = d.allocate(16, bench.one), d.allocate(16, bench.one)
    names = {binding.is_input: binding.name for binding in d.bindings(engine)}
    with pytest.raises(TensorRTError, match="no address for"):
        d.enqueue(execution, bench.one)
    d.set_address(execution, names[True], x)
    d.set_address(execution, names[False], y)
    back, one, executions = np.zeros((2, 2), np.float32), np.eye(2, dtype=np.float32), [execution]

    def compute() -> list[list[float]]:
        d.upload(x, one, bench.one)
        d.enqueue(executions[0], bench.one)
        d.download(back, y, bench.one)
        d.synchronize(bench.one)
        found: list[list[float]] = back.tolist()
        return found

    assert compute() != W.tolist()
    (name,) = d.missing_weights(refitter)
    for bad in (W.astype(np.float16), W[:1]):
        with pytest.raises(TensorRTError, match="the engine has float32 x 4"):
            d.set_weights(refitter, name, bad)
    d.set_weights(refitter, name, W)
    d.refit(refitter)
    assert compute() == W.tolist()
    d.enqueue(execution, bench.one)
    executions.clear()
    del execution, runtime
    assert "an execution context is destroyed that has work pending" in bench.machine.wrong


def test_the_first_run_cannot_be_captured(bench: Bench) -> None:
    d = bench.driver
    runtime = d.create_runtime()
    engine = d.deserialize(runtime, plan())
    execution = d.create_execution_context(engine, d.create_runtime_config(engine))
    for binding in d.bindings(engine):
        d.set_address(execution, binding.name, d.allocate(16, bench.one))
    d.begin_capture(bench.one)
    with pytest.raises(TensorRTError, match="STREAM_CAPTURE_INVALIDATED"):
        d.enqueue(execution, bench.one)
    with fails(bench, "STREAM_CAPTURE_INVALIDATED"):
        d.end_capture(bench.one)


@pytest.mark.parametrize("data", [b"", b"no plan", plan()[:-9], plan()[:40]], ids=["empty", "foreign", "cut", "short"])
def test_what_is_no_plan_is_refused(bench: Bench, data: bytes) -> None:
    with pytest.raises(TensorRTError, match=r"deserialize_cuda_engine: .*plan"):
        bench.driver.deserialize(bench.driver.create_runtime(), data)
