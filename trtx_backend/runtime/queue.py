"""A context's stream on a CUDA device, and all that belongs to it: memory, engines, CUDA graphs.

All work of a context goes to one stream, so that it is in order without events. Whoever wants to see a result waits for
the stream; nothing else waits. One lock lets a context be used by several threads.

What is released by hand is released at once. What is merely dropped is released when the queue is next used: a
finalizer may run in any thread and amid any call, so it only makes a note.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from traceback import clear_frames
from typing import Protocol
from weakref import WeakSet

import numpy as np

from trtx_backend.dtypes import Array
from trtx_backend.errors import ContextLostError, CudaError, InvalidStateError, TensorRTError
from trtx_backend.runtime.device import Device
from trtx_backend.runtime.driver import Driver, Handle

logger = logging.getLogger("trtx")

_serials = count()


class UsesBuffers(Protocol):
    """Holds something that is of no use once a buffer is gone."""

    def forget(self, serial: int) -> None: ...


class Resource(Protocol):
    """Something to be released with the queue's stream idle and the device's context current."""

    def release(self) -> None: ...


@dataclass(eq=False)
class Buffer:
    """Device memory. `serial` is its own for ever; an address is used again."""

    address: int
    size: int
    serial: int = field(default_factory=lambda: next(_serials))
    users: WeakSet[UsesBuffers] = field(default_factory=WeakSet, repr=False)
    freed: bool = False


class Queue:
    """`lost` says why the queue cannot be used any more; None while it can."""

    def __init__(self, device: Device) -> None:
        self.device, self.driver = device, device.driver
        self.lost: str | None = None
        self._lock = threading.Lock()
        self._buffers: dict[int, Buffer] = {}
        self._resources: dict[int, Resource] = {}
        self._dropped: deque[Callable[[], None]] = deque()
        self._limbo: list[Array] = []
        """Host memory that a copy may still touch, since waiting for it failed."""
        self._doomed: str | None = None
        self._idle = True
        self._ordered = False
        self.stream: Handle = None
        device.open(self, self._lose_by_reset)
        try:
            with self.driver.current(device.context):
                pools = self.driver.attribute(device.handle, "MEMORY_POOLS_SUPPORTED")
                self._ordered = bool(pools)
                self.stream = self.driver.create_stream()
        except CudaError as error:
            self._end(str(error), sticky=error.sticky)
            raise

    # Use ------------------------------------------------------------------------------------------------------------

    @contextmanager
    def operation(self) -> Iterator[Driver]:
        """One thread at a time, the device's context current. ContextLostError if the queue is lost; a sticky error inside
        loses it."""
        with self._lock:
            self.check()
            try:
                with self.driver.current(self.device.context):
                    self._release_dropped()
                    try:
                        yield self.driver
                    except TensorRTError:
                        self.driver.check_stream(self.stream)  # it may have met a sticky error of CUDA's
                        raise
            except Exception as error:
                _let_go(error)
                if isinstance(error, CudaError) and error.sticky and self.lost is None:
                    self._end(str(error), sticky=True)
                raise
            finally:
                if self._doomed is not None and self.lost is None:
                    self._end(self._doomed, sticky=True)

    def check(self) -> None:
        reason = self.lost or self._doomed
        if reason is not None:
            raise ContextLostError(f"this MLContext is lost: {reason}")

    def submitted(self) -> None:
        """Work was put on the stream. Called inside an operation."""
        self._idle = False

    def wait(self, *kept: Array) -> None:
        """Return when all work is done, inside an operation. What fails here is that work, so the queue is lost then.
        `kept` is host memory that the work touches."""
        try:
            self.driver.synchronize(self.stream)
        except CudaError as error:
            self._limbo.extend(kept)
            self._end(str(error), sticky=error.sticky)
            raise
        self._idle = True

    # Memory ---------------------------------------------------------------------------------------------------------

    def allocate(self, size: int) -> Buffer:
        """Zeroed memory of `size` bytes; of one byte where that is 0, so that it has an address."""
        size = max(size, 1)
        with self.operation() as driver:
            buffer = Buffer(self._take(size), size)
            self._buffers[buffer.serial] = buffer
            try:
                self.submitted()
                driver.zero(buffer.address, size, self.stream)
            except CudaError:
                self._release_quietly(lambda: self._free(buffer))
                raise
        return buffer

    def upload(self, buffer: Buffer, data: Array) -> None:
        """Returns when the data has been copied."""
        data = np.asarray(data, order="C")
        with self.operation() as driver:
            self._check(buffer, data)
            self.submitted()
            driver.upload(buffer.address, data, self.stream)
            self.wait(data)

    def download(self, buffer: Buffer, data: Array) -> None:
        """Fill a contiguous array, after all work that is pending."""
        with self.operation() as driver:
            self._check(buffer, data)
            self.submitted()
            driver.download(data, buffer.address, self.stream)
            self.wait(data)

    def free(self, buffer: Buffer) -> None:
        """After the work that is pending. Freeing twice, or after the queue is lost, does nothing."""
        if self.lost is None and not buffer.freed:
            try:
                with self.operation():
                    self._free(buffer)
            except ContextLostError:
                return  # by another thread: all is freed

    def drop(self, release: Callable[[], None]) -> None:
        """Have something released later. For finalizers."""
        if self.lost is None:
            self._dropped.append(release)

    def drop_buffer(self, buffer: Buffer) -> None:
        self.drop(lambda: self._free(buffer))

    def _free(self, buffer: Buffer) -> None:
        if buffer.freed:
            return
        buffer.freed = True
        self._buffers.pop(buffer.serial, None)
        for user in list(buffer.users):
            user.forget(buffer.serial)
        self._give_back(buffer)

    def _take(self, size: int) -> int:
        if self._ordered:
            return self.driver.allocate(size, self.stream)
        with self.device.gate.work():
            return self.driver.allocate(size, None)

    def _give_back(self, buffer: Buffer) -> None:
        if self._ordered:
            self.driver.free(buffer.address, self.stream)
            return
        self._wait_if_busy()
        with self.device.gate.work():
            self.driver.free(buffer.address, None)

    def check_buffers(self, buffers: Iterable[Buffer]) -> None:
        """Inside an operation: what was checked before it may have changed in another thread."""
        if any(buffer.freed for buffer in buffers):
            raise InvalidStateError("a tensor was destroyed by another thread")

    def _check(self, buffer: Buffer, data: Array) -> None:
        self.check_buffers([buffer])
        assert data.nbytes <= buffer.size, f"{data.nbytes} bytes for a buffer of {buffer.size}"

    # Other resources ------------------------------------------------------------------------------------------------

    def adopt(self, resource: Resource, instead_of: Resource | None = None) -> None:
        """Release a resource with the queue, if not before. `instead_of` is one that it looks after itself."""
        self._resources[id(resource)] = resource
        if instead_of is not None:
            self._resources.pop(id(instead_of), None)

    def release(self, resource: Resource) -> None:
        """Now, after the work that is pending. Releasing twice, or after the queue is lost, does nothing."""
        if self.lost is None and id(resource) in self._resources:
            try:
                with self.operation():
                    self._release(resource)
            except ContextLostError:
                return

    def drop_resource(self, resource: Resource) -> None:
        self.drop(lambda: self._release(resource))

    def _release(self, resource: Resource) -> None:
        if self._resources.get(id(resource)) is resource:
            self._wait_if_busy()
            del self._resources[id(resource)]
            with self.device.gate.work():
                resource.release()

    def _wait_if_busy(self) -> None:
        if not self._idle:
            self.wait()

    def _release_dropped(self) -> None:
        while self._dropped:
            self._dropped.popleft()()

    # The end --------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Release everything. The first error is raised when all has been tried. Closing twice does nothing."""
        with self._lock:
            if self.lost is None:
                failed = self._end("destroy() was called", sticky=False)
                if failed is not None:
                    raise failed

    def lose(self, reason: str) -> None:
        """Give up, inside an operation: the queue is lost when that ends."""
        self._doomed = reason

    def _lose_by_reset(self, reason: str) -> None:
        with self._lock:
            if self.lost is None:
                self._end(f"its device must be reset after {reason}", sticky=True)

    def _end(self, reason: str, sticky: bool) -> Exception | None:
        """Release all that can be. What must be reset is told so, and its errors are of no interest."""
        self.lost = reason
        failures: list[Exception] = []
        if sticky:
            self.device.poison(reason)
        if "destroy()" not in reason:
            logger.error("the context is lost: %s", reason)

        def attempt(step: Callable[[], None]) -> None:
            try:
                step()
            except (CudaError, TensorRTError) as error:
                failures.append(error)
                if isinstance(error, CudaError) and error.sticky:
                    self.device.poison(str(error))

        def release_resources() -> None:
            with self.device.gate.work():
                while self._resources:
                    attempt(self._resources.popitem()[1].release)  # the last first

        def release_all() -> None:
            with self.driver.current(self.device.context):
                if self.stream is not None and not sticky:
                    attempt(lambda: self.driver.synchronize(self.stream))
                self._idle = True
                release_resources()
                if not sticky:  # else the reset takes it
                    for buffer in self._buffers.values():
                        attempt(partial(self._give_back, buffer))
                    if self.stream is not None:
                        attempt(lambda: self.driver.destroy_stream(self.stream))

        attempt(release_all)
        release_resources()  # where the context cannot be made current any more
        for buffer in self._buffers.values():
            buffer.freed = True
        self._buffers.clear()
        self._dropped.clear()
        attempt(lambda: self.device.close(self))
        return failures[0] if failures else None

    def _release_quietly(self, step: Callable[[], None]) -> None:
        """While another error is on its way."""
        try:
            step()
        except CudaError as error:
            logger.warning("after an error: %s", str(error))


def _let_go(error: BaseException | None) -> None:
    """Frames that an error has been through would keep TensorRT's objects alive as long as the error is kept."""
    while error is not None:
        clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
