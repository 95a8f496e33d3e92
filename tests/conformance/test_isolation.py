"""What lies around, or is set for pytest elsewhere, does not choose among the cases; a case that gets lost is missed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.make import ABS, RELU, ROOT, accept, case, environment, failing, run_project, snapshot, write

DROP = "def pytest_collection_modifyitems(items):\n    del items[-1]\n"


@pytest.mark.parametrize("workers", [0, 2])
def test_pytest_options_in_the_environment_do_nothing(project: Path, workers: int) -> None:
    environ = {"PYTEST_ADDOPTS": "-x --deselect wpt_data/upstream/relu.json --snapshot-update"}
    assert "5 of 5 cases" in run_project(project, workers=workers, environ=environ).stdout


@pytest.mark.parametrize("workers", [0, 2])
def test_files_of_pytest_beside_the_cases_do_nothing(tmp_path: Path, workers: int) -> None:
    write(tmp_path / "mine/relu.json", case("a"), case("b"))
    for folder in (tmp_path, tmp_path / "mine"):
        (folder / "conftest.py").write_text(DROP)
        (folder / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    command = [sys.executable, "-m", "conformance", "run", f"--corpus={tmp_path / 'mine'}", f"-n{workers}"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    made = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "2 of 2 cases" in made.stdout
    assert sorted(path.name for path in tmp_path.rglob(".pytest_cache")) == []


@pytest.mark.parametrize("workers", [0, 2])
def test_a_case_that_gets_lost_fails_the_run(project: Path, workers: int) -> None:
    accept(project)
    (project / "drop.py").write_text(DROP)
    report = project / "report.json"
    made = run_project(project, f"--report={report}", workers=workers, plugins=["drop"])
    assert made.returncode == 1
    assert "4 of 5 cases" in made.stdout
    assert "NOT RUN relu: c" in made.stdout
    document = json.loads(report.read_text())
    assert document["summary"] == {
        "cases": 5, "PASS": 3, "FAIL": 1, "UNSUPPORTED": 0, "CRASH": 0, "TIMEOUT": 0, "SKIP": 1
    }  # fmt: skip
    assert document["cases"][-1]["message"].startswith("did not run")


def test_a_plugin_that_cannot_be_imported_removes_no_entry(project: Path) -> None:
    accept(project)
    made = run_project(project, "--update-snapshots", plugins=["no_such_plugin"])
    assert made.returncode != 0
    assert (snapshot(project, "abs"), snapshot(project, "relu")) == (ABS, RELU)


def test_a_target_that_is_not_there_removes_no_entry(project: Path) -> None:
    accept(project)
    (project / "snapshots/cpu").rename(project / "snapshots/trtx")
    made = run_project(project, "--target=trtx", "--update-snapshots")
    assert made.returncode == 3
    assert "target trtx is not available" in made.stderr
    (project / "snapshots/trtx").rename(project / "snapshots/cpu")
    assert (snapshot(project, "abs"), snapshot(project, "relu")) == (ABS, RELU)


@pytest.mark.parametrize("workers", [0, 2])
def test_pytest_takes_a_case_file(project: Path, workers: int) -> None:
    """Under the repository's own pytest settings, and with syrupy's own session there, told to delete what is unused."""
    accept(project)
    (project / "pytest.ini").write_text("[pytest]\naddopts = -ra --strict-markers --strict-config\n")
    command = [sys.executable, "-m", "pytest", "-p", "conformance.plugin", f"--wpt-root={project}", f"-n{workers}"]
    environ = {**os.environ, **environment(project), "PYTHONSAFEPATH": ""}

    def made(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *arguments], cwd=project, env=environ, capture_output=True, text=True, check=False
        )

    done = made("--snapshot-update", "wpt_data/upstream/relu.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cpu: 3 of 3 cases" in done.stdout
    assert "cpu: 1 of 1 cases" in made("wpt_data/upstream/relu.json::b").stdout
    assert "cpu: 5 of 5 cases" in made("wpt_data/upstream", "--wpt-target=cpu").stdout
    part = made("wpt_data/upstream/relu.json", "-k", "b")
    assert (part.returncode, "cpu: 1 of 3 cases" in part.stdout) == (0, True)
    assert (snapshot(project, "abs"), snapshot(project, "relu")) == (ABS, RELU)


def test_node_ids_are_paths_and_names_in_the_order_of_the_files(project: Path) -> None:
    made = run_project(project, "--", "--collect-only")
    assert [line for line in made.stdout.splitlines() if "::" in line] == [
        "wpt_data/upstream/abs.json::a",
        "wpt_data/upstream/abs.json::wrong",
        *(f"wpt_data/upstream/relu.json::{name}" for name in "abc"),
    ]


def test_names_of_any_kind(project: Path) -> None:
    names = ["a::b", "[x] / y", "tab\tand\nline", "naïve ∞", "x" * 300, "lone \ud800"]
    write(project / "wpt_data/upstream/relu.json", *(case(name) for name in names))
    made = run_project(project, "--op=relu", "--update-snapshots", workers=2)
    assert made.returncode == 0, made.stdout
    assert run_project(project, "--op=relu").returncode == 0
    text = (project / "snapshots/cpu/relu.json").read_text(encoding="utf-8")
    assert json.loads(text) == dict.fromkeys(names, "PASS")
    assert text.count("\n") == len(names) + 2
    assert '"naïve ∞": "PASS"' in text
    write(project / "wpt_data/upstream/relu.json", *(failing(name) for name in names))
    report = project / "report.json"
    environ = {"PYTHONIOENCODING": "ascii"}
    made = run_project(project, "--op=relu", f"--report={report}", workers=2, environ=environ)
    assert made.returncode == 1
    assert "6 of 6 cases" in made.stdout
    assert "LOST relu: lone \\ud800: FAIL(MISMATCH) (was PASS)" in made.stdout
    assert [row["name"] for row in json.loads(report.read_text())["cases"]] == names


def test_the_corpus_of_the_project_is_the_same_by_its_name(project: Path) -> None:
    made = run_project(project, f"--corpus={project / 'wpt_data/upstream'}", "--update-snapshots")
    assert made.returncode == 0
    assert snapshot(project, "abs") == ABS
    assert run_project(project, f"--corpus={project / 'wpt_data/upstream'}").returncode == 0


def test_cases_of_another_folder_have_no_snapshots(project: Path) -> None:
    accept(project)
    write(project / "mine/abs.json", case("wrong"))  # the name of a case whose snapshot says FAIL
    mine = f"--corpus={project / 'mine'}"
    assert run_project(project, mine).returncode == 0
    assert run_project(project, mine, "--update-snapshots").returncode == 2
    assert snapshot(project, "abs") == ABS


@pytest.mark.parametrize("folder", ["build/fuzz", "dist", "venv", ".hidden"])
def test_a_corpus_may_lie_in_a_folder_of_any_name(project: Path, folder: str) -> None:
    write(project / folder / "abs.json", case("a"), case("b"))
    made = run_project(project, f"--corpus={project / folder}")
    assert (made.returncode, "2 of 2 cases" in made.stdout) == (0, True), made.stdout


def test_the_house_cases_run_without_a_corpus(project: Path) -> None:
    write(project / "wpt_data/house/relu.json", case("house: a"))
    run_project(project, "--update-snapshots")
    (project / "wpt_data/upstream").rename(project / "elsewhere")
    write(project / "wpt_data/house/relu.json", case("house: b"))
    made = run_project(project)
    assert made.returncode == 0, made.stdout
    assert "no corpus in wpt_data/upstream: only the house cases run" in made.stdout
    assert "STALE relu: 1 entries without a case, 'house: a' first" in made.stdout  # upstream's are not
    assert "STALE abs" not in made.stdout
    assert run_project(project, environ={"WPT_DATA": str(project / "nowhere")}).returncode == 2
    named = run_project(project, f"--corpus={project / 'elsewhere'}", environ={"WPT_DATA": str(project / "nowhere")})
    assert "5 of 5 cases" in named.stdout
