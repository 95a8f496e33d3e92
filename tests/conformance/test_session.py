"""Whole runs, in processes of their own: snapshots, reports, usage."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.make import ABS, RELU, ROOT, accept, case, failing, run, run_project, snapshot, write


@pytest.mark.parametrize("workers", [0, 2])
def test_update_then_check(project: Path, workers: int) -> None:
    made = run_project(project, "--update-snapshots", workers=workers)
    assert made.returncode == 0, made.stdout
    assert (snapshot(project, "abs"), snapshot(project, "relu")) == (ABS, RELU)
    text = (project / "snapshots/cpu/abs.json").read_text()
    assert text == '{\n  "a": "PASS",\n  "wrong": "FAIL(MISMATCH)"\n}\n'
    checked = run_project(project, workers=workers)
    assert checked.returncode == 0, checked.stdout  # a failure that is expected is no failure
    assert "4 PASS, 1 FAIL" in checked.stdout


def test_an_update_keeps_the_reason_of_an_accepted_failure(project: Path) -> None:
    accept(project)
    path = project / "snapshots/cpu/abs.json"
    reasoned = path.read_text().replace("FAIL(MISMATCH)", "FAIL(MISMATCH) # wrong upstream")
    path.write_text(reasoned)
    assert run_project(project).returncode == 0
    run_project(project, "--update-snapshots")
    assert path.read_text() == reasoned
    write(project / "wpt_data/upstream/abs.json", case("a"), case("wrong"))
    run_project(project, "--update-snapshots")
    assert snapshot(project, "abs") == {"a": "PASS", "wrong": "PASS"}


def test_strict_both_ways(project: Path) -> None:
    accept(project)
    write(project / "wpt_data/upstream/abs.json", failing("a"), case("wrong"))
    checked = run_project(project)
    assert checked.returncode == 1
    assert "LOST abs: a: FAIL(MISMATCH) (was PASS)" in checked.stdout
    assert "FIXED abs: wrong: PASS (was FAIL(MISMATCH))" in checked.stdout
    assert "unexpected PASS: the snapshot says FAIL(MISMATCH)" in checked.stdout
    assert "accept: make wpt-sync-cpu OP=abs" in checked.stdout
    assert snapshot(project, "abs") == ABS


def test_a_failure_of_another_cause_fails(project: Path) -> None:
    accept(project)
    shaped = {"y": {"data": 0, "descriptor": {"shape": [3], "dataType": "float32"}}}
    write(project / "wpt_data/upstream/abs.json", case("a"), case("wrong", expectedOutputs=shaped))
    checked = run_project(project)
    assert checked.returncode == 1
    assert "CHANGED abs: wrong: FAIL(SHAPE) (was FAIL(MISMATCH))" in checked.stdout


def test_new_cases_are_shown_and_do_not_fail(project: Path) -> None:
    accept(project)
    write(project / "wpt_data/upstream/relu.json", case("a"), case("b"), case("c"), failing("d"))
    checked = run_project(project)
    assert checked.returncode == 0
    assert "NEW relu: d: FAIL(MISMATCH)" in checked.stdout


def test_stale_entries_are_shown_kept_and_not_failed(project: Path) -> None:
    accept(project)
    write(project / "wpt_data/upstream/relu.json", case("a"))
    (project / "wpt_data/upstream/abs.json").unlink()
    checked = run_project(project)
    assert checked.returncode == 0
    assert "STALE relu: 2 entries without a case, 'b' first" in checked.stdout
    assert "STALE abs: 2 entries" in checked.stdout
    run_project(project, "--update-snapshots")
    assert (snapshot(project, "abs"), snapshot(project, "relu")) == (ABS, RELU)


@pytest.mark.parametrize(
    "options",
    [
        [], ["--case=a"], ["--op=relu"], ["--", "-x"], ["--", "--maxfail=1"], ["--", "-k", "no such"],
        ["--", "-k", "axis=3]"], ["--", "--deselect=wpt_data/upstream/relu.json"], ["--", "--no-such-option"],
        ["--", "--lf"],
    ],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize("workers", [0, 2])
def test_no_kind_of_partial_update_removes_an_entry(project: Path, options: list[str], workers: int) -> None:
    accept(project)
    write(project / "wpt_data/upstream/relu.json", failing("a"), case("b"), case("c"))  # so that something is written
    run_project(project, "--update-snapshots", *options, workers=workers)
    after = snapshot(project, "relu")
    assert after.pop("a") in ("PASS", "FAIL(MISMATCH)")
    assert (snapshot(project, "abs"), after) == (ABS, {"b": "PASS", "c": "PASS"})


def test_a_file_that_cannot_be_read_removes_no_entry(project: Path) -> None:
    accept(project)
    (project / "wpt_data/upstream/abs.json").write_text("{")
    made = run_project(project, "--update-snapshots")
    assert snapshot(project, "abs") == ABS
    assert made.returncode == 1
    assert "abs.json: not JSON" in made.stdout
    assert "STALE" not in run_project(project).stdout  # who knows which cases are in it


def test_a_case_that_cannot_be_read_fails_in_every_mode(project: Path) -> None:
    write(project / "wpt_data/upstream/relu.json", case("a"), {"name": "broken"}, case("c"))
    for mode in ([], ["--no-snapshots"], ["--update-snapshots"]):
        made = run_project(project, "--op=relu", *mode)
        assert made.returncode == 1
        assert "2 PASS, 1 FAIL" in made.stdout
        assert "\nrelu.json: relu: case 1 'broken': a case must have an object \"graph\"\n" in made.stdout
    assert snapshot(project, "relu") == {"a": "PASS", "c": "PASS"}


def test_a_failure_shows_its_message_and_no_more(project: Path) -> None:
    made = run_project(project, "--no-snapshots")
    assert "abs: wrong / cpu: MISMATCH\n1 of 2 elements outside ULP <= 0" in made.stdout
    assert "Traceback" not in made.stdout
    assert ".py" not in made.stdout


def test_progress_of_many_cases_is_one_line(project: Path) -> None:
    write(project / "wpt_data/upstream/relu.json", *(case(f"{index:03}") for index in range(120)))
    made = run_project(project, "--op=relu", workers=2)
    assert "\n10% 20% 30% 40% 50% 60% 70% 80% 90% 100%\n" in made.stdout
    assert "bringing up" not in made.stdout


def test_a_damaged_snapshot_file_is_named_and_left_alone(project: Path) -> None:
    accept(project)
    path = project / "snapshots/cpu/relu.json"
    path.write_text("<<<<<<< ours\n")
    for mode in ([], ["--update-snapshots"]):
        made = run_project(project, *mode)
        assert made.returncode == 2
        assert "snapshot relu.json is not JSON (line 1): Expecting value" in made.stderr
        assert "Traceback" not in made.stdout + made.stderr
    assert path.read_text() == "<<<<<<< ours\n"


@pytest.mark.parametrize("workers", [0, 2])
def test_the_report(project: Path, workers: int) -> None:
    report = project / "deep" / "report.json"
    run_project(project, "--no-snapshots", f"--report={report}", workers=workers)
    document = json.loads(report.read_text())
    assert list(document) == [
        "schema", "target", "started", "seconds", "versions", "device", "corpus", "summary", "cases"
    ]  # fmt: skip
    assert (document["schema"], document["target"], document["corpus"]) == (1, "cpu", {"revision": "abc", "cases": 5})
    assert document["summary"]["PASS"] == 4
    assert [(row["file"], row["name"]) for row in document["cases"]] == [
        ("abs", "a"), ("abs", "wrong"), ("relu", "a"), ("relu", "b"), ("relu", "c")
    ]  # fmt: skip
    row = document["cases"][1]
    assert list(row) == [
        "file", "name", "ops", "dtypes", "required", "status", "cause", "message", "metric", "allowed", "worst", "ms"
    ]  # fmt: skip
    assert (row["ops"], row["dtypes"], row["required"]) == (["relu"], ["float32"], False)
    assert (row["status"], row["cause"], row["metric"], row["allowed"]) == ("FAIL", "MISMATCH", "ULP", 0)
    assert row["worst"] == 0x40400000  # 0 and 3
    assert "outside ULP <= 0" in row["message"]


def test_a_corpus_that_nobody_has_seen(tmp_path: Path) -> None:
    write(tmp_path / "mine/relu.json", case("good"), {"name": "broken"}, failing("wrong"))
    (tmp_path / "mine/other.json").write_text('{"tests": [')
    report = tmp_path / "report.json"
    made = run("--corpus", str(tmp_path / "mine"), "--no-snapshots", "--report", str(report))
    assert made.returncode == 1
    assert f"repeat: python -m conformance run --corpus {tmp_path / 'mine'} --target cpu --op=relu" in made.stdout
    rows = {(row["file"], row["name"]): row for row in json.loads(report.read_text())["cases"]}
    assert [row["status"] for row in rows.values()] == ["FAIL", "PASS", "FAIL", "FAIL"]
    assert "other.json: not JSON" in rows["other", "(the file)"]["message"]
    assert "case 1 'broken': a case must have an object \"graph\"" in rows["relu", "broken"]["message"]
    write(tmp_path / "mine/relu.json", case("good"))
    (tmp_path / "mine/other.json").unlink()
    assert run("--corpus", str(tmp_path / "mine")).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--op", "con"], 2, "there is no operator 'con'; near it: concat"),
        (["--op", "relu", "--case", "no such case"], 2, "has 'no such case' in its name"),
        (["--corpus", "nowhere"], 2, "there is no such directory"),
        (["--target", "quantum"], 2, "invalid choice: 'quantum'"),
        (["--target", "trtx"], 3, "target trtx is not available"),
        (
            ["--op", "relu", "--report", "/proc/nowhere/report.json"],
            2,
            "--report /proc/nowhere/report.json: cannot be written",
        ),
        (["--op", "relu", "--report", "."], 2, "--report .: is a folder"),
        (["-n", "two"], 2, "is not a whole number, 0 or more"),
        (["--shard", "4/3"], 2, "argument --shard: '4/3' is not a part, like 1/3, 2/3 or 3/3"),
        (["--memory-limit", "much"], 2, "'much' is not an amount of memory, like 800M or 2G"),
        (["--tx", "ssh=nowhere"], 2, "'ssh=nowhere' is not popen or popen//python=COMMAND"),
        (["--tx", "popen//python=/no/such -x"], 2, "there is no command '/no/such'"),
        (["--tx", "popen", "-n", "2"], 2, "not allowed with argument"),
        (["--timeout", "0"], 2, "is not a number of seconds"),
        (["--op", "relu", "--", "--no-such-option"], 2, "unrecognized arguments: --no-such-option"),
        (["--no-snapshots", "--update-snapshots"], 2, "not allowed with argument"),
    ],
)
def test_wrong_usage(arguments: list[str], status: int, message: str) -> None:
    made = run(*arguments)
    assert made.returncode == status
    assert message in made.stderr
    assert made.stdout == ""


def test_an_update_says_what_it_accepts(project: Path) -> None:
    accept(project)
    made = run_project(project, "--update-snapshots")
    assert "snapshots/cpu: as they were" in made.stdout
    write(project / "wpt_data/upstream/relu.json", failing("a"), case("b"), case("new"))
    made = run_project(project, "--update-snapshots")
    assert "accepted LOST relu: a: FAIL(MISMATCH) (was PASS)" in made.stdout
    assert "accepted NEW relu: new: PASS" in made.stdout
    assert "snapshots/cpu: 1 lost, 1 new; review with make snapshots-diff" in made.stdout


def test_snapshots_that_cannot_be_written_are_named(project: Path) -> None:
    (project / "full.py").write_text(
        "from conformance.snapshots import SnapshotStore\n"
        "def update(self, stem, lines): raise OSError(28, 'No space left on device')\n"
        "SnapshotStore.update = update\n"
    )
    made = run_project(project, "--update-snapshots", plugins=["full"])
    assert made.returncode == 1
    assert f"{project}/snapshots/cpu/relu.json: cannot be written: No space left on device" in made.stdout
    assert "snapshots/cpu: as they were" in made.stdout and "INTERNALERROR" not in made.stdout


def test_a_link_that_leads_nowhere_is_named(project: Path) -> None:
    (project / "wpt_data/upstream/gone.json").symlink_to("/nowhere")
    made = run_project(project)
    assert (made.returncode, made.stdout) == (2, "")
    assert "gone.json: is a link that leads nowhere" in made.stderr


def test_a_reader_that_has_seen_enough_is_no_crash(project: Path) -> None:
    command = f"set -o pipefail; {sys.executable} -m conformance run --root={project} -n0 --no-snapshots | head -1"
    made = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert "Traceback" not in made.stderr and "ended the process" not in made.stdout + made.stderr


@pytest.mark.parametrize("flavor", ["zzz", "enterprise"])
def test_a_flavor_that_cannot_be_had_is_said_in_one_line(flavor: str) -> None:
    made = subprocess.run(
        [sys.executable, "-m", "conformance", "run", "--op=relu"],
        cwd=ROOT, env={**os.environ, "TRTX_FLAVOR": flavor}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (made.returncode, made.stderr.count("\n")) == (3, 1)
    assert "target cpu is not available: " in made.stderr
