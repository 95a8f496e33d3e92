"""The engine cache: compiled networks without their weights, one file each, in a directory of bounded size.

Nothing that goes wrong here stops a program. What cannot be read is a miss, and what cannot be written is said in the log.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trtx_backend.engine import container
from trtx_backend.engine.files import (
    Unsafe,
    cache_home,
    check_safe,
    clear_remainders,
    private_directory,
    read_safely,
    write_whole,
)
from trtx_backend.engine.key import FORMAT

logger = logging.getLogger("trtx.cache")

DIRECTORIES = ("rustnn", "trtx")
SUFFIX = ".trtx-engine"
KIND = b"eng\0"
_NAME = re.compile(rf"[0-9a-f]{{64}}{re.escape(SUFFIX)}")


@dataclass(frozen=True)
class Entry:
    """A cached engine. `inputs` and `outputs`: the names of its bindings in the order of the graph's; `weights`: the names
    of those that it must be given before it can run, and their sizes in bytes."""

    key: str
    plan: bytes
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    weights: Mapping[str, int]
    tensorrt: str
    flavor: str


@dataclass(frozen=True)
class File:
    """A file of the cache, as a listing shows it."""

    path: Path
    size: int
    used: float
    """When it was written or last hit, in seconds since 1970."""

    @property
    def key(self) -> str:
        return self.path.name.removesuffix(SUFFIX)


class EngineCache:
    """The cache below a directory; None: below the user's directory for caches. `limit`: bytes that it may hold."""

    def __init__(self, base: Path | None = None, limit: int = 2 << 30) -> None:
        self._base, self.limit = None if base is None else base.absolute(), limit

    @property
    def directory(self) -> Path:
        """Where the files are. It need not be there yet."""
        return (self._base or cache_home()).joinpath(*DIRECTORIES)

    def load(self, key: str) -> Entry | None:
        """The engine of a key; None if there is none that can be used, for whatever reason, which is logged."""
        path = self._path(key)
        try:
            self._open()
            data = read_safely(path, touch=True)
            return _entry(key, data)
        except FileNotFoundError:
            logger.debug("no engine %s", key)
        except (OSError, container.BadFile) as error:
            logger.warning("the cached engine %s is not used: %s", path, error)
        return None

    def store(self, entry: Entry) -> bool:
        """Keep an engine, in place of whatever its file holds, and let old ones go if it gets crowded. False if it could not
        be kept, which is logged."""
        path = self._path(entry.key)
        parts = container.pack(KIND, FORMAT, _header(entry), entry.plan)
        size = sum(map(len, parts))
        if size > self.limit:
            logger.warning("engine %s is not cached: %d bytes are more than the cache may hold", entry.key, size)
            return False
        try:
            self._open()
            write_whole(path, parts)
        except OSError as error:
            logger.warning("engine %s is not cached: %s", entry.key, error)
            return False
        logger.info("engine %s cached, %d bytes", entry.key, size)
        self._shrink(path)
        return True

    def drop(self, key: str) -> None:
        """Forget an engine that proved to be of no use."""
        with contextlib.suppress(OSError):
            self._open()
            if _is_ours(self._path(key)):
                self._path(key).unlink()

    def files(self) -> list[File]:
        """What the cache holds, the longest unused first. Files that it did not write are not among them."""
        found = []
        with contextlib.suppress(OSError):
            self._open()
            for path in self.directory.iterdir():
                with contextlib.suppress(OSError):
                    if _NAME.fullmatch(path.name) and _is_ours(path):
                        status = path.stat()
                        found.append(File(path, status.st_size, status.st_mtime))
        return sorted(found, key=lambda file: (file.used, file.path))

    def verify(self) -> Iterator[tuple[File, str]]:
        """Every file, and what is wrong with it: empty if nothing is."""
        for file in self.files():
            try:
                _entry(file.key, read_safely(file.path))
                yield file, ""
            except (OSError, container.BadFile) as error:
                yield file, str(error)

    def clear(self) -> int:
        """Remove every file that the cache wrote. How many that were."""
        removed = 0
        for file in self.files():
            with contextlib.suppress(OSError):
                file.path.unlink()
                removed += 1
        with contextlib.suppress(OSError):
            clear_remainders(self.directory, age=0)
        return removed

    def _open(self) -> None:
        """Make the directory, or see that nobody else can write it. OSError."""
        private_directory(self._base or cache_home(), *DIRECTORIES)

    def _path(self, key: str) -> Path:
        return self.directory / f"{key}{SUFFIX}"

    def _shrink(self, kept: Path) -> None:
        clear_remainders(self.directory)
        files = self.files()
        total = sum(file.size for file in files)
        for file in files:
            if total <= self.limit:
                break
            if file.path != kept:
                with contextlib.suppress(OSError):
                    file.path.unlink()
                    total -= file.size
                    logger.info("engine %s left the cache, unused for longest", file.key)


def _header(entry: Entry) -> dict[str, object]:
    fields = ("key", "inputs", "outputs", "weights", "tensorrt", "flavor")
    return {name: getattr(entry, name) for name in fields}


def _entry(key: str, data: bytes) -> Entry:
    header, plan = container.unpack(KIND, FORMAT, data)
    if header.get("key") != key:
        raise container.BadFile(f"it is the engine {header.get('key')} under another name")
    try:
        inputs, outputs, weights = tuple(header["inputs"]), tuple(header["outputs"]), dict(header["weights"])
        return Entry(key, plan, inputs, outputs, weights, header["tensorrt"], header["flavor"])
    except (KeyError, TypeError, ValueError) as error:
        raise container.BadFile(f"the header is not of an engine: {error!r}") from None


def _is_ours(path: Path) -> bool:
    """A file that this cache wrote: by its magic, whatever became of the rest."""
    if os.name != "nt":
        check_safe(path, path.lstat())
    return read_safely(path, len(container.MAGIC)) == container.MAGIC


__all__ = ["EngineCache", "Entry", "File", "Unsafe"]
