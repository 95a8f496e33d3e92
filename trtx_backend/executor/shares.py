"""Work in shares: pieces that stay in the processor's cache, and threads.

Numpy computes on one thread, and its matrix products on BLAS's own. Those wait for each other at the end of each product, which
costs more than it gains where products are many and small or other programs want the processors. So an execution tells
BLAS to use one thread, and shares out whole layers.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

PIECE = 2**17
"""Elements that numpy works on at a time: in float64, a few of them fit into a core's own cache."""
BLOCK = 2**19
"""Elements of an operand that is widened for a matrix product."""
WORTH = 2**16
"""Elements below which a second thread costs more than it saves."""
PRODUCTS = 16
"""Multiplications of a matrix product that take as long as one element of other work."""

ROOM = 2**24
"""Bytes up to which memory for what is computed on the way is kept, for each thread and purpose: the system takes longer to
give fresh memory than numpy to fill it."""

LINE = 64
"""Bytes of a line of the processor's cache, on which rooms begin."""

_first = threading.Lock()
_rooms = threading.local()
_threads: ThreadPoolExecutor | None = None


def pieces(whole: slice, size: int, at_most: int) -> list[slice]:
    """Parts of a slice of items with `size` elements, all about as long, with at most so many elements each, or one item."""
    count = whole.stop - whole.start
    parts = max(1, -(-count // max(1, at_most // max(1, size))))
    return [slice(whole.start + i * count // parts, whole.start + (i + 1) * count // parts) for i in range(parts)]


def in_threads(work: Callable[[slice], None], count: int, size: int) -> None:
    """`work` on slices that together are `count` items of `size` elements: one for each processor, if it is worth it."""
    shares = min(count, processors()) if count * size >= WORTH else 1
    if shares < 2:
        work(slice(0, count))
        return
    first, *others = (slice(i * count // shares, (i + 1) * count // shares) for i in range(shares))

    def quiet(share: slice) -> None:
        with np.errstate(all="ignore"):  # as the thread that asks has it
            work(share)

    running = [_pool().submit(quiet, share) for share in others]
    try:
        work(first)
    finally:
        failed = [error for share in running if (error := share.exception())]
    if failed:
        raise failed[0]


def room(purpose: str, shape: Sequence[int], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Memory for an array that nobody has after the layer; the thread's next call for the same purpose gives it again."""
    size = prod(shape) * dtype.itemsize
    if size > ROOM:
        return np.empty(shape, dtype)
    kept: dict[str, NDArray[Any]] = _rooms.__dict__
    if purpose not in kept or kept[purpose].size < size:
        fresh = np.empty(size + LINE, np.uint8)
        kept[purpose] = fresh[-fresh.ctypes.data % LINE :][:size]
    return kept[purpose][:size].view(dtype).reshape(shape)


@contextmanager
def blas_on_one_thread() -> Iterator[None]:
    """For the whole process, until the thread that came first leaves; meanwhile nothing changes for others."""
    if not _first.acquire(blocking=False):
        yield
        return
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _first.release()


def processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _controller() -> Any:
    return ThreadpoolController()


def _pool() -> ThreadPoolExecutor:
    global _threads
    if _threads is None:
        _threads = ThreadPoolExecutor(processors(), "executor")
    return _threads


def forget() -> None:
    """Begin anew: without threads, which a fork does not take along (and what they held stays held), and without rooms."""
    global _threads, _first, _rooms
    _threads, _first, _rooms = None, threading.Lock(), threading.local()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget)
