"""Loads TensorRT's shared libraries and its Python module.

The libraries come from the wheel, or from where the system's loader looks (LD_LIBRARY_PATH, PATH), or from the directory
of an SDK. What was tried and did not work is in the error, place by place.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from trtx_backend.errors import ArgumentError, BackendUnavailable, InvalidStateError
from trtx_backend.flavor import Flavor, chosen

WINDOWS = sys.platform == "win32"
SDK_FOLDERS = ("", "bin", "lib", "lib64", "targets/x86_64-linux-gnu/lib")

Place = tuple[str, Callable[[], object]]
"""Where, in words, and what opens the libraries there."""

_loaded: tuple[Flavor, Any, str] | None = None
"""The flavor, its module, and where the libraries are from."""
_kept: list[Any] = []
"""Library handles and DLL directories: they are closed with their objects."""


class TensorRTNotFound(BackendUnavailable, ImportError):
    """TensorRT cannot be loaded. The message says where it was looked for, and why each place failed."""


def dynamically_load_tensorrt(path: str | PathLike[str] | None = None) -> str:
    """Load TensorRT now, before a context is created, and say where from. Not needed where the wheel is installed.

    `path` is the directory of an unpacked SDK, or the one in it that holds the libraries. Without it, the wheel is tried,
    then the system's loader by the library's name. TensorRTNotFound if it cannot be had; TypeError if `path` is no
    path; InvalidStateError if it is loaded already, and not from there.
    """
    if path is not None and (not isinstance(path, (str, PathLike)) or not str(path)):
        raise ArgumentError("path", path, "must be the directory of an SDK, or None", "dynamically_load_tensorrt")
    if _loaded is None:
        return _load(path)[2]
    flavor, _, where = _loaded
    here = path is None or not flavor.libraries or Path(path).resolve() in (Path(where), *Path(where).parents)
    if not here:
        raise InvalidStateError(f"{flavor.title} is loaded already, from {where}: it cannot be loaded from {path}")
    return where


def load() -> tuple[Flavor, Any]:
    """The flavor and its module, loaded if they are not yet. TensorRTNotFound if that fails."""
    flavor, module, _ = _loaded or _load(None)
    return flavor, module


def _load(path: str | PathLike[str] | None) -> tuple[Flavor, Any, str]:
    global _loaded
    flavor = chosen()
    if flavor.name == "mock":
        _loaded = flavor, importlib.import_module(flavor.module), "the package itself"
        return _loaded
    failures: list[str] = []
    for where, attempt in _places(flavor, path):
        try:
            attempt()
            _loaded = flavor, importlib.import_module(flavor.module), where
            return _loaded
        except (ImportError, OSError) as error:
            failures.append(f"{where}: {_reason(error)}")
    hint = f"pip install {flavor.package}, give an SDK to dynamically_load_tensorrt, or set TRTX_FLAVOR=mock"
    raise TensorRTNotFound(f"{flavor.title} cannot be loaded: {'; '.join(failures)}; {hint}")


def _places(flavor: Flavor, path: str | PathLike[str] | None) -> Iterator[Place]:
    if path is not None:
        yield from _sdk(flavor, Path(path))
        return
    yield f"the wheel {flavor.libraries_module}", partial(importlib.import_module, flavor.libraries_module)
    variable = "PATH" if WINDOWS else "LD_LIBRARY_PATH"
    for name, _ in file_names(flavor, flavor.libraries[0]):
        yield f"{name} by {variable}={os.environ.get(variable, '')}", partial(_open_by_name, flavor, name)


def _sdk(flavor: Flavor, path: Path) -> Iterator[Place]:
    if not path.is_dir():
        yield str(path), partial(_missing, "it is not a directory")
        return
    for folder in SDK_FOLDERS:
        directory = path / folder
        if _find(directory, flavor, flavor.libraries[0]) is not None:
            yield str(directory.resolve()), partial(_open_all, flavor, directory)
            return
    wanted = " or ".join(name for name, _ in file_names(flavor, flavor.libraries[0]))
    looked = ", ".join(folder or "." for folder in SDK_FOLDERS)
    yield str(path), partial(_missing, f"it has no {wanted}, in none of {looked}")


def file_names(flavor: Flavor, stem: str) -> list[tuple[str, str]]:
    """What a library's file is called, and a pattern for its versions, for each major version."""
    if WINDOWS:
        return [(f"{stem}_{major}.dll", f"{stem}_{major}*.dll") for major in flavor.majors]
    return [(f"lib{stem}.so.{major}", f"lib{stem}.so.{major}.*") for major in flavor.majors]


def _find(directory: Path, flavor: Flavor, stem: str) -> Path | None:
    names = [name for pair in file_names(flavor, stem) for name in pair]
    return next((file for name in names for file in sorted(directory.glob(name))), None)


def _open_all(flavor: Flavor, directory: Path) -> None:
    if WINDOWS:
        _kept.append(os.add_dll_directory(str(directory.resolve())))  # type: ignore[attr-defined]
    for file in (_find(directory, flavor, stem) for stem in flavor.libraries):
        if file is not None:
            _open(str(file.resolve()))
    # the module would load the wheel's libraries beside these, if it finds that wheel
    if find_spec(flavor.libraries_module) is not None:
        sys.modules.setdefault(flavor.libraries_module, ModuleType(flavor.libraries_module))


def _open_by_name(flavor: Flavor, name: str) -> None:
    """Open the library that the system finds by its name; on Windows, which does not look in PATH, the one that is there."""
    directories = os.environ.get("PATH", "").split(os.pathsep) if WINDOWS else []
    found = (_find(Path(directory), flavor, flavor.libraries[0]) for directory in directories if directory)
    _open(next((str(file) for file in found if file), name))


def _open(name: str) -> None:
    """Open a library for all that comes later to find."""
    _kept.append(ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL))


def _missing(reason: str) -> None:
    raise OSError(reason)


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    if getattr(error, "winerror", None) == 126:
        text += " (error 126: the file, or a library that it needs, was not found on PATH)"
    return text
