"""TensorRT's runtime cache, which all engines of a process on one GPU share. Its file is the engine package's affair."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trtx_backend.engine.jit_cache import JitCache, JitFile, jit_cache
from trtx_backend.errors import TensorRTError
from trtx_backend.runtime.device import CudaDevice, Device
from trtx_backend.runtime.driver import Handle

logger = logging.getLogger("trtx.cache")


class SharedCache:
    """An IRuntimeCache. It is not read out while an engine is made with it."""

    def __init__(self, device: Device, handle: Handle) -> None:
        self._device, self.handle, self.lock = device, handle, threading.Lock()

    @contextmanager
    def _current(self) -> Iterator[None]:
        """The device's context, whether or not anyone has it open: this may be at the end of the process."""
        driver = self._device.driver
        context = driver.retain(self._device.handle)
        try:
            with self.lock, self._device.gate.work(), driver.current(context):
                yield
        finally:
            driver.release(self._device.handle)

    def serialize(self) -> bytes:
        with self._current():
            return self._device.driver.save_runtime_cache(self.handle)

    def deserialize(self, data: bytes) -> bool:
        try:
            with self._current():
                self._device.driver.load_runtime_cache(self.handle, data)
        except TensorRTError as error:
            logger.debug("%s", error)
            return False
        return True


def shared_cache(
    device: Device, described: CudaDevice, config: Handle, base: Path | None, limit: int
) -> tuple[JitCache, SharedCache]:
    """The cache of a device, and its file; made with `config`, an engine's IRuntimeConfig, if it is the first."""
    driver = device.driver
    file = JitFile(f"{described.name} {described.pci_bus_id}", driver.tensorrt_version, base, limit)
    cache = jit_cache(file, lambda: SharedCache(device, driver.create_runtime_cache(config)))
    assert isinstance(cache.runtime, SharedCache)
    return cache, cache.runtime
