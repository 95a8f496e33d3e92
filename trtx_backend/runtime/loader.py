"""The engine package's Loader: plans become engines on a queue's device, and get their weights."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from trtx_backend.dtypes import Array
from trtx_backend.engine import BadPlan, WeightsRefused
from trtx_backend.errors import TensorRTError
from trtx_backend.runtime.driver import Driver, Handle
from trtx_backend.runtime.queue import Queue


class LoadedEngine:
    """An ICudaEngine, until it is released."""

    def __init__(self, handle: Handle) -> None:
        self.handle = handle

    def release(self) -> None:
        self.handle = None


class Runtime:
    """A queue's IRuntime: made for the first engine, released after the last."""

    def __init__(self) -> None:
        self.handle: Handle = None

    def release(self) -> None:
        self.handle = None


class Loader:
    """Loads the engines of one graph. All that it loaded belong to the queue; `discard_others` keeps one."""

    def __init__(self, queue: Queue, runtime: Runtime) -> None:
        self._queue, self._runtime = queue, runtime
        self._loaded: list[LoadedEngine] = []

    @contextmanager
    def _work(self) -> Iterator[Driver]:
        with self._queue.operation() as driver, self._queue.device.gate.work():
            yield driver

    def deserialize(self, plan: bytes) -> LoadedEngine:
        """As engine.Loader says."""
        try:
            with self._work() as driver:
                if self._runtime.handle is None:
                    self._runtime.handle = driver.create_runtime()
                    self._queue.adopt(self._runtime)
                engine = LoadedEngine(driver.deserialize(self._runtime.handle, plan))
                self._queue.adopt(engine)
        except TensorRTError as error:
            raise BadPlan(str(error)) from error
        self._loaded.append(engine)
        return engine

    def refittable(self, engine: LoadedEngine) -> Collection[str]:
        """As engine.Loader says."""
        with self._work() as driver:
            return driver.refittable_weights(driver.create_refitter(engine.handle))

    def refit(self, engine: LoadedEngine, weights: Mapping[str, Array]) -> None:
        """As engine.Loader says."""
        with self._work() as driver:  # in a function of its own: this one's frame lives as long as its errors do
            _refit(driver, self._queue.stream, engine.handle, weights)

    def discard_others(self, kept: LoadedEngine | None) -> None:
        """Release the engines that were loaded on the way, and are of no use."""
        for engine in self._loaded:
            if engine is not kept:
                self._queue.release(engine)
        self._loaded = [kept] if kept is not None else []


def _refit(driver: Driver, stream: Handle, engine: Handle, weights: Mapping[str, Array]) -> None:
    kept = {name: np.asarray(array, order="C") for name, array in weights.items()}
    refitter = driver.create_refitter(engine)
    refused: dict[str, str] = {}
    for name, array in kept.items():
        try:
            driver.set_weights(refitter, name, array)
        except TensorRTError as error:
            driver.check_stream(stream)
            refused[name] = str(error)
    missing = [name for name in driver.missing_weights(refitter) if name not in refused]
    if refused or missing:
        words = [*refused.values(), *(["they are missing"] if missing else [])]
        raise WeightsRefused([*refused, *missing], "; ".join(words))
    try:
        driver.refit(refitter)
    except TensorRTError as error:
        driver.check_stream(stream)
        raise WeightsRefused(list(kept), str(error)) from error
