"""What a reviewer is told about a change of the snapshots."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from conformance.cases import find_corpus
from conformance.cli import main
from conformance.snapshots import SnapshotStore
from conformance.snapshots_diff import Kind, as_markdown, as_text, differences
from tests.conformance.make import case, write

BEFORE = {"b": "FAIL(MISMATCH)", "c": "FAIL(SHAPE)", "d": "PASS", "e": "PASS", "f": "FAIL(RUN) # known", "same": "PASS"}
AFTER = {
    "b": "PASS", "c": "FAIL(RUN)", "d": "FAIL(MISMATCH)", "f": "FAIL(RUN) # wrong upstream", "same": "PASS",
    "g": "PASS", "<h>|*": "UNSUPPORTED(no)", "gone": "PASS",
}  # fmt: skip


def git(folder: Path, *arguments: str) -> None:
    identity = {f"GIT_{who}_{what}": "t" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environ = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "-C", folder, *arguments], env=environ, check=True, capture_output=True)


@pytest.fixture
def reviewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project below the top of a repository, with a change of its snapshots that is not committed."""
    monkeypatch.delenv("WPT_DATA", raising=False)
    project = tmp_path / "below the top"
    write(project / "wpt_data/upstream/relu.json", *(case(name) for name in AFTER if name != "gone"))
    for target, stem in (("cpu", "relu"), ("cpu", "abs"), ("engine", "relu")):
        path = project / "snapshots" / target / f"{stem}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(BEFORE if stem == "relu" else {"∞": "PASS", "x": "PASS"}), encoding="utf-8")
    git(tmp_path, "init", "-q", "-b", "trunk")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "x")
    (project / "snapshots/cpu/relu.json").write_text(json.dumps(AFTER), encoding="utf-8")
    (project / "snapshots/cpu/abs.json").unlink()
    return project


def test_every_kind_of_difference(reviewed: Path) -> None:
    found = differences(reviewed, "trunk", find_corpus(None, reviewed))
    kinds = {(d.target, d.stem, d.name): d.kind for d in found if d.kind is not Kind.STALE}
    assert kinds == {
        ("cpu", "abs", "x"): Kind.REMOVED, ("cpu", "abs", "∞"): Kind.REMOVED,
        ("cpu", "relu", "b"): Kind.FIXED, ("cpu", "relu", "c"): Kind.CHANGED, ("cpu", "relu", "d"): Kind.LOST,
        ("cpu", "relu", "e"): Kind.REMOVED, ("cpu", "relu", "f"): Kind.REASON, ("cpu", "relu", "g"): Kind.NEW,
        ("cpu", "relu", "<h>|*"): Kind.NEW, ("cpu", "relu", "gone"): Kind.NEW,
    }  # fmt: skip
    assert {(d.target, d.name) for d in found if d.kind is Kind.STALE} == {("cpu", "gone"), ("engine", "e")}


def test_as_text(reviewed: Path) -> None:
    lines = as_text(differences(reviewed, "trunk", find_corpus(None, reviewed)), "trunk").splitlines()
    assert lines[0] == (
        "Snapshots against trunk: 1 lost, 1 cause changed, 1 fixed, 1 new reason, 3 new, 3 removed, 2 stale"
    )
    assert [line.split() for line in lines if line.startswith("  relu ")] == [
        ["relu", "1", "1", "1", "1", "3", "1", "1"], ["relu", "·", "·", "·", "·", "·", "·", "1"]
    ]  # fmt: skip
    assert ["total", "1", "1", "1", "1", "3", "3", "1"] in [line.split() for line in lines]
    assert "  LOST relu: d: FAIL(MISMATCH) (was PASS)" in lines
    assert "  NEW relu: <h>|*: UNSUPPORTED(no)" in lines
    assert not any("relu: g:" in line for line in lines)  # a new PASS is counted only
    assert max(map(len, lines)) <= 100


def test_as_markdown_names_are_data(reviewed: Path) -> None:
    text = as_markdown(differences(reviewed, "trunk", find_corpus(None, reviewed)), "trunk", "a <note>")
    assert "| relu | 1 | 1 | 1 | 1 | 3 | 1 | 1 |" in text
    assert "- **new** relu: &lt;h&gt;\\|\\*: UNSUPPORTED\\(no\\)" in text
    assert "<details open>" in text
    assert "<h>" not in text
    assert "a &lt;note&gt;" in text


def test_the_command(reviewed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["snapshots", "diff", f"--root={reviewed}", "--base=trunk", "--format=markdown"]) == 0
    assert capsys.readouterr().out.startswith("### Snapshots against trunk: 1 lost")
    SnapshotStore(reviewed, "cpu").prune("relu", AFTER)
    git(reviewed, "checkout", "--", ".")
    git(reviewed, "rm", "-q", "--cached", "wpt_data/upstream/relu.json")
    (reviewed / "wpt_data/upstream/relu.json").unlink()
    (reviewed / "wpt_data/house").mkdir()
    write(reviewed / "wpt_data/house/relu.json", case("house: a"))
    assert main(["snapshots", "diff", f"--root={reviewed}", "--base=trunk"]) == 0
    out = capsys.readouterr().out
    assert "no difference" in out
    assert "stale entries" in out.casefold()  # of upstream's nothing is known


def test_without_a_repository_or_a_revision_or_with_a_damaged_file(
    reviewed: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    for base in ("nowhere", "--help", "trunk:./snapshots"):
        assert main(["snapshots", "diff", f"--root={reviewed}", f"--base={base}"]) == 2
        assert f"--base {base}: git knows no such revision here" in capsys.readouterr().err
    (reviewed / "snapshots/cpu/relu.json").write_text("<<<<<<< ours")
    assert main(["snapshots", "diff", f"--root={reviewed}", "--base=trunk"]) == 2
    assert "snapshot relu.json is not JSON" in capsys.readouterr().err
    outside = tmp_path_factory.mktemp("outside")
    write(outside / "wpt_data/upstream/relu.json", case("a"))
    assert main(["snapshots", "diff", f"--root={outside}"]) == 2
    assert "is not in a git repository" in capsys.readouterr().err
