"""CUDA graphs of one compiled graph: one for each set of buffers that it is dispatched on more than once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

from trtx_backend.errors import CudaError
from trtx_backend.runtime.driver import Driver, Handle
from trtx_backend.runtime.queue import Buffer, Queue

Key = tuple[int, ...]
"""Serial numbers of buffers, in the order of the bindings."""


class CudaGraphs:
    """At most `limit` graphs; beyond that the one goes that was not used for longest. A set of buffers is captured when it
    comes a second time: a graph that is never launched again costs more than it saves."""

    def __init__(self, driver: Driver, limit: int) -> None:
        self._driver, self._limit = driver, limit
        self._executables: OrderedDict[Key, Handle] = OrderedDict()
        self._seen: OrderedDict[Key, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._executables)

    def find(self, key: Key) -> Handle | None:
        executable = self._executables.get(key)
        if executable is not None:
            self._executables.move_to_end(key)
        return executable

    def comes_again(self, key: Key, buffers: Sequence[Buffer]) -> bool:
        """Whether these buffers were noted before. They are from now on, until one of them is freed."""
        if key in self._seen:
            return True
        self._seen[key] = None
        if len(self._seen) > 4 * self._limit:
            self._seen.popitem(last=False)
        for buffer in buffers:
            buffer.users.add(self)
        return False

    def keep(self, key: Key, executable: Handle) -> None:
        self._executables[key] = executable
        if len(self._executables) > self._limit:
            _, oldest = self._executables.popitem(last=False)
            self._driver.destroy_executable(oldest)

    def forget(self, serial: int) -> None:
        """A buffer is freed."""
        for key in [key for key in self._seen if serial in key]:
            del self._seen[key]
        for key in [key for key in self._executables if serial in key]:
            self._driver.destroy_executable(self._executables.pop(key))

    def release(self) -> None:
        """All of them."""
        self._seen.clear()
        failed: CudaError | None = None
        while self._executables:
            _, executable = self._executables.popitem()
            try:
                self._driver.destroy_executable(executable)
            except CudaError as error:
                failed = failed or error
        if failed is not None:
            raise failed


def capture(driver: Driver, queue: Queue, enqueue: Callable[[], None]) -> Handle:
    """What `enqueue` puts on the queue's stream, as a graph that can be launched; none of it is run. Whatever fails, the
    stream takes work again afterwards, or the queue is lost."""
    driver.begin_capture(queue.stream)
    try:
        enqueue()
    except BaseException:
        _leave_capture(driver, queue)
        raise
    try:
        graph = driver.end_capture(queue.stream)
    except CudaError:
        _leave_capture(driver, queue)
        raise
    try:
        return driver.instantiate(graph)
    finally:
        driver.destroy_graph(graph)


def _leave_capture(driver: Driver, queue: Queue) -> None:
    """Work that is put on a stream in this state would never run."""
    for _ in range(2):
        try:
            if not driver.is_capturing(queue.stream):
                return
            driver.destroy_graph(driver.end_capture(queue.stream))
        except CudaError as error:
            if error.sticky:
                raise
    queue.lose("its stream does not leave a failed capture")
