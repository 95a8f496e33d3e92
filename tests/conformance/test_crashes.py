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
HANG = "time.sleep(60)"
HOG = "hoard = [__import__('numpy').zeros(1 << 23) for _ in range(1 << 10)]"
NATIVE_HOG = "__import__('ctypes').memset(__import__('ctypes').CDLL(None).malloc(1 << 29), 1, 1)"
LOST = "raise targets.ContextLost('an illegal memory access')"


def rows(path: Path) -> dict[str, str]:
    document = json.loads(path.read_text())
    counted = {status: count for status, count in document["summary"].items() if status != "cases"}
    assert sum(counted.values()) == document["summary"]["cases"] == len(document["cases"])
    return {row["name"]: row["status"] for row in document["cases"]}


def test_many_crashes_cost_one_case_each(project: Path) -> None:
    """More of them than xdist restarts workers by default, in a row and in one file, which makes its other schedulers
    repeat a case or hang; then hangs and hogs among cases that pass."""
    kinds = [*[13] * 20, 1, 14, 15, 1, 15, 14, 1]
    names = [f"case {index:02}" for index in range(len(kinds))]
    write(project / "wpt_data/upstream/relu.json", *(special(*both) for both in zip(names, kinds, strict=True)))
    passing = {"y": {"data": [1, 0], "descriptor": {"shape": [2], "dataType": "float32"}}}
    write(project / "wpt_data/upstream/abs.json", case("a", expectedOutputs=passing))
    report = project / "report.json"
    plugins = [misbehaving(project, ABORT, HANG, HOG)]
    options = ["--no-snapshots", "--timeout=2", "--memory-limit=300M", f"--report={report}"]
    made = run_project(project, *options, workers=2, plugins=plugins)
    assert made.returncode == 1
    found = rows(report)
    wanted = {13: "CRASH", 14: "TIMEOUT", 15: "CRASH", 1: "PASS"}
    assert found == {"a": "PASS", **{name: wanted[kind] for name, kind in zip(names, kinds, strict=True)}}
    assert made.stdout.count("\n  CRASH relu: case ") == 20  # and two more
    assert "4 PASS, 22 CRASH, 2 TIMEOUT" in made.stdout


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (HOG, "relu: b / cpu: CRASH: out of memory: Unable to allocate 64.0 MiB for an array"),
        (NATIVE_HOG, "relu: b / cpu: CRASH: Segmentation fault, in run (misbehaving.py:8)"),
    ],
    ids=["Python", "native"],
)
def test_a_case_that_eats_memory_costs_itself_only(project: Path, action: str, words: str) -> None:
    write(project / "wpt_data/upstream/relu.json", special("a", 14), special("b"), case("c"))
    accept(project)
    report = project / "report.json"
    options = ["--op=relu", "--memory-limit=300M", "--update-snapshots", f"--report={report}"]
    within = HOG.replace("1 << 10", "4")  # 256 MiB, besides what the process has
    made = run_project(project, *options, workers=1, plugins=[misbehaving(project, action, within)])
    assert made.returncode == 1
    assert rows(report) == {"a": "FAIL", "b": "CRASH", "c": "PASS"}
    assert words in made.stdout
    assert ("; a case may take 300 MiB (--memory-limit)" in made.stdout) == (action == HOG)
    assert snapshot(project, "relu") == {**RELU, "a": "FAIL(MISMATCH)"}
    assert "kept their old snapshot: relu: b" in made.stdout


def test_the_end_of_stderr_is_in_the_message(project: Path) -> None:
    """What Python wrote, and what a library did; that of a case which goes well does not get into the next one's."""
    speak = "os.write(2, b'from \\xff the library\\n'); __import__('sys').stderr.write('from Python\\n'); "
    before = "__import__('sys').stderr.write('long ago\\n' * 40)"
    write(project / "wpt_data/upstream/relu.json", special("a", 14), special("b"), special("c", 15))
    plugins = [misbehaving(project, speak + ABORT, before, before + "; " + HANG)]
    report = project / "report.json"
    made = run_project(project, "--op=relu", "--timeout=2", f"--report={report}", workers=1, plugins=plugins)
    assert rows(report) == {"a": "FAIL", "b": "CRASH", "c": "TIMEOUT"}
    messages = {row["name"]: row["message"] for row in json.loads(report.read_text())["cases"]}
    lines = messages["b"].splitlines()
    assert lines[1:4] == [
        "stderr ends:",
        "  from \N{REPLACEMENT CHARACTER} the library",
        "  from Python",
    ]
    assert lines[4].startswith("repeat: ")
    assert messages["c"].count("  long ago") == 8
    assert "\nstderr ends:\n  from " in made.stdout


@pytest.mark.parametrize("workers", [0, 1])
def test_a_lost_device_costs_one_case_and_a_new_process_goes_on(project: Path, workers: int) -> None:
    """The process that lost it would fail every case after it."""
    names = ["a", "b", "c", "d", "e"]
    cases = [special(name, {"b": 13, "d": 13}.get(name, 1)) for name in names]
    write(project / "wpt_data/upstream/relu.json", *cases)
    sticky = f"targets.lost = True; {LOST}"
    plugin = misbehaving(project, sticky)
    path = project / f"{plugin}.py"
    path.write_text(
        path.read_text().replace("inputs):\n", "inputs):\n        assert not hasattr(targets, 'lost')\n", 1)
    )
    report = project / "report.json"
    options = ["--op=relu", "--no-snapshots", f"--report={report}"]
    made = run_project(project, *options, workers=workers, plugins=[plugin])
    assert made.returncode == 1
    assert rows(report) == {"a": "PASS", "b": "CRASH", "c": "PASS", "d": "CRASH", "e": "PASS"}
    words = "relu: b / cpu: CRASH: the device's context is lost: an illegal memory access\nrepeat: "
    assert words in made.stdout
    assert json.loads(report.read_text())["cases"][1]["message"].startswith(words)
    assert "3 PASS, 2 CRASH" in made.stdout
    assert "2 failed, 3 passed" in made.stdout


def test_a_process_that_ends_behind_a_case_is_that_cases_fault(project: Path) -> None:
    """As when a destructor crashes: the next case, which had not begun, still runs, and the one before it is a crash."""
    write(project / "wpt_data/upstream/relu.json", *(special(name, 13 if name == "b" else 1) for name in "abcd"))
    plugin = misbehaving(project, "targets.bad = True")
    (project / "behind.py").write_text(
        "import os\nfrom conformance import targets\n"
        "def pytest_runtest_protocol(item):\n    if hasattr(targets, 'bad'):\n        os.abort()\n"
    )
    report = project / "report.json"
    options = ["--op=relu", "--no-snapshots", f"--report={report}"]
    made = run_project(project, *options, workers=1, plugins=[plugin, "behind"])
    assert made.returncode == 1
    assert rows(report) == {"a": "PASS", "b": "CRASH", "c": "PASS", "d": "PASS"}
    assert "relu: b / cpu: CRASH: after its end: Aborted, in pytest_runtest_protocol (behind.py:5)" in made.stdout


def test_a_process_that_ends_ahead_of_every_case_does_not_go_on_for_ever(project: Path) -> None:
    write(project / "wpt_data/upstream/relu.json", *(special(name, 1) for name in "abcd"))
    (project / "ahead.py").write_text(
        "import os\ndef pytest_runtest_protocol(item):\n    if item.name == 'c':\n        os.abort()\n"
    )
    report = project / "report.json"
    options = ["--op=relu", "--no-snapshots", f"--report={report}"]
    made = run_project(project, *options, workers=1, plugins=[misbehaving(project, "pass"), "ahead"])
    assert made.returncode == 1
    found = rows(report)
    assert (found["a"], found["c"], found["d"]) == ("PASS", "CRASH", "PASS")


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (ABORT, "relu: b / cpu: CRASH: Aborted, in run (misbehaving.py:8)"),
        (SEGFAULT, "relu: b / cpu: CRASH: Segmentation fault, in string_at (__init__.py:"),
        ("os._exit(0)", "relu: b / cpu: CRASH: the process ended with exit status 0"),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            "relu: b / cpu: CRASH: SIGKILL: someone ended the process (the system, if memory was short)",
        ),
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
        project, "--op=relu", "--timeout=2", f"--report={report}", workers=workers, plugins=plugins
    )  # fmt: skip
    assert made.returncode == 1
    assert rows(report) == {"a": "PASS", "b": "TIMEOUT", "c": "PASS"}
    assert "TIMEOUT: no end after 2 s, in run (misbehaving.py:8)" in made.stdout
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
