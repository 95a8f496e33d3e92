"""The pages: every Python example runs, the table of operators is that of the code, the site builds without a warning."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conformance.make import ROOT, copy_project
from tests.packaging.operators_doc import FILE, page
from trtx_backend.graph.operator import RULES

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{path.name}-{number}")
    for path in PAGES
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S))
]


def test_the_pages_have_examples() -> None:
    assert len(PAGES) > 12
    assert len(BLOCKS) >= 3


@pytest.mark.parametrize("block", BLOCKS)
def test_a_python_block_runs(block: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", block]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert made.returncode == 0, made.stderr


def test_the_table_of_operators_is_that_of_the_code() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert text.count("\n| `") == len(RULES) > 90
    assert text == page(), "python -m tests.packaging.operators_doc writes it anew"


def build(folder: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    if find_spec("mkdocs") is None or find_spec("material") is None:
        pytest.skip("mkdocs or mkdocs-material is not installed: make docs does that")
    folder = tmp_path / "sources"
    for name in ("docs", ".ci"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("mkdocs.yml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def test_the_site_builds_strictly_and_loads_nothing_from_elsewhere(sources: Path, tmp_path: Path) -> None:
    made = build(sources, tmp_path / "site")
    assert made.returncode == 0, made.stderr
    assert "WARNING" not in made.stderr
    written = list((tmp_path / "site").rglob("*.html"))
    assert len(written) > len(PAGES)
    loads = (
        r"""<(?:script|img|iframe)[^>]*\ssrc="?(?:https?:)?//|<link[^>]*rel="?stylesheet[^>]*href="?(?:https?:)?//"""
    )
    assert [path for path in written if re.search(loads, path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("link", ["[x](nowhere.md)", "[x](triage.md#no-such-heading)", "[x](../LICENSE)"])
def test_a_link_that_leads_nowhere_fails_the_build(sources: Path, tmp_path: Path, link: str) -> None:
    with (sources / "docs/index.md").open("a", encoding="utf-8") as file:
        file.write(f"\n{link}\n")
    made = build(sources, tmp_path / "site")  # with --quiet, mkdocs does not see its own warnings
    assert (made.returncode, "Doc file 'index.md' contains" in made.stderr) == (1, True), made.stderr


def test_the_review_is_as_it_is_told(tmp_path: Path) -> None:
    """Its change is made in a copy; every line that the page shows is there, in that order, but for how many cases there are."""
    page = (ROOT / "docs/reviewing-snapshots.md").read_text(encoding="utf-8")
    copy_project(tmp_path, "pyproject.toml")
    lowering = tmp_path / "trtx_backend/lowering/ops/relu.py"
    lowering.write_text(lowering.read_text(encoding="utf-8").replace("Type.RELU", "Type.SIGMOID"), encoding="utf-8")

    def do(*command: str) -> str:
        made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
        return made.stdout + made.stderr

    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for arguments in (["init", "-q"], ["add", "snapshots"], ["commit", "-qm", "before"]):
        do(*git, *arguments)
    wpt = [sys.executable, "-m", "conformance"]
    shown = do(*wpt, "run", "--op=relu", "--case=house")
    do(*wpt, "run", "--op=relu", "--update-snapshots")
    shown += do(*wpt, "snapshots", "diff", "--base=HEAD")
    blocks = re.findall(r"```text\n(.*?)```", page, re.S)
    wanted = [re.sub(r"\d+", "#", line) for block in blocks for line in block.splitlines() if line.strip() != "…"]
    there = iter([re.sub(r"\d+", "#", line) for line in shown.splitlines()])
    squeezed = [re.sub(r"[ =]+", " ", line) for line in wanted]
    found = (re.sub(r"[ =]+", " ", line) for line in there)
    assert len(blocks) == 2 and len(wanted) > 9
    assert [line for line in squeezed if line not in found] == [], shown
