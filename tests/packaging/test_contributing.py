"""CONTRIBUTING.md: its steps to add an operator, followed in a copy of the project."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.snapshots import SnapshotStore
from tests.conformance.make import ROOT, copy_project

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEPS = TEXT.partition("## Add an operator")[2].partition("\n## ")[0]
NEW = re.findall(r"New file\s`([^`]+)`:\n\n```python\n(.*?)```", STEPS, re.DOTALL)
BELOW = re.findall(r"Below[^`]*`([^`]+)`[^`]*:\n\n```text\n(.*?)```", STEPS, re.DOTALL)
COMMANDS = re.findall(r"```sh\n(.*?)```", STEPS, re.DOTALL)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project, without upstream's cases, with the operator added."""
    copy_project(tmp_path, "pyproject.toml", "tests/__init__.py", "tests/examples.py")
    for name, text in NEW:
        assert not (tmp_path / name).exists()
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name, lines in BELOW:
        text = (tmp_path / name).read_text(encoding="utf-8")
        for line in lines.splitlines(keepends=True):
            other = line.replace("relu6", "relu")
            assert text.count(f"\n{other}") == 1, f"{name} has not one line {other!r}"
            text = text.replace(f"\n{other}", f"\n{other}{line}")
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_the_steps_are_all_there() -> None:
    assert re.findall(r"^### (\d)\.", STEPS, re.MULTILINE) == list("12345")
    assert [len(NEW), len(BELOW), len(COMMANDS)] == [4, 2, 1]
    assert len(re.findall(r"^```", STEPS, re.MULTILINE)) == 2 * 7  # none that this test leaves out


def test_an_operator_that_is_added_by_the_steps_works(copy: Path) -> None:
    for line in COMMANDS[0].splitlines():
        made = run(copy, *shlex.split(line)[1:])
        assert made.returncode == 0, made.stdout + made.stderr
    assert int(re.findall(r"(\d+) passed", made.stdout)[0]) >= 3
    for target in ("cpu", "engine"):
        assert set(SnapshotStore(copy, target).entries("relu6").values()) == {"PASS"}
    code = "from tests.examples import EXAMPLES; from trtx_backend.graph import MLGraphBuilder as B"
    made = run(copy, "-c", f"{code}; print(EXAMPLES['relu6'](B(), 'float16'))")
    assert "float16[2, 3]" in made.stdout, made.stderr

    lowering = copy / "trtx_backend/lowering/ops/relu6.py"
    lowering.write_text(lowering.read_text(encoding="utf-8").replace("beta=6", "beta=5"), encoding="utf-8")
    made = run(copy, "-m", "conformance", "run", "--op", "relu6")
    assert made.returncode == 1
    assert "LOST relu6: house: around both bounds: FAIL(MISMATCH)" in made.stdout
