"""Runs of very many cases."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conformance import batches as module
from conformance.batches import batches
from conformance.report.reading import read_report
from tests.conformance.make import ROOT, accept, case, environment, failing, misbehaving, snapshot, special, write


def test_files_are_grouped_and_not_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 5)
    counts = [2, 3, 1, 9, 4, 1]
    paths = [write(tmp_path / f"{i}.json", *(case(f"n{j}") for j in range(n))) for i, n in enumerate(counts)]
    assert [[int(path.stem) for path in group] for group in batches(paths)] == [[0, 1], [2], [3], [4, 5]]
    assert list(batches([])) == []


def in_batches(project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from conformance import batches, cli; batches.BATCH = 2; sys.exit(cli.main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "run", f"--root={project}", "-n0", *options]
    environ = {**os.environ, **environment(project)}
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=240, check=False)


def test_a_run_in_batches_is_a_run(project: Path) -> None:
    accept(project)
    write(project / "wpt_data/upstream/relu.json", case("a"), case("b"), failing("c"))
    report, junit = project / "report.json", project / "junit.xml"
    made = in_batches(project, f"--report={report}", f"--junit={junit}")
    assert made.returncode == 1  # of the second; the first is as expected
    assert "batch 2 of 2" in made.stdout
    assert "LOST relu: c: FAIL(MISMATCH) (was PASS)" in made.stdout
    assert made.stdout.rstrip().endswith("all batches: 5 cases: 3 PASS, 2 FAIL")
    assert [row.key for row in read_report(report).rows] == [
        ("abs", "a"), ("abs", "wrong"), ("relu", "a"), ("relu", "b"), ("relu", "c")
    ]  # fmt: skip
    assert 'tests="5"' in junit.read_text()
    assert in_batches(project, "--update-snapshots", "--shard=1/1", f"--report={report}").returncode == 0
    assert snapshot(project, "relu") == {"a": "PASS", "b": "PASS", "c": "FAIL(MISMATCH)"}
    assert read_report(report).shard == "1/1"


def test_a_run_in_batches_that_is_killed_keeps_what_it_had(project: Path) -> None:
    write(project / "wpt_data/upstream/relu.json", case("a"), special("the end"), case("c"))
    plugin = misbehaving(project, "import signal; os.killpg(0, signal.SIGKILL)")
    code = "import sys; from conformance import batches, cli; batches.BATCH = 2; sys.exit(cli.main(sys.argv[1:]))"
    report = project / "report.json"
    command = [sys.executable, "-c", code, "run", f"--root={project}", "-n0", f"--report={report}", "--", "-p", plugin]
    environ = {**os.environ, **environment(project)}
    made = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, timeout=240, start_new_session=True)
    assert made.returncode == -signal.SIGKILL
    assert not report.exists()
    (parts,) = project.glob("report.json.parts-*")
    assert len(read_report(parts / "1.json").rows) == 2
    left = read_report(parts / "2.json.partial")
    assert ([row.name for row in left.rows], left.complete) == (["a"], False)
