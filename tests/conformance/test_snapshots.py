"""The files of snapshots: who may write, and what pruning removes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.snapshots import SnapshotError, SnapshotStore, entries_of
from conformance.sync.manifest import make_manifest, write_manifest
from tests.conformance.make import (
    ABS,
    RELU,
    ROOT,
    accept,
    case,
    environment,
    failing,
    misbehaving,
    snapshot,
    special,
    write,
)  # fmt: skip

WRITER = """
import sys
from pathlib import Path
from conformance.snapshots import SnapshotStore
for index in range(30):
    SnapshotStore(Path(sys.argv[1]), "cpu").update("relu", {f"{sys.argv[2]} {index}": "PASS"})
"""


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    writers = [subprocess.Popen([*command, str(number)], cwd=ROOT) for number in range(4)]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    assert len(snapshot(tmp_path, "relu")) == 120


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SnapshotStore(tmp_path, "cpu")
    store.update("relu", {"a": "PASS"})

    def full(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        store.update("relu", {"b": "PASS"})
    assert snapshot(tmp_path, "relu") == {"a": "PASS"}
    assert [path.name for path in store.directory.iterdir() if path.suffix != ".lock"] == ["relu.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1}', "<<<<<<< ours\n"])
def test_a_damaged_file_is_not_written_over(tmp_path: Path, text: str) -> None:
    store = SnapshotStore(tmp_path, "cpu")
    store.directory.mkdir(parents=True)
    store.path("relu").write_text(text)
    with pytest.raises(SnapshotError, match=r"snapshot relu\.json"):
        store.update("relu", {"a": "PASS"})
    assert store.path("relu").read_text() == text


def prune(project: Path, plugins: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "conformance", "snapshots", "prune", f"--root={project}"]
    environ = {**os.environ, **environment(project, plugins)}
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)


def stale(project: Path) -> None:
    """Two entries without a case, one in a file without a case."""
    accept(project)
    write(project / "wpt_data/upstream/relu.json", case("a"), case("b"))
    (project / "wpt_data/upstream/abs.json").unlink()


def test_prune_removes_what_has_no_case(project: Path) -> None:
    stale(project)
    made = prune(project)
    assert made.returncode == 0, made.stdout + made.stderr
    assert snapshot(project, "relu") == {"a": "PASS", "b": "PASS"}
    assert not (project / "snapshots/cpu/abs.json").exists()
    assert "pruned relu: c" in made.stdout
    assert "3 entries removed" in made.stdout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (failing("b"), "LOST relu: b"),
        (special("b"), "CRASH relu: b"),
        ({"name": "b"}, "case 1 'b': a case must have"),
    ],
    ids=["failure", "crash", "broken case"],
)
def test_prune_removes_nothing_unless_all_is_as_expected(project: Path, change: object, message: str) -> None:
    stale(project)
    write(project / "wpt_data/upstream/relu.json", case("a"), change)
    made = prune(project, (misbehaving(project, "os.abort()"),))
    assert made.returncode == 1
    assert message in made.stdout
    assert "nothing pruned" in made.stderr
    assert (snapshot(project, "abs"), snapshot(project, "relu")) == (ABS, RELU)


def test_prune_needs_every_case_to_run(project: Path) -> None:
    stale(project)
    (project / "drop.py").write_text("def pytest_collection_modifyitems(items):\n    del items[-1]\n")
    assert prune(project, ("drop",)).returncode == 1
    assert (snapshot(project, "abs"), snapshot(project, "relu")) == (ABS, RELU)


def test_prune_needs_the_corpus(project: Path) -> None:
    stale(project)
    write(project / "wpt_data/house/relu.json", case("house: a"))
    (project / "wpt_data/upstream").rename(project / "elsewhere")
    made = prune(project)
    assert made.returncode == 2
    assert "prune needs the whole corpus" in made.stderr
    assert (snapshot(project, "abs"), snapshot(project, "relu")) == (ABS, RELU)


def test_prune_needs_every_case_of_the_manifest(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    accept(project)
    tests = {p.stem: json.loads(p.read_text())["tests"] for p in (project / "wpt_data/upstream").glob("*.json")}
    write_manifest(project / "wpt_data/manifest.json", make_manifest("abc", tests))
    assert main(["snapshots", "prune", f"--root={project}"]) == 0
    (project / "wpt_data/upstream/relu.json").unlink()
    before = snapshot(project, "relu")
    capsys.readouterr()
    assert main(["snapshots", "prune", f"--root={project}"]) == 2
    assert "3 cases of wpt_data/manifest.json are not in" in capsys.readouterr().err
    assert snapshot(project, "relu") == before


@pytest.mark.parametrize("entry", ["PAS", "PASSED", "FAIL", "FAIL(OOPS)", "CRASH", "", "pass", "PASS # fine"])
def test_an_outcome_that_there_is_not_is_an_error(entry: str) -> None:
    if entry == "PASS # fine":
        assert entries_of(json.dumps({"a": entry, "b": "FAIL(RUN) # x", "c": "UNSUPPORTED(no # way)"}), "relu.json")
        return
    with pytest.raises(SnapshotError, match=r"snapshot relu.json: a: .* is no outcome"):
        entries_of(json.dumps({"a": entry}), "relu.json")
