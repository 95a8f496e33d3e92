"""Run in a process of its own by test_cuda_python.py, where libcuda.so.1 is the stub: every call of the driver."""

from __future__ import annotations

import numpy as np
import pytest
from cuda.bindings import driver as cuda

from trtx_backend.errors import CudaError
from trtx_backend.runtime.device import CudaDevice, look
from trtx_backend.runtime.driver import Driver

d = Driver(cuda, None, None)
calls: set[str] = set()
plain = d.call


def counted(name: str, *arguments: object) -> object:
    calls.add(name)
    return plain(name, *arguments)


d.call = counted  # type: ignore[method-assign]
assert look(d) == ([CudaDevice(0, "Stub of a GPU", (8, 6), "0000:65:00.0", 5 << 30)], None), look(d)
assert d.driver_version() == 13000
device = d.device(0)
assert d.attribute(device, "MEMORY_POOLS_SUPPORTED") == 1
d.reset(device)
context = d.retain(device)
with d.current(context):
    stream = d.create_stream()
    d.check_stream(stream)  # NOT_READY is no error
    for order in (stream, None):
        address = d.allocate(24, order)
        assert isinstance(address, int) and address > 4096
        there, back = np.arange(6, dtype=np.float32), np.full(6, 7, np.float32)
        d.zero(address, 24, stream)
        d.download(back, address, stream)
        assert back.tolist() == [0] * 6
        d.upload(address, there, stream)
        d.download(back, address, stream)
        d.synchronize(stream)
        assert back.tolist() == there.tolist()
        d.begin_capture(stream)
        assert d.is_capturing(stream)
        d.zero(address, 24, stream)
        with pytest.raises(CudaError, match=r"^cuStreamSynchronize: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED \(900\)$"):
            d.synchronize(stream)
        graph = d.end_capture(stream)
        assert not d.is_capturing(stream)
        executable = d.instantiate(graph)
        d.destroy_graph(graph)
        d.launch(executable, stream)
        d.destroy_executable(executable)
        d.free(address, order)
    with pytest.raises(CudaError, match=r"^cuMemsetD8Async: CUDA_ERROR_ILLEGAL_ADDRESS \(700\)$") as illegal:
        d.zero(0x10, 1, stream)
    assert illegal.value.sticky
    assert isinstance(int(stream), int)  # as TensorRT takes it
    d.destroy_stream(stream)
d.release(device)
print(" ".join(sorted(calls)))
