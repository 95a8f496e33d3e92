"""The real cuda-python, linked to a stub of the driver's library: arguments arrive, and results come back, as meant."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.make import ROOT
from tests.runtime.test_driver import called, no_driver

COMPILER = shutil.which("cc") or shutil.which("gcc")


@pytest.mark.skipif(not COMPILER or not no_driver(), reason="needs a C compiler, and no driver")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the stub is a Linux library")
def test_every_call_through_the_real_cuda_python(tmp_path: Path) -> None:
    library = tmp_path / "libcuda.so.1"
    source = Path(__file__).with_name("libcuda.c")
    subprocess.run([str(COMPILER), "-shared", "-fPIC", "-w", "-o", str(library), str(source)], check=True)
    run = subprocess.run(
        [sys.executable, "-m", "tests.runtime.tour"],
        cwd=ROOT,
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    assert set(run.stdout.split()) == called()
