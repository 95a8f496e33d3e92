"""Runs an engine on a queue's buffers: the first time plainly, then as CUDA graphs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext

from trtx_backend.errors import CudaError, EngineError, InvalidStateError, TensorRTError
from trtx_backend.runtime.cuda_graph import CudaGraphs, Key, capture
from trtx_backend.runtime.driver import Binding, Driver, Handle
from trtx_backend.runtime.jit import SharedCache
from trtx_backend.runtime.loader import LoadedEngine
from trtx_backend.runtime.queue import Buffer, Queue

logger = logging.getLogger("trtx")

FindCache = Callable[[Handle], SharedCache]

MOST_FAILURES = 3
"""Captures that may fail before no more are tried: what disturbed one may be over."""


class Execution:
    """An engine, its execution context and its CUDA graphs, until they are released."""

    def __init__(
        self,
        queue: Queue,
        engine: LoadedEngine,
        expected: Sequence[Binding],
        graph_limit: int,
        find_cache: FindCache | None = None,
    ) -> None:
        """`expected`: the bindings that the network was given. `graph_limit`: CUDA graphs to hold; 0: none are made.
        `find_cache`: gets the runtime cache, given an IRuntimeConfig. EngineError if the engine has other bindings."""
        self._queue, self._engine = queue, engine
        self._graphs = CudaGraphs(queue.driver, graph_limit)
        self._may_capture = graph_limit > 0
        self._failures = 0
        self._bound: Key | None = None
        self._warm = False
        with queue.operation() as driver, queue.device.gate.work():
            found = driver.bindings(engine.handle)
            unread = {binding for binding in expected if binding.is_input}  # TensorRT may leave out what is not read
            if not set(expected) - unread <= set(found) <= set(expected):
                raise EngineError(f"the engine's bindings are {list(found)}, the network's {list(expected)}")
            self._bindings = found
            self._config: Handle = driver.create_runtime_config(engine.handle)
            cache = _use_cache(driver, self._config, find_cache) if find_cache else None
            with cache.lock if cache else nullcontext():
                self._context: Handle = driver.create_execution_context(engine.handle, self._config)
            queue.adopt(self, instead_of=engine)

    def release(self) -> None:
        """Called by the queue."""
        try:
            self._graphs.release()
        finally:
            self._context = None
            self._config = None
            self._engine.release()

    @property
    def captured(self) -> int:
        """CUDA graphs held."""
        return len(self._graphs)

    def run(self, buffers: Mapping[str, Buffer]) -> None:
        """Put the computation on the queue; nothing is waited for. `buffers` are those of all bindings, by name."""
        with self._queue.operation() as driver:
            ordered = [buffers[binding.name] for binding in self._bindings]
            self._queue.check_buffers(ordered)
            if self._context is None:
                raise InvalidStateError("the graph was destroyed by another thread")
            self._queue.submitted()
            key = tuple(buffer.serial for buffer in ordered)
            executable = self._graphs.find(key) if self._may_capture else None
            if executable is None:
                self._bind(driver, key, ordered)
                executable = self._capture(driver, key, ordered)
            if executable is not None:
                driver.launch(executable, self._queue.stream)
            else:
                driver.enqueue(self._context, self._queue.stream)
                self._warm = True

    def _bind(self, driver: Driver, key: Key, buffers: Sequence[Buffer]) -> None:
        if self._bound != key:
            self._bound = None
            for binding, buffer in zip(self._bindings, buffers, strict=True):
                driver.set_address(self._context, binding.name, buffer.address)
            self._bound = key

    def _capture(self, driver: Driver, key: Key, buffers: Sequence[Buffer]) -> Handle | None:
        """A graph of the run on these buffers; None if they come for the first time, or it cannot be captured now."""
        if not self._may_capture or not self._graphs.comes_again(key, buffers) or not self._warm:
            return None
        if not driver.can_capture(self._context, self._queue.stream):
            self._give_up("TensorRT says that its work cannot be captured")
            return None
        with self._queue.device.gate.capture() as free:
            if not free:
                return None
            try:
                executable = capture(driver, self._queue, lambda: driver.enqueue(self._context, self._queue.stream))
            except (CudaError, TensorRTError) as error:
                self._capture_failed(driver, error)
                return None
        self._graphs.keep(key, executable)
        return executable

    def _capture_failed(self, driver: Driver, error: CudaError | TensorRTError) -> None:
        """Carry on without; unless the context is lost."""
        if isinstance(error, CudaError) and error.sticky:
            raise error
        self._queue.check()
        driver.check_stream(self._queue.stream)
        self._failures += 1
        if self._failures == 1:
            logger.warning("a CUDA graph cannot be captured, the work is enqueued plainly: %s", str(error))
        if self._failures >= MOST_FAILURES:
            self._may_capture = False

    def _give_up(self, reason: str) -> None:
        logger.warning("CUDA graphs are not used: %s", reason)
        self._may_capture = False


def _use_cache(driver: Driver, config: Handle, find_cache: FindCache) -> SharedCache | None:
    """What the cache saves is time: without it all goes on."""
    try:
        cache = find_cache(config)
        driver.use_runtime_cache(config, cache.handle)
    except TensorRTError as error:
        logger.warning("there is no runtime cache: %s", str(error))
        return None
    return cache
