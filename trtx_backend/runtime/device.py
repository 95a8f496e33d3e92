"""The CUDA devices of this machine, and what all contexts on one of them share: its primary context.

CUDA has no call of this process capture a graph undisturbed while another waits for the whole device, which much of
TensorRT does when it makes or destroys something. So such work is announced at the device's `Gate`, and captures are
made only when there is none. Nobody waits for a capture to become possible: the work is then enqueued plainly.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import get_ident

from trtx_backend.errors import BackendUnavailable, CudaError
from trtx_backend.runtime.driver import Driver, Handle

LEAST_CAPABILITY = (8, 0)
"""Ampere. On Turing TensorRT for RTX has no float32 matmul."""


@dataclass(frozen=True)
class CudaDevice:
    """A CUDA device that TensorRT for RTX supports. `memory` in bytes, `index` as CUDA counts."""

    index: int
    name: str
    compute_capability: tuple[int, int]
    pci_bus_id: str
    memory: int


def devices(driver: Driver | None = None) -> list[CudaDevice]:
    """What can be used; empty where there is none (`missing` says why)."""
    return look(driver)[0]


def missing(driver: Driver | None = None) -> str | None:
    """Why there is no device that can be used; None if there is one."""
    return look(driver)[1]


def look(driver: Driver | None = None) -> tuple[list[CudaDevice], str | None]:
    """`devices` and `missing`."""
    try:
        driver = driver or default_driver()
        count = driver.device_count()
        found = [_describe(driver, index) for index in range(count)]
    except BackendUnavailable as error:
        return [], str(error)
    except CudaError as error:
        reason = "there is no CUDA driver" if error.code is None else "the CUDA driver cannot be used"
        if error.name == "CUDA_ERROR_NO_DEVICE":
            reason = "there is no CUDA device"
        return [], f"{reason}: {error}"
    usable = [device for device in found if device.compute_capability >= LEAST_CAPABILITY]
    if usable:
        return usable, None
    if not found:
        return [], "there is no CUDA device: the driver counts none"
    given = ", ".join(f"{device.name} has {_version(device.compute_capability)}" for device in found)
    return [], f"no CUDA device has compute capability {_version(LEAST_CAPABILITY)} or newer: {given}"


def _describe(driver: Driver, index: int) -> CudaDevice:
    device = driver.device(index)
    capability = (
        driver.attribute(device, "COMPUTE_CAPABILITY_MAJOR"),
        driver.attribute(device, "COMPUTE_CAPABILITY_MINOR"),
    )
    return CudaDevice(
        index, driver.device_name(device), capability, driver.pci_bus_id(device), driver.device_memory(device)
    )


def _version(capability: tuple[int, int]) -> str:
    return ".".join(map(str, capability))


stand_in: Driver | None = None
"""Taken for the machine's driver, where it is set."""


def default_driver() -> Driver:
    """The driver of this machine. BackendUnavailable if cuda-python is not installed or TensorRT cannot be loaded."""
    return stand_in or _installed_driver()


@cache
def _installed_driver() -> Driver:
    try:
        cuda = importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        raise BackendUnavailable(f"cuda-python is not installed: {error}") from error
    from trtx_backend.trt import log, trt

    return Driver(cuda, trt, log)


class Gate:
    """Lets through either any number of workers or one capture."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._workers = 0
        self._capturing: int | None = None
        """The thread that makes a capture."""

    @contextmanager
    def work(self) -> Iterator[None]:
        """What may wait for the whole device, or disturb a capture otherwise. Waits for a capture of another thread to
        end; one of this thread is disturbed: a finalizer may run amid it, and must not wait for what it holds up."""
        with self._changed:
            self._changed.wait_for(lambda: self._capturing in (None, get_ident()))
            self._workers += 1
        try:
            yield
        finally:
            with self._changed:
                self._workers -= 1

    @contextmanager
    def capture(self) -> Iterator[bool]:
        """Whether a capture can be made inside; if not, one should not try."""
        with self._changed:
            free = not self._workers and self._capturing is None
            if free:
                self._capturing = get_ident()
        try:
            yield free
        finally:
            if free:
                with self._changed:
                    self._capturing = None
                    self._changed.notify_all()


class Device:
    """A CUDA device in use. Its primary context is retained while anyone has it open.

    After a sticky error the context can only be reset, which takes from all who use it what they have: they are told to
    let go first, and the next to open it resets it.
    """

    def __init__(self, driver: Driver, index: int) -> None:
        self.driver, self.index, self.gate = driver, index, Gate()
        self.context: Handle = None
        self.handle: Handle = None
        self.resets = 0
        self._lock = threading.RLock()  # a finalizer may come back for it
        self._users: dict[object, Callable[[str], None]] = {}
        self._poisoned = ""

    def open(self, user: object, lose: Callable[[str], None]) -> None:
        """Retain the primary context. `lose` is called, with the reason, if another user must have the device reset."""
        with self._lock:
            reason, others = self._poisoned, dict(self._users)
        if reason:
            for let_go in others.values():
                let_go(reason)
        with self._lock:
            self.handle = self.driver.device(self.index)
            if self._poisoned:
                self.driver.reset(self.handle)
                self._poisoned = ""
                self.resets += 1
            try:
                self.context = self.driver.retain(self.handle)
            except CudaError as error:
                self._poisoned = str(error) if error.sticky else ""
                raise
            self._users[user] = lose

    def close(self, user: object) -> None:
        """Release it. Closing twice does nothing."""
        with self._lock:
            if self._users.pop(user, None) is not None:
                self.driver.release(self.handle)

    def poison(self, reason: str) -> None:
        """A sticky error was seen: the context must be reset before it is used again."""
        with self._lock:
            self._poisoned = self._poisoned or reason


_devices_lock = threading.Lock()


def shared_device(driver: Driver, index: int) -> Device:
    """The one Device of a driver and index."""
    with _devices_lock:
        found: Device = driver.shared.setdefault(index, Device(driver, index))
        return found


def describe(driver: Driver, index: int) -> CudaDevice:
    """A device's description. CudaError if there is none of that index."""
    driver.device_count()
    return _describe(driver, index)
