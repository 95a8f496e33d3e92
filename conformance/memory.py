"""A limit on the memory of one case, so that a case that eats memory costs itself and not the machine.

The limit is the kernel's, on the process's data (RLIMIT_DATA: private writable memory, not address space, of which
TensorRT and CUDA reserve far more than they use). numpy and Python then raise MemoryError, which becomes the case's
outcome; a native library may end the process, which costs the same one case.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

LEAST = 1 << 30
"""Below a gibibyte the corpus's own largest cases would not run."""

STATM = Path("/proc/self/statm")
CGROUP = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def size(text: str) -> int:
    """Bytes of "800M", "1.5G" or "0" (no limit). ValueError for anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise ValueError(f"{text!r} is not an amount of memory, like 800M or 2G")
    return int(float(match[1]) * UNITS[match[2].upper()])


def shown(amount: int) -> str:
    """1610612736 as "1.5 GiB"."""
    name, unit = next((item for item in reversed(UNITS.items()) if amount >= item[1]), ("", 1))
    return f"{amount / unit:.3g} {name}{'iB' if name else 'bytes'}"


def default_limit(workers: int) -> int:
    """Three quarters of what the machine, or the container, has, shared among the workers."""
    total = _total()
    return max(total * 3 // 4 // max(workers, 1), LEAST) if total else 0


def _total() -> int:
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return 0
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for path in CGROUP:
        text = path.read_text().strip() if path.is_file() else ""
        if text.isdigit():
            total = min(total, int(text))
    return total


TRIM_THRESHOLD, MMAP_MAX = -1, -4
"""Of glibc's mallopt."""


def reuse_freed(amount: int = 256 << 20) -> None:
    """Let the process hold on to up to `amount` bytes that it has freed. TensorRT takes a large block for each network that
    it compiles; to get each from the kernel and give it back costs as much as all the rest. Where the allocator is not
    glibc's, nothing changes."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(MMAP_MAX, 0)
        mallopt(TRIM_THRESHOLD, amount)


@contextmanager
def limited(amount: int) -> Iterator[None]:
    """Allow what runs inside `amount` bytes more than the process has now. 0: no limit. Where the kernel has no such
    limit (it is Linux's), there is none."""
    if not amount or not STATM.is_file() or sys.platform == "win32":
        yield
        return
    import resource

    used = int(STATM.read_text().split()[5]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limits = [used + amount, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
