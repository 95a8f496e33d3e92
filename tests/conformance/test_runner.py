"""One case on one target: every way in which it can end."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.cases import BrokenCase, Case
from conformance.runner import Cause, Outcome, Status, repeat_line, run_case
from conformance.targets import TARGETS, Engine
from tests.conformance.make import case
from trtx_backend.dtypes import Array
from trtx_backend.errors import ArgumentError, EngineError, ExecutorError, NetworkError, UnsupportedError
from trtx_backend.graph import Graph
from trtx_backend.lowering import registry


class Fake:
    """A target that returns, or raises, what it is given."""

    name, device = "fake", "none"

    def __init__(self, result: Any) -> None:
        self.result = result

    def unavailable(self) -> None:
        return None

    def versions(self) -> dict[str, str]:
        return {}

    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None:
        if isinstance(self.result, Exception):
            raise self.result
        return self.result  # type: ignore[no-any-return]


def make(name: str = "a 'quoted' name", **changes: Any) -> Case:
    made = case(name, **changes)
    return Case("relu", Path("upstream/relu.json"), 0, name, made["graph"], made["tolerance"])


Y = np.array([1, 0], np.float32)


@pytest.mark.parametrize(
    ("result", "line", "message"),
    [
        ({"y": Y}, "PASS", ""),
        (None, "PASS", ""),
        ({"y": Y + 1}, "FAIL(MISMATCH)", "2 of 2 elements outside ULP <= 0"),
        ({"y": Y[None]}, "FAIL(SHAPE)", "the shape is [1, 2], expected [2]"),
        ({}, "FAIL(MISMATCH)", 'output "y" was not computed; outputs: none'),
        ("no arrays", "FAIL(RUN)", "AttributeError: 'str' object has no attribute 'get'\n  at conformance/compare.py:"),
        ({"y": Y.astype(np.float64)}, "FAIL(DTYPE)", "the array type is float64, expected float32"),
        (UnsupportedError("no lowering for relu"), "UNSUPPORTED(no lowering for relu)", "no lowering for relu"),
        (NetworkError("refused"), "FAIL(NETWORK)", "refused"),
        (EngineError("cannot"), "FAIL(ENGINE)", "cannot"),
        (ExecutorError("does not"), "FAIL(RUN)", "does not"),
        (ZeroDivisionError("oops"), "FAIL(RUN)", "ZeroDivisionError: oops\n  at tests/conformance/test_runner.py:"),
    ],
)
def test_outcomes(result: Any, line: str, message: str) -> None:
    outcome = run_case(make(), Fake(result))
    assert outcome.line == line
    assert message in outcome.message
    assert outcome.ms > 0
    if line.startswith("FAIL"):
        assert outcome.message.startswith("relu: a 'quoted' name / fake: ")
        assert len(outcome.message.splitlines()) == 2 or "outside" in message or "  at " in message
        repeat = "repeat: make test-wpt-op OP=relu CASE='a '\"'\"'quoted'\"'\"' name' WPT_BACKEND=fake"
        assert outcome.message.endswith(repeat)


def test_numbers_of_a_case_that_no_float_holds_hurt_this_case_only() -> None:
    for key in ("inputs", "expectedOutputs"):
        name = "x" if key == "inputs" else "y"
        resource: Any = {"data": [10**400, 1], "descriptor": {"shape": [2], "dataType": "float32"}}
        outcome = run_case(make("one", **{key: {name: resource}}), Fake({"y": Y}))
        assert outcome.line == "FAIL(RUN)"
        assert "must be a number that float64 holds" in outcome.message


@pytest.mark.parametrize(
    ("error", "line", "message"),
    [
        (UnsupportedError("not here"), "UNSUPPORTED(not here)", "not here"),
        (ArgumentError("input", 3, "must be four"), "FAIL(GRAPH)", "GRAPH: input is 3: must be four\n"),
        (KeyError("axes"), "FAIL(GRAPH)", "GRAPH\nKeyError: 'axes'\n  at tests/conformance/test_runner.py:"),
        (OverflowError("large"), "FAIL(GRAPH)", "GRAPH\nOverflowError: large\n  at tests/conformance/test_runner.py:"),
    ],
)
def test_whatever_the_builder_raises_is_an_outcome(
    monkeypatch: pytest.MonkeyPatch, error: Exception, line: str, message: str
) -> None:
    def failing(*_: Any) -> Any:
        raise error

    monkeypatch.setattr("conformance.runner.replay", failing)
    outcome = run_case(make(), Fake(AssertionError("the target must not run")))
    assert outcome.line == line
    assert message in outcome.message


def test_the_repeating_line_gets_through_the_shell_and_make(tmp_path: Path) -> None:
    name = "a $b `c` $(d) 'e' \"f\""
    outcome = run_case(make(name), Fake({}))
    command = outcome.message.splitlines()[-1].removeprefix("repeat: ")
    (tmp_path / "Makefile").write_text('export CASE\ntest-wpt-op:\n\t@printf "%s" "$$CASE"\n')
    made = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert made.stdout == name


@pytest.mark.parametrize("action", [SystemExit(3), ZeroDivisionError("oops")])
def test_an_exception_is_of_the_step_in_which_it_was_raised(
    monkeypatch: pytest.MonkeyPatch, action: BaseException
) -> None:
    def broken(w: object, input: object) -> None:
        raise action

    monkeypatch.setitem(registry._ENTRIES, "relu", replace(registry.entry("relu"), function=broken))
    outcome = run_case(make("one"), TARGETS["cpu"]())
    assert outcome.line == "FAIL(NETWORK)"
    lines = outcome.message.splitlines()
    assert lines[1] == f"{type(action).__name__}: {action}"
    assert re.match(r"  at trtx_backend/lowering/lower\.py:\d+ in lower", lines[-4])
    assert re.match(r"  at tests/conformance/test_runner\.py:\d+ in broken", lines[-2])
    assert lines[-1].startswith("repeat: ")


@pytest.mark.parametrize("file", ["relu", "-x", "a b", "it's", "$(no)"])
@pytest.mark.parametrize(
    ("name", "typed"), [("--op", "--op"), ("one\ntwo and three", "two and three"), ("\ud800é\x7f", "é")]
)
@pytest.mark.parametrize("own", [True, False])
def test_the_repeating_line_names_the_case_whatever_it_is_called(
    tmp_path: Path, file: str, name: str, typed: str, own: bool
) -> None:
    folder = tmp_path / ("my own" if own else "house")
    line = repeat_line(Case(file, folder / f"{file}.json", 0, name, {}, None), "engine", "--sm SM86")
    assert line.isprintable()
    (tmp_path / "Makefile").write_text(
        'export OP CASE ARGS\ntest-wpt-op:\n\t@printf \'%s|\' "$$OP" "$$CASE" "$$ARGS"\n'
    )
    (tmp_path / "python").write_text("#!/bin/sh\nshift 2; printf '%s|' \"$@\"\n")
    (tmp_path / "python").chmod(0o755)
    environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = ["bash", "-c", line.removeprefix("repeat: ")]
    given = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=True).stdout
    if own:
        assert given.split("|") == [
            "run", "--corpus", str(folder), "--target", "engine", "--sm", "SM86", f"--op={file}", f"--case={typed}", ""
        ]  # fmt: skip
    else:
        assert given.split("|") == [file, typed, "--sm SM86", ""]


def test_a_run_of_one_generation_is_repeated_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    target = Engine("SM86")
    monkeypatch.setattr(target, "run", Fake(EngineError("no")).run)
    assert run_case(make(), target).message.endswith("WPT_BACKEND=engine ARGS='--sm SM86'")


def test_numbers_are_recorded() -> None:
    outcome = run_case(make(), Fake({"y": np.array([1 + 2**-23, 0], np.float32)}))
    assert (outcome.metric, outcome.allowed, outcome.worst) == ("ULP", 0, 1)


@pytest.mark.parametrize(
    ("changes", "line", "message"),
    [
        ({"operators": [{"name": "reluu", "arguments": [], "outputs": "y"}]}, "FAIL(GRAPH)", "WebNN has no operator"),
        ({"expectedOutputs": {"y": {"data": 0, "descriptor": {"shape": [1], "dataType": "float32"}}}}, "FAIL(SHAPE)",
         'output "y" is [2], expected [1]'),
        ({"expectedOutputs": {"y": {"data": 0, "descriptor": {"shape": [2], "dataType": "int8"}}}}, "FAIL(DTYPE)",
         'output "y" is float32, expected int8'),
    ],
)  # fmt: skip
def test_a_wrong_graph_reaches_no_target(changes: Any, line: str, message: str) -> None:
    outcome = run_case(make(**changes), Fake(AssertionError("the target must not run")))
    assert outcome.line == line
    assert message in outcome.message


def test_a_broken_case_fails_with_its_message() -> None:
    outcome = run_case(BrokenCase("relu", Path("relu.json"), 0, "x", "relu.json: it is broken"), Fake(None))
    assert outcome.line == "FAIL(GRAPH)"
    assert "relu.json: it is broken" in outcome.message


@pytest.mark.parametrize("target", ["cpu", "engine"])
def test_the_real_targets(target: str) -> None:
    assert TARGETS[target]().unavailable() is None
    assert run_case(make(), TARGETS[target]()).line == "PASS"


def test_snapshot_lines_have_no_numbers() -> None:
    outcome = Outcome(Status.FAIL, Cause.MISMATCH, "worst 3", "ULP", 0, 3.0, 12.5)
    assert outcome.line == "FAIL(MISMATCH)"
    assert Outcome(Status.CRASH).line == "CRASH"
