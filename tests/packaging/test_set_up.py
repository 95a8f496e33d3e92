"""What make and CI do before anything is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conformance.make import ROOT


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    for name in ("Makefile", "pyproject.toml", ".ci/run"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (folder / "wpt_data").mkdir()
    return folder


def script(path: Path, body: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def run(folder: Path, *command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "OP", "CASE")}
    return subprocess.run(
        command, cwd=folder, env={**kept, **environ}, capture_output=True, text=True, check=False, timeout=60
    )


def test_a_slip_is_seen_before_anything_is_installed(checkout: Path) -> None:
    made = run(checkout, "make", "test-wpt-op", "PYTHON=/bin/false")
    assert made.returncode == 2
    assert made.stderr.startswith("which operator? for example: make test-wpt-op OP=conv2d\n")
    assert not (checkout / ".venv").exists()


def test_an_old_python_is_named(checkout: Path) -> None:
    made = run(checkout, "make", "test-unit", "PYTHON=/bin/false")
    assert made.returncode == 2
    assert made.stderr.startswith("Python 3.11 or newer is needed")


def test_a_set_up_that_failed_is_tried_again(checkout: Path) -> None:
    """The first python has no venv module, the second makes one whose pip fails, the third one that works."""
    python = checkout / "python"
    assert "venv module is missing" in made(checkout, python, '[ "$1" = -c ]')
    broken = 'case "$*" in *install*) exit 1;; esac'
    assert "could not install the dependencies" in made(checkout, python, venv(broken))
    assert (checkout / ".venv/bin/python").exists()
    assert "could not install" in made(checkout, python, 'echo "is not asked again" >&2; [ "$1" = -c ]')
    assert "the linter" in made(checkout, python, venv("true"), install=True)
    assert (checkout / ".venv/.ready").exists()
    assert made(checkout, python, "exit 1") == "the linter\n"


def venv(body: str) -> str:
    """A python whose venv has a python that does `body`, and a linter that fails."""
    return f"""
        [ "$1" = -c ] && exit 0
        mkdir -p .venv/bin
        printf '#!/bin/sh\\n%s\\n' '{body}' > .venv/bin/python
        printf '#!/bin/sh\\necho the linter >&2; exit 1\\n' > .venv/bin/ruff
        chmod +x .venv/bin/*
        """


def made(checkout: Path, python: Path, body: str, install: bool = False) -> str:
    """What `make lint` says on standard error up to make's own line; the linter of these set-ups fails."""
    if install:
        (checkout / ".venv/bin/python").unlink()
    script(python, body)
    done = run(checkout, "make", "lint", f"PYTHON={python}")
    assert done.returncode == 2, done.stdout + done.stderr
    return done.stderr.partition("make: ***")[0]


@pytest.mark.parametrize("corpus", [True, False])
def test_ci_runs_make_test_and_fails_with_it(checkout: Path, corpus: bool) -> None:
    if corpus:
        (checkout.parent / "shared/wpt").mkdir(parents=True)
    script(checkout / "bin/make", 'echo "make $*"; exit 7')
    for _ in range(2):
        done = run(checkout, "bash", ".ci/run", PATH=f"{checkout / 'bin'}:{os.environ['PATH']}")
        assert (done.returncode, done.stdout) == (7, "make test\n")
    assert (checkout / "wpt_data/upstream").is_dir() == corpus


def test_ci_is_executable() -> None:
    assert os.access(ROOT / ".ci/run", os.X_OK)
