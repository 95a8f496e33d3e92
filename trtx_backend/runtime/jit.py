"""TensorRT's runtime cache, which all engines of a process on one GPU share. Its file is the engine package's affair."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trtx_backend.engine.jit_cache import JitCache, JitFile, forget, jit_cache
from trtx_backend.errors import TensorRTError
from trtx_backend.runtime.device import CudaDevice, Device
from trtx_backend.runtime.driver import Driver, Handle

logger = logging.getLogger("trtx.cache")


class SharedCache:
    """An IRuntimeCache. It is not read out while an engine is made with it."""

    def __init__(self, device: Device, handle: Handle) -> None:
        self.device, self.handle, self.lock = device, handle, threading.Lock()
        self._resets = device.resets

    @property
    def is_gone(self) -> bool:
        """It was made before its device was reset."""
        return self._resets != self.device.resets

    @contextmanager
    def _current(self) -> Iterator[None]:
        """The device's context, whether or not anyone has it open: this may be at the end of the process."""
        driver = self.device.driver
        context = driver.retain(self.device.handle)
        try:
            with self.lock, self.device.gate.work(), driver.current(context):
                yield
        finally:
            driver.release(self.device.handle)

    def serialize(self) -> bytes:
        with self._current():
            return self.device.driver.save_runtime_cache(self.handle)

    def deserialize(self, data: bytes) -> bool:
        try:
            with self._current():
                self.device.driver.load_runtime_cache(self.handle, data)
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
    forget(lambda known: isinstance(known, SharedCache) and known.is_gone)
    cache = jit_cache(file, lambda: SharedCache(device, driver.create_runtime_cache(config)))
    assert isinstance(cache.runtime, SharedCache)
    return cache, cache.runtime


def forget_driver(driver: Driver) -> None:
    """Let go of the caches of a driver that is used no more."""
    forget(lambda known: isinstance(known, SharedCache) and known.device.driver is driver)
