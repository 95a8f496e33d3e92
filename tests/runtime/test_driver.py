"""The driver against the real libraries, as far as they go without a GPU, and against its double."""

from __future__ import annotations

import ast
import inspect
import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cuda.bindings import driver as real

from trtx_backend import ML, Backend, BackendUnavailable, MLContextOptions
from trtx_backend.errors import CudaError, TensorRTError
from trtx_backend.runtime import device
from trtx_backend.runtime import driver as module
from trtx_backend.runtime.device import default_driver, devices, look, missing
from trtx_backend.runtime.double import Machine, installed
from trtx_backend.runtime.driver import STICKY, Driver
from trtx_backend.trt import log, trt

TREE = ast.parse(inspect.getsource(module))
CLASSES = {
    "_trt": trt,
    "runtime": trt.Runtime,
    "engine": trt.ICudaEngine,
    "refitter": trt.Refitter,
    "config": trt.IRuntimeConfig,
    "cache": trt.IRuntimeCache,
    "execution": trt.IExecutionContext,
}
"""What the driver's names for TensorRT's objects stand for."""


def called() -> set[str]:
    """The CUDA functions that the driver names."""
    texts = [node.value for node in ast.walk(TREE) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {text for text in texts if text.startswith("cu") and text[2:3].isupper()}


def attributes() -> set[tuple[str, str]]:
    """(object, attribute) of what the driver reads of cuda-python and of TensorRT."""
    found = set()
    for node in ast.walk(TREE):
        if isinstance(node, ast.Attribute):
            base = node.value
            name = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
            found.add((name, node.attr))
    return found


def no_driver() -> bool:
    try:
        real.cuInit(0)
    except RuntimeError:
        return True
    return False


def test_cuda_python_has_all_that_is_called() -> None:
    assert len(called()) > 30
    assert [name for name in called() if not callable(getattr(real, name, None))] == []
    for enum, member in (pair for pair in attributes() if pair[0].startswith("CU")):
        assert hasattr(getattr(real, enum), member), member
    assert {"CUresult", "CUstream_flags", "CUstreamCaptureMode"} <= {
        name for base, name in attributes() if base == "_cuda"
    }
    for name in STICKY:
        assert hasattr(real.CUresult, name)


def test_tensorrt_has_all_that_is_used() -> None:
    used = [(base, name) for base, name in attributes() if base in CLASSES]
    assert len(used) > 25
    assert [pair for pair in used if not hasattr(CLASSES[pair[0]], pair[1])] == []
    enums = [(base, name) for base, name in attributes() if base in ("TensorIOMode", "CudaGraphStrategy")]
    assert len(enums) == 2 and all(hasattr(getattr(trt, base), name) for base, name in enums)


def test_the_double_has_what_is_called_and_nothing_else() -> None:
    machine = Machine()
    entries = {name for name in dir(machine.cuda) if name.startswith("cu") and name[2:3].isupper()}
    assert entries == called()


SOME = 0x1000
CALLS: list[Callable[[Driver], Any]] = [
    lambda d: d.device_count(),
    lambda d: d.device(0),
    lambda d: d.device_name(real.CUdevice(0)),
    lambda d: d.pci_bus_id(real.CUdevice(0)),
    lambda d: d.device_memory(real.CUdevice(0)),
    lambda d: d.attribute(real.CUdevice(0), "MEMORY_POOLS_SUPPORTED"),
    lambda d: d.attribute(real.CUdevice(0), "COMPUTE_CAPABILITY_MAJOR"),
    lambda d: d.attribute(real.CUdevice(0), "COMPUTE_CAPABILITY_MINOR"),
    lambda d: d.driver_version(),
    lambda d: d.retain(real.CUdevice(0)),
    lambda d: d.release(real.CUdevice(0)),
    lambda d: d.reset(real.CUdevice(0)),
    lambda d: d.current(real.CUcontext(SOME)).__enter__(),
    lambda d: d.create_stream(),
    lambda d: d.destroy_stream(real.CUstream(SOME)),
    lambda d: d.synchronize(real.CUstream(SOME)),
    lambda d: d.check_stream(real.CUstream(SOME)),
    lambda d: d.allocate(8, None),
    lambda d: d.allocate(8, real.CUstream(SOME)),
    lambda d: d.free(SOME, None),
    lambda d: d.free(SOME, real.CUstream(SOME)),
    lambda d: d.zero(SOME, 8, real.CUstream(SOME)),
    lambda d: d.upload(SOME, np.zeros(2), real.CUstream(SOME)),
    lambda d: d.download(np.zeros(2), SOME, real.CUstream(SOME)),
    lambda d: d.begin_capture(real.CUstream(SOME)),
    lambda d: d.end_capture(real.CUstream(SOME)),
    lambda d: d.is_capturing(real.CUstream(SOME)),
    lambda d: d.instantiate(real.CUgraph(SOME)),
    lambda d: d.destroy_graph(real.CUgraph(SOME)),
    lambda d: d.launch(real.CUgraphExec(SOME), real.CUstream(SOME)),
    lambda d: d.destroy_executable(real.CUgraphExec(SOME)),
]
"""Every call of the driver that goes to CUDA, with arguments of the types that CUDA gave it."""


@pytest.mark.skipif(not no_driver(), reason="there is a CUDA driver here")
@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_cuda_python_takes_the_arguments(call: Callable[[Driver], Any]) -> None:
    """It looks at them first, and then for the driver, which is not there."""
    with pytest.raises(CudaError, match="NotFound") as error:
        call(default_driver())
    assert error.value.code is None and error.value.call.startswith("cu") and not error.value.sticky


def test_every_function_is_among_those_calls() -> None:
    machine = Machine()
    for call in CALLS:
        try:
            call(machine.driver())
        except CudaError:
            continue
    assert set(machine.calls) | {"cuCtxPopCurrent"} == called()


@pytest.mark.skipif(not no_driver(), reason="there is a CUDA driver here")
def test_tensorrts_runtime_refuses_with_words() -> None:
    here = default_driver()
    runtime = here.create_runtime()
    with pytest.raises(TensorRTError, match="deserialize_cuda_engine: "):
        here.deserialize(runtime, b"no plan")
    assert here.tensorrt_version == trt.__version__


@pytest.mark.skipif(not no_driver(), reason="there is a CUDA driver here")
def test_a_machine_without_a_driver_says_so() -> None:
    assert devices() == []
    assert str(missing()).startswith("there is no CUDA driver: cuInit: DynamicLibNotFoundError")
    with pytest.raises(BackendUnavailable, match="there is no CUDA driver"):
        ML().create_context(MLContextOptions(backend=Backend.TRTX))


def test_a_machine_without_cuda_python_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(f"no module {name}")

    monkeypatch.setattr(device.importlib, "import_module", absent)
    device._installed_driver.cache_clear()
    assert look() == ([], "cuda-python is not installed: no module cuda.bindings.driver")
    monkeypatch.undo()
    device._installed_driver.cache_clear()


@pytest.mark.parametrize(
    ("machine", "status", "reason"),
    [
        (lambda: Machine(devices=0), None, "there is no CUDA device: the driver counts none"),
        (lambda: Machine(capability=(7, 5)), None,
         "no CUDA device has compute capability 8.0 or newer: Double of an RTX GPU has 7.5"),
        (Machine, "CUDA_ERROR_NO_DEVICE", "there is no CUDA device: cuInit: CUDA_ERROR_NO_DEVICE (100)"),
        (Machine, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "the CUDA driver cannot be used: cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"),
    ],
)  # fmt: skip
def test_why_there_is_no_device(machine: Callable[[], Machine], status: str | None, reason: str) -> None:
    made = machine()
    if status:
        made.fault.at, made.fault.status = 0, status
    assert look(made.driver()) == ([], reason)


def test_what_a_device_is(caplog: pytest.LogCaptureFixture) -> None:
    with installed(Machine(devices=2)) as machine, caplog.at_level(logging.INFO, "trtx"):
        found = devices()
        assert [(one.index, one.name, one.compute_capability) for one in found] == [
            (0, "Double of an RTX GPU", (8, 9)),
            (1, "Double of an RTX GPU", (8, 9)),
        ]
        assert (found[1].pci_bus_id, found[1].memory) == ("0000:02:00.0", 8 << 30)
        assert missing() is None
        with ML().create_context() as context:
            assert context.backend is Backend.TRTX
    assert "Backend selected: Trtx { cuda_device_idx: 0 }" in caplog.text
    assert machine.left() == {}


def test_a_false_from_tensorrt_is_an_error_with_its_words() -> None:
    here = Driver(real, trt, log)
    log.log(trt.ILogger.Severity.ERROR, "from before")
    with pytest.raises(TensorRTError, match=r"^thing: TensorRT gave no reason$"):
        here._tensorrt("thing", lambda: False)
    with pytest.raises(TensorRTError, match=r"^thing: because$"):
        here._tensorrt("thing", lambda: log.log(trt.ILogger.Severity.ERROR, "because"))
