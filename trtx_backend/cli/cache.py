"""`trtx cache`."""

from __future__ import annotations

import argparse
import stat
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from trtx_backend.cli.graphs import UsageError
from trtx_backend.errors import ArgumentError
from trtx_backend.options import TrtxOptions

if TYPE_CHECKING:
    from trtx_backend.engine.cache import EngineCache, File

ABOUT = """The cache of compiled engines. An engine is kept without the graph's weights; what is missing or not usable is
built again when a graph needs it, so clearing the cache costs time only."""


def show(arguments: argparse.Namespace) -> int:
    cache = _cache(arguments)
    files = _files(cache)
    for file in reversed(files):
        used = datetime.fromtimestamp(file.used).isoformat(" ", "minutes")
        print(f"{file.key}  {_size(file.size):>10}  used {used}")
    print(f"{_total(files)} in {cache.directory}")
    return 0


def verify(arguments: argparse.Namespace) -> int:
    cache = _cache(arguments)
    files = _files(cache)
    bad = [(file, problem) for file, problem in (cache.verify() if files else ()) if problem]
    for file, problem in bad:
        print(f"{file.path}: {problem}")
    print(f"{_total(files)} in {cache.directory}: {len(bad)} not usable")
    return int(bool(bad))


def clear(arguments: argparse.Namespace) -> int:
    cache = _cache(arguments)
    files = _files(cache)
    removed = cache.clear() if files else 0
    print(f"{removed} of {_total(files)} removed from {cache.directory}")
    return int(removed != len(files))


ACTIONS: dict[str, tuple[Callable[[argparse.Namespace], int], str]] = {
    "list": (show, "list the engines, the one used last first"),
    "verify": (verify, "read every engine and check it; exit status 1 if one is not usable"),
    "clear": (clear, "remove every engine; files of others stay"),
}


def _cache(arguments: argparse.Namespace) -> EngineCache:
    from trtx_backend.engine.cache import EngineCache  # needs TensorRT, which the other commands do without

    try:
        base = TrtxOptions(cache_dir=arguments.cache_dir).cache_dir
    except ArgumentError as error:
        raise UsageError(f"--cache-dir: {error}") from None
    if base is not None and not Path(base).is_dir():
        raise UsageError(f"--cache-dir {base}: it is not a directory")
    return EngineCache(None if base is None else Path(base))


def _files(cache: EngineCache) -> Sequence[File]:
    """What the cache holds. UsageError if its directory cannot be read, or is not this user's alone."""
    from trtx_backend.engine.files import check_safe

    try:
        status = cache.directory.lstat()
        check_safe(cache.directory, status, stat.S_ISDIR)
        next(iter(cache.directory.iterdir()), None)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"the cache is not used: {error}") from None
    return cache.files()


def _total(files: Sequence[File]) -> str:
    return f"{len(files)} engine{'s' * (len(files) != 1)}, {_size(sum(file.size for file in files))},"


def _size(count: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"
