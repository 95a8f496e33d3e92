"""Where TensorRT is loaded from. Each load is a process of its own: a library stays loaded."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conformance.make import ROOT
from trtx_backend import InvalidStateError, TensorRTNotFound, dynamically_load_tensorrt, loading
from trtx_backend.flavor import FLAVORS

NO_WHEEL = "import sys; sys.modules['tensorrt_rtx_libs'] = None\n"
"""As if the wheel with the libraries was not installed."""
LOAD = "from trtx_backend import dynamically_load_tensorrt\nprint(dynamically_load_tensorrt({path!r}))\n"
USE = """
import sys
from trtx_backend.trt import trt
import trtx_backend.lowering
print(*{line.split()[-1] for line in open("/proc/self/maps") if "libtensorrt_rtx" in line})
print("beside" if getattr(sys.modules["tensorrt_rtx_libs"], "__file__", None) else "alone")
"""
NOTHING_BUILT = """
import sys, trtx_backend
assert "trtx_backend.trt" not in sys.modules and "tensorrt_rtx" not in sys.modules
"""

linux = pytest.mark.skipif(sys.platform != "linux", reason="libraries are found in another way")


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "TRTX_FLAVOR")}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env={**clean, **environment}, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture
def sdk(tmp_path: Path) -> Path:
    """The directory of an SDK: the wheel's libraries, in `lib`."""
    spec = find_spec("tensorrt_rtx_libs")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("needs the wheel")
    directory = tmp_path / "TensorRT-RTX" / "lib"
    directory.mkdir(parents=True)
    for file in Path(spec.submodule_search_locations[0]).glob("*.so*"):
        try:
            os.link(file, directory / file.name)
        except OSError:  # on another file system
            shutil.copyfile(file, directory / file.name)
    return directory.parent


def test_importing_the_package_loads_nothing() -> None:
    assert run(NOTHING_BUILT).returncode == 0


@linux
def test_from_the_wheel() -> None:
    done = run(LOAD.format(path=None) + USE)
    assert done.stdout.startswith("the wheel tensorrt_rtx_libs\n"), done.stderr


@linux
@pytest.mark.parametrize("folder", ["", "lib"])
@pytest.mark.parametrize("blocked", [NO_WHEEL, ""])
def test_from_an_sdk(sdk: Path, folder: str, blocked: str) -> None:
    done = run(blocked + LOAD.format(path=str(sdk / folder)) + USE)
    assert done.stdout.splitlines() == [str(sdk / "lib"), f"{sdk}/lib/libtensorrt_rtx.so.1", "alone"], done.stderr


@linux
def test_by_name(sdk: Path) -> None:
    done = run(NO_WHEEL + LOAD.format(path=None) + USE, LD_LIBRARY_PATH=str(sdk / "lib"))
    assert done.stdout.splitlines()[1] == str(sdk / "lib" / "libtensorrt_rtx.so.1"), done.stderr


@linux
def test_a_failure_says_where_it_looked_and_why_each_place_failed(tmp_path: Path) -> None:
    error = run(NO_WHEEL + LOAD.format(path=None), LD_LIBRARY_PATH="/nowhere").stderr.splitlines()[-1]
    for part in (
        "TensorRTNotFound: TensorRT for RTX cannot be loaded: ",
        "the wheel tensorrt_rtx_libs: import of tensorrt_rtx_libs halted",
        "libtensorrt_rtx.so.1 by LD_LIBRARY_PATH=/nowhere: libtensorrt_rtx.so.1: cannot open shared object file",
        "set TRTX_FLAVOR=mock",
    ):
        assert part in error
    assert "nowhere: it is not a directory" in run(LOAD.format(path="nowhere")).stderr
    assert "it has no libtensorrt_rtx.so.1, in none of ., bin, lib" in run(LOAD.format(path=str(tmp_path))).stderr
    (tmp_path / "libtensorrt_rtx.so.1").write_bytes(b"not a library")
    assert f"{tmp_path}: {tmp_path}/libtensorrt_rtx.so.1: file too short" in run(LOAD.format(path=str(tmp_path))).stderr


@linux
def test_without_the_bindings(sdk: Path) -> None:
    done = run("import sys; sys.modules['tensorrt_rtx'] = None\n" + LOAD.format(path=str(sdk)))
    assert f"{sdk}/lib: import of tensorrt_rtx halted" in done.stderr


def test_loading_again() -> None:
    where = dynamically_load_tensorrt()
    assert dynamically_load_tensorrt() == where
    with pytest.raises(InvalidStateError, match=r"is loaded already, from .*: it cannot be loaded from /elsewhere"):
        dynamically_load_tensorrt("/elsewhere")


@pytest.mark.parametrize("path", ["", 7, b"lib"])
def test_a_wrong_path_is_a_type_error(path: object) -> None:
    with pytest.raises(TypeError, match=r"dynamically_load_tensorrt: path is .*: must be the directory of an SDK"):
        dynamically_load_tensorrt(path)  # type: ignore[arg-type]


def test_windows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """File names, PATH, and the error that hides what is missing."""
    monkeypatch.setattr(loading, "WINDOWS", True)
    assert loading.file_names(FLAVORS["rtx"], "tensorrt_rtx") == [("tensorrt_rtx_1.dll", "tensorrt_rtx_1*.dll")]
    (tmp_path / "tensorrt_rtx_1_6.dll").write_bytes(b"")
    monkeypatch.setenv("PATH", os.pathsep.join(["", "/nowhere", str(tmp_path)]))
    opened: list[str] = []
    monkeypatch.setattr(loading, "_open", opened.append)
    loading._open_by_name(FLAVORS["rtx"], "tensorrt_rtx_1.dll")
    assert opened == [str(tmp_path / "tensorrt_rtx_1_6.dll")]
    error = OSError("Could not find module")
    error.winerror = 126  # type: ignore[attr-defined]
    assert "error 126: the file, or a library that it needs" in loading._reason(error)


def test_a_missing_tensorrt_is_both_kinds_of_error() -> None:
    assert issubclass(TensorRTNotFound, ImportError)
