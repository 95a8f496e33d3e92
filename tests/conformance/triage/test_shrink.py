"""A failing case becomes a small one that fails in the same way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import UsageError, load
from conformance.oracle import Undefined
from conformance.runner import Cause, Outcome, Status
from conformance.triage.attempt import Attempts
from conformance.triage.shrink import Shrunk, shrink, way_of
from tests.conformance.make import ROOT
from tests.conformance.triage.cases import chain, expecting

BROKEN = "tests.conformance.triage.broken"


@pytest.fixture(autouse=True)
def _root_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def shrunk(target: str, case: Any = None, limit: int = 300, seconds: float = 60) -> Shrunk:
    with Attempts(f"{BROKEN}:{target}" if target != "cpu" else target, seconds) as attempts:
        return shrink(case or chain(), attempts, limit)


def test_a_wrong_number_is_left_with_the_operator_that_makes_it() -> None:
    made = shrunk("WrongSigmoid")
    assert made.way == "FAIL(MISMATCH)"
    assert made.finished
    graph = made.test["graph"]
    assert [call["name"] for call in graph["operators"]] == ["sigmoid"]
    (given,) = graph["inputs"].values()
    assert given["descriptor"]["shape"] == [1, 1, 1, 1]
    (expected,) = graph["expectedOutputs"].values()
    assert given["data"] == [0]
    assert expected["data"] == [0.5]  # where tanh is 0


def test_a_crash_is_left_with_both_operators_that_it_takes() -> None:
    """And not with the first operator, which makes another crash."""
    x = {"data": [1, 2], "descriptor": {"shape": [2], "dataType": "float32"}}
    names = ["x", "a", "b", "c", "d"]
    operators: list[dict[str, Any]] = [
        {"name": name, "arguments": [{"input": given}], "outputs": output}
        for name, given, output in zip(("tanh", "clamp", "relu", "sigmoid"), names, names[1:], strict=False)
    ]
    made = shrunk("CrashingPair", expecting("pair", {"inputs": {"x": x}, "operators": operators}, "d"))
    assert made.way.startswith("CRASH: Segmentation fault, in string_at (__init__.py:")
    graph = made.test["graph"]
    assert sorted(call["name"] for call in graph["operators"]) == ["clamp", "sigmoid"]
    assert not any("options" in argument for call in graph["operators"] for argument in call["arguments"])
    assert sum(len(r["data"]) for r in graph["inputs"].values()) == 1


def test_a_hang_can_be_shrunk() -> None:
    case = chain()
    graph = {**case.graph, "operators": case.graph["operators"][3:]}
    descriptor = case.graph["expectedOutputs"]["sum"]["descriptor"]
    graph["inputs"] = {**graph["inputs"], "sigmoided": {"data": 1, "descriptor": descriptor}}
    graph["expectedOutputs"] = {"y": case.graph["expectedOutputs"]["y"]}
    made = shrunk("HangingTanh", replace(case, graph=graph), limit=4, seconds=1)
    assert made.way == "TIMEOUT"
    assert not made.finished
    assert [call["name"] for call in made.test["graph"]["operators"]] == ["tanh"]


def test_a_case_that_passes_or_is_wrong_itself_cannot_be_shrunk() -> None:
    with pytest.raises(UsageError, match="made: chain: passes: there is nothing to shrink"):
        shrunk("cpu")
    case = chain()
    wrong = json.loads(json.dumps(case.graph))
    wrong["expectedOutputs"]["y"]["data"][0] = 9
    with pytest.raises(UsageError, match=r"by the data that it expects only: FAIL\(MISMATCH\); .* expects it is PASS"):
        shrunk("cpu", replace(case, graph=wrong))


def test_numbers_are_no_failure_where_nobody_knows_the_right_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    def undefined(_: object) -> None:
        raise Undefined("who knows")

    monkeypatch.setattr("conformance.triage.shrink.evaluate", undefined)
    with pytest.raises(UsageError, match=r"FAIL\(MISMATCH\); with what the oracle expects it is not defined"):
        shrunk("WrongSigmoid")


def test_a_refusal_is_shrunk_by_its_words() -> None:
    """Of two operators that the builder refuses, the smaller case keeps the one whose words they were."""
    graph = json.loads(json.dumps(chain().graph))
    graph["operators"][3]["arguments"][0] = {"a": "nothing"}
    graph["operators"].insert(0, {"name": "relu", "arguments": [{"input": "x"}], "outputs": "unused"})
    made = shrunk("cpu", replace(chain(), graph=graph))
    assert made.way == "FAIL(GRAPH): add: a is …: no input or earlier output has this name"
    assert [call["name"] for call in made.test["graph"]["operators"]] == ["add"]


@pytest.mark.parametrize(
    ("outcome", "way"),
    [
        (Outcome(Status.FAIL, Cause.MISMATCH, "a: b / cpu: MISMATCH\n3 of 4 elements"), "FAIL(MISMATCH)"),
        (
            Outcome(Status.FAIL, Cause.RUN, "a: b / cpu: RUN: layer 'x' of [1, 2] is 0.5\nrepeat"),
            "FAIL(RUN): layer … of … is …",
        ),
        (Outcome(Status.UNSUPPORTED, None, "no 4-d gru"), "UNSUPPORTED: no …-d gru"),
        (Outcome(Status.CRASH, None, "Aborted, in run (x.py:8)\nstderr ends"), "CRASH: Aborted, in run (x.py:…)"),
        (Outcome(Status.TIMEOUT, None, "no end after 1, in a"), "TIMEOUT"),
        (Outcome(Status.PASS), "PASS"),
    ],
)
def test_the_way_of_a_failure(outcome: Outcome, way: str) -> None:
    assert way_of(outcome) == way


def test_the_process_for_attempts_survives_what_it_runs() -> None:
    case = chain()
    test = {"name": "x", "graph": case.graph, "tolerance": None}
    with Attempts(f"{BROKEN}:CrashingPair") as attempts:
        assert attempts.outcome(test).status is Status.CRASH
        assert attempts.outcome({"name": "x"}).line == "FAIL(GRAPH)"
        fine = {**test, "graph": {**case.graph, "operators": case.graph["operators"][:1], "expectedOutputs": {
            "positive": {"data": 0, "descriptor": case.graph["expectedOutputs"]["sum"]["descriptor"]}}}}  # fmt: skip
        assert attempts.outcome(fine).line == "FAIL(MISMATCH)"
    with Attempts("no.such:Module") as attempts, pytest.raises(UsageError, match="does not start"):
        attempts.outcome(test)


def test_the_command(tmp_path: Path) -> None:
    """A case whose clamp is refused, since its limits are the wrong way round."""
    x = {"data": [1, 2, 3, 4], "descriptor": {"shape": [4], "dataType": "float32"}}
    operators = [
        {"name": "relu", "arguments": [{"input": "x"}], "outputs": "p"},
        {"name": "clamp", "arguments": [{"input": "p"}, {"options": {"minValue": 3, "maxValue": 2}}], "outputs": "y"},
    ]
    case = expecting("fine", {"inputs": {"x": x}, "operators": operators[:1]}, "p")
    graph = {**case.graph, "operators": operators, "expectedOutputs": {"y": x}}
    (tmp_path / "made.json").write_text(json.dumps({"tests": [{"name": "bad clamp", "graph": graph}]}))
    output = tmp_path / "deep" / "small.json"
    command = [sys.executable, "-m", "conformance", "shrink", tmp_path / "made.json", "#0", "-o", output]
    made = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False, timeout=60)
    assert made.returncode == 0, made.stderr
    assert "FAIL(GRAPH)" in made.stdout
    assert f"written: {output}; look at it: wpt show {output} '#0' --target cpu" in made.stdout
    (small,) = load(output)
    assert small.name == "shrunk: bad clamp"
    assert small.ops == ("clamp",)
