"""A case that ends its process, or does not end: it is named, the others run, nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conformance.make import (
    ABS,
    RELU,
    ROOT,
    accept,
    case,
    environment,
    failing,
    misbehaving,
    run_project,
    snapshot,
    special,
    write,
)  # fmt: skip

ABORT = "os.abort()"
SEGFAULT = "__import__('ctypes').string_at(8)"


def rows(path: Path) -> dict[str, str]:
    document = json.loads(path.read_text())
    counted = {status: count for status, count in document["summary"].items() if status != "cases"}
    assert sum(counted.values()) == document["summary"]["cases"] == len(document["cases"])
    return {row["name"]: row["status"] for row in document["cases"]}


def test_many_crashes_cost_one_case_each(project: Path) -> None:
    """More of them than xdist restarts workers by default, in one file, which makes its other schedulers repeat a case
    or hang."""
    names = [f"case {index:02}" for index in range(30)]
    cases = [special(name) if index % 3 == 0 else case(name) for index, name in enumerate(names)]
    write(project / "wpt_data/upstream/relu.json", *cases)
    report = project / "report.json"
    plugins = [misbehaving(project, ABORT)]
    made = run_project(project, "--no-snapshots", f"--report={report}", workers=2, plugins=plugins)
    assert made.returncode == 1
    found = rows(report)
    assert [name for name, status in found.items() if status == "CRASH"] == names[::3]
    assert sum(status == "PASS" for status in found.values()) == 21
    assert "CRASH relu: case 00" in made.stdout
    assert "21 PASS, 1 FAIL, 10 CRASH" in made.stdout


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (ABORT, "relu: b / cpu: CRASH: Aborted, in run (misbehaving.py:8)"),
        (SEGFAULT, "relu: b / cpu: CRASH: Segmentation fault, in string_at (__init__.py:"),
        ("os._exit(0)", "relu: b / cpu: CRASH: the process ended, without a signal that it could report"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "relu: b / cpu: CRASH: the process ended, without a signal"),
    ],
    ids=["abort", "segmentation fault", "exit", "kill"],
)
def test_without_workers_a_crash_is_seen_and_the_run_repeated(project: Path, action: str, words: str) -> None:
    write(project / "wpt_data/upstream/relu.json", case("a"), special("b"), case("c"))
    report = project / "report.json"
    made = run_project(project, "--op=relu", f"--report={report}", plugins=[misbehaving(project, action)])
    assert made.returncode == 1
    assert rows(report) == {"a": "PASS", "b": "CRASH", "c": "PASS"}
    assert words in made.stdout
    assert "repeat: make test-wpt-op OP=relu CASE=b WPT_BACKEND=cpu" in made.stdout
    assert "Extension modules" not in made.stdout + made.stderr  # the stack is summed up in the message


@pytest.mark.parametrize("workers", [0, 1])
def test_a_hang_ends_as_timeout(project: Path, workers: int) -> None:
    write(project / "wpt_data/upstream/relu.json", case("a"), special("b"), case("c"))
    report = project / "report.json"
    plugins = [misbehaving(project, "time.sleep(60)")]
    made = run_project(
        project, "--op=relu", "--timeout=0.5", f"--report={report}", workers=workers, plugins=plugins
    )  # fmt: skip
    assert made.returncode == 1
    assert rows(report) == {"a": "PASS", "b": "TIMEOUT", "c": "PASS"}
    assert "TIMEOUT: no end after 0:00:00.500000, in run (misbehaving.py:8)" in made.stdout
    assert "TIMEOUT relu: b" in made.stdout


def test_an_update_that_saw_a_crash_keeps_the_rest_and_fails(project: Path) -> None:
    accept(project)
    write(project / "wpt_data/upstream/relu.json", case("a"), special("b"), failing("c"))
    made = run_project(project, "--update-snapshots", workers=2, plugins=[misbehaving(project, ABORT)])
    assert made.returncode == 1
    assert snapshot(project, "relu") == {"a": "PASS", "b": "PASS", "c": "FAIL(MISMATCH)"}
    assert "CRASH relu: b" in made.stdout
    assert "kept their old snapshot: relu: b" in made.stdout
    assert "the update is not complete: repeat it" in made.stdout


def test_a_crash_is_not_accepted(project: Path) -> None:
    write(project / "wpt_data/upstream/relu.json", case("a"), special("b"))
    plugins = [misbehaving(project, ABORT)]
    assert run_project(project, "--update-snapshots", workers=1, plugins=plugins).returncode == 1
    assert snapshot(project, "relu") == {"a": "PASS"}
    assert run_project(project, workers=1, plugins=plugins).returncode == 1


@pytest.mark.parametrize("workers", [0, 2])
def test_an_update_that_is_interrupted_removes_no_entry(project: Path, workers: int) -> None:
    accept(project)
    write(project / "wpt_data/upstream/relu.json", failing("a"), special("b"), case("c"))
    interrupt = f"os.kill(os.get{'p' if workers else ''}pid(), signal.SIGINT); time.sleep(0.5)"
    report = project / "report.json"
    made = run_project(
        project, "--update-snapshots", f"--report={report}", workers=workers, plugins=[misbehaving(project, interrupt)]
    )
    assert made.returncode == 1
    assert snapshot(project, "abs") == ABS
    assert snapshot(project, "relu").keys() == RELU.keys()
    assert len(rows(report)) == 4  # names; "a" is in both files
    assert "kept their old snapshot: relu: " in made.stdout


@pytest.mark.parametrize("options", [["--no-snapshots"], ["--update-snapshots"]])
def test_workers_that_end_at_once_end_the_run(project: Path, options: list[str]) -> None:
    accept(project)
    body = "import os\ndef pytest_configure(config):\n    if hasattr(config, 'workerinput'):\n        os.abort()\n"
    (project / "stillborn.py").write_text(body)
    made = run_project(project, *options, workers=2, plugins=["stillborn"])
    assert made.returncode == 1
    assert "worker processes end before they have a case" in made.stdout
    assert (snapshot(project, "abs"), snapshot(project, "relu")) == (ABS, RELU)


def test_who_ends_the_run_ends_its_child(project: Path) -> None:
    write(project / "wpt_data/upstream/relu.json", special("a"))
    action = f"open({str(project / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    environ = {**os.environ, **environment(project, [misbehaving(project, action)])}
    command = [sys.executable, "-m", "conformance", "run", f"--root={project}", "--op=relu"]
    process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + 60
    while not (project / "pid").is_file() or not (project / "pid").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=10)
    assert process.returncode == 1
    assert b"once more" not in output
    with pytest.raises(ProcessLookupError):
        os.kill(int((project / "pid").read_text()), 0)
