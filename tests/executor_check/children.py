"""Work on cases in child processes: a case that kills its process, or never ends, costs itself only."""

from __future__ import annotations

import logging
import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

LIMIT = 120.0
"""Seconds that one case may take."""


@dataclass
class _Child:
    process: Any
    pipe: Connection
    todo: list[int]
    since: float = field(default_factory=time.monotonic)


def quiet() -> None:
    """In a child: nothing of what TensorRT logs, or its parser writes to standard error itself."""
    logging.disable()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def in_children(work: Callable[[Any], Any], cases: Sequence[Any], processes: int = 2) -> list[Any]:
    """`work(case)` for each case, in order; the words "crashed" or "timed out" where there was no result."""
    results: list[Any] = [None] * len(cases)
    shares = [list(range(i, len(cases), processes)) for i in range(processes)]
    running = [_start(work, cases, share) for share in shares if share]
    while running:
        ready = wait([child.pipe for child in running], timeout=1)
        for child in list(running):
            if child.pipe in ready and _received(child, results):
                continue
            late = time.monotonic() - child.since > LIMIT
            if child.pipe in ready or late:
                running.remove(child)
                child.process.kill()
                child.process.join()
                if child.todo:
                    results[child.todo[0]] = "timed out" if late else "crashed"
                    if child.todo[1:]:
                        running.append(_start(work, cases, child.todo[1:]))
    return results


def _received(child: _Child, results: list[Any]) -> bool:
    try:
        results[child.todo[0]] = child.pipe.recv()
    except (EOFError, ConnectionResetError):
        return False
    child.todo.pop(0)
    child.since = time.monotonic()
    return True


def _start(work: Callable[[Any], Any], cases: Sequence[Any], todo: list[int]) -> _Child:
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(there, work, cases, todo), daemon=True)
    process.start()
    there.close()
    return _Child(process, here, todo)


def _run(pipe: Connection, work: Callable[[Any], Any], cases: Sequence[Any], todo: list[int]) -> None:
    for index in list(todo):
        pipe.send(work(cases[index]))
    pipe.close()
