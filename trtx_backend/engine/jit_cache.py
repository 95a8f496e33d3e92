"""Keeps what TensorRT compiled for the GPU at hand when it loaded engines: one file a GPU and TensorRT version.

A process has one runtime cache for each of them. It is filled from its file when the first engine is loaded, and saved
after builds and when the process ends. The last process to save wins: what another one had compiled is compiled again.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import logging
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from trtx_backend.engine import container
from trtx_backend.engine.files import cache_home, clear_remainders, private_directory, read_safely, write_whole

logger = logging.getLogger("trtx.cache")

DIRECTORIES = ("rustnn", "trtx-jit")
SUFFIX = ".trtx-jit"
KIND = b"jit\0"
FORMAT = 1


class RuntimeCache(Protocol):
    """TensorRT's runtime cache, or what stands for it in tests."""

    def serialize(self) -> bytes:
        """All that it holds. Any exception is taken for a failure that may not repeat."""
        ...

    def deserialize(self, data: bytes) -> bool:
        """Take over what was serialized. False if this is not for this device and TensorRT."""
        ...


class JitFile:
    """The file of a GPU and a TensorRT version, below a directory or, if that is None, the user's for caches. `gpu` is
    any text that tells GPUs apart. `limit`: bytes that the file may have."""

    def __init__(self, gpu: str, tensorrt: str, base: Path | None = None, limit: int = 256 << 20) -> None:
        self.gpu, self.tensorrt, self.limit = gpu, tensorrt, limit
        self._base = base = None if base is None else base.absolute()
        digest = hashlib.blake2b(repr((gpu, tensorrt)).encode(), digest_size=8).hexdigest()
        readable = re.sub(r"[^A-Za-z0-9.]+", "-", f"{gpu}-{tensorrt}")[:80]
        self.path = (base or cache_home()).joinpath(*DIRECTORIES) / f"{readable}-{digest}{SUFFIX}"

    def load(self) -> bytes | None:
        """What the file holds; None if that cannot be used, for whatever reason, which is logged."""
        try:
            self._open()
            header, data = container.unpack(KIND, FORMAT, read_safely(self.path))
            made_by = (header.get("gpu"), header.get("tensorrt"))
            if made_by != (self.gpu, self.tensorrt):
                raise container.BadFile(f"it is of {made_by[0]} and TensorRT {made_by[1]}")
            return data
        except FileNotFoundError:
            logger.debug("no runtime cache %s", self.path)
        except (OSError, container.BadFile) as error:
            logger.warning("the runtime cache %s is not used: %s", self.path, error)
        return None

    def save(self, data: bytes) -> bool:
        """Replace what the file holds. What is larger than the limit is not kept, nor is what was there: it can only grow.
        False if it was not kept, which is logged."""
        parts = container.pack(KIND, FORMAT, {"gpu": self.gpu, "tensorrt": self.tensorrt}, data)
        size = sum(map(len, parts))
        if size > self.limit:
            logger.warning("the runtime cache %s is begun anew: it may not have %d bytes", self.path, size)
            self.drop()
            return False
        try:
            self._open()
            write_whole(self.path, parts)
            clear_remainders(self.path.parent)
        except OSError as error:
            logger.warning("the runtime cache %s is not kept: %s", self.path, error)
            return False
        return True

    def drop(self) -> None:
        """Remove the file."""
        with contextlib.suppress(OSError):
            self._open()
            self.path.unlink()

    def _open(self) -> None:
        private_directory(self._base or cache_home(), *DIRECTORIES)


class JitCache:
    """A process's runtime cache and its file."""

    def __init__(self, file: JitFile, runtime: RuntimeCache) -> None:
        self.file, self.runtime = file, runtime
        self._lock = threading.Lock()
        self._saved = b""
        data = file.load()
        if data is not None and not runtime.deserialize(data):
            logger.warning("TensorRT does not take the runtime cache %s, which is begun anew", file.path)
            file.drop()
        elif data is not None:
            self._saved = _digest(data)

    def save(self) -> None:
        """Keep what was compiled since. Never raises."""
        with self._lock:
            try:
                data = bytes(self.runtime.serialize())
            except Exception as error:
                logger.warning(
                    "TensorRT does not tell its runtime cache, so %s stays as it is: %s", self.file.path, error
                )
                return
            digest = _digest(data)
            if digest != self._saved and self.file.save(data):
                self._saved = digest


_shared: dict[Path, JitCache] = {}
_lock = threading.Lock()


def jit_cache(file: JitFile, make: Callable[[], RuntimeCache]) -> JitCache:
    """The process's runtime cache of a file; `make` makes TensorRT's the first time."""
    with _lock:
        if not _shared:
            atexit.register(save_all)
        if file.path not in _shared:
            _shared[file.path] = JitCache(file, make())
        return _shared[file.path]


def forget(gone: Callable[[RuntimeCache], bool]) -> None:
    """Let go of the runtime caches of which `gone` is true, unsaved: their device was reset, or is not there any more."""
    with _lock:
        for path in [path for path, cache in _shared.items() if gone(cache.runtime)]:
            del _shared[path]


def save_all() -> None:
    """Keep what was compiled in this process."""
    for cache in list(_shared.values()):
        cache.save()


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()
