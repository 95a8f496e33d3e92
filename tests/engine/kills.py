"""Kills writers of the cache with SIGKILL, at random times and at each step of a write: `python -m tests.engine.kills
DIRECTORY KILLS`. Prints a JSON object of counts; a wrong engine is an AssertionError."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from trtx_backend.engine import EngineCache, Entry
from trtx_backend.engine.files import REMAINDER, clear_remainders

KEY = "5" * 64
SIZE = 1_500_000


def entry(generation: int, size: int = SIZE) -> Entry:
    """An engine whose every part follows from a number; it does not compress."""
    plan = np.random.default_rng(generation).bytes(size)
    return Entry(KEY, plan, (f"in{generation}",), ("out0",), {"c0": generation}, "1.2.3", "rtx")


def check(cache: EngineCache, possible: range, size: int = SIZE) -> int | None:
    """Which engine the cache holds; it must be one of these numbers, and whole."""
    found = cache.load(KEY)
    if found is None:
        return None
    generation = found.weights["c0"]
    assert generation in possible, f"{generation} is none of {possible}"
    assert found == entry(generation, size), f"{generation} is not as it was written"
    return generation


def write_and_die(cache: EngineCache, generation: int, after: float) -> None:
    """Write in a child that is killed `after` seconds into the write."""
    made, (reader, writer) = entry(generation), os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, b"x")
        cache.store(made)
        os._exit(0)
    os.read(reader, 1)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reader)
    os.close(writer)


def die_at(cache: EngineCache, generation: int, step: int) -> bool:
    """Write in a child that kills itself in front of its `step`th call of the system; False if it made fewer."""
    child = os.fork()
    if child == 0:
        calls = 0

        def counted(function: Callable[..., object]) -> Callable[..., object]:
            def call(*args: object, **kwargs: object) -> object:
                nonlocal calls
                if calls == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                calls += 1
                return function(*args, **kwargs)

            return call

        for name in ("open", "fsync", "replace", "close", "unlink", "mkdir"):
            setattr(os, name, counted(getattr(os, name)))
        cache.store(entry(generation))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def main(directory: str, kills: int) -> None:
    cache, counts, rng = EngineCache(Path(directory)), Counter[str](), random.Random(1)
    started = time.perf_counter()
    assert cache.store(entry(0))
    whole = time.perf_counter() - started
    held = 0
    for generation in range(1, kills + 1):
        write_and_die(cache, generation, rng.uniform(0, 1.2 * whole))
        counts["kills"] += 1
        now = check(cache, range(held, generation + 1))
        assert now is not None, "the engine that was there is lost"
        counts["old" if now != generation else "new"] += 1
        held = now
    counts["remainders"] = len(list(cache.directory.glob(f".*{REMAINDER}")))
    step = 0
    while die_at(cache, kills + 1 + step, step):
        counts["steps"] += 1
        now = check(cache, range(held, kills + 2 + step))
        assert now is not None, "the engine that was there is lost"
        held, step = now, step + 1
    clear_remainders(cache.directory, age=0)
    counts["left"] = len(list(cache.directory.iterdir()))
    print(json.dumps(counts))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
