"""The fuzzer sees what is wrong, shrinks it, writes it down; and what it draws is what it says."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance import fuzz
from conformance.cases import Case, load
from conformance.fuzz.__main__ import main
from conformance.fuzz.campaign import Campaign, Finding, refused
from conformance.fuzz.draws import by_name
from conformance.fuzz.findings import write_case
from conformance.fuzz.judge import Difference
from conformance.fuzz.worker import Answer, Worker
from conformance.runner import Status, run_case
from conformance.targets import Cpu
from trtx_backend.graph.operator import RULES

SHAPE = {"shape": [2], "dataType": "float32"}
RELU: Mapping[str, Any] = {
    "inputs": {"x": {"data": [-1, 2], "descriptor": SHAPE}},
    "operators": [{"name": "relu", "arguments": [{"input": "x"}], "outputs": "y"}],
    "expectedOutputs": {"y": {"data": 0, "descriptor": SHAPE}},
}


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.stop()


class Wrong(Worker):
    """Answers a worker's answers, of which every value above 1 is off by a little."""

    def __init__(self, worker: Worker) -> None:
        super().__init__()
        self.worker = worker

    def run(self, graph: Mapping[str, Any], engine: bool) -> Answer:
        answer = self.worker.run(graph, engine)
        with np.errstate(over="ignore"):  # the largest number becomes Infinity, which is wrong as well
            moved = {n: np.where(a > 1, a * a.dtype.type(1.001), a) if a.dtype.kind == "f" else a
                     for n, a in answer.outputs.items()}  # fmt: skip
        return dataclasses.replace(answer, outputs=moved, finals={n: moved[n] for n in answer.finals})


def test_every_operator_is_drawn() -> None:
    assert set(by_name()) == {rule.webnn_name for rule in RULES.values()}


def test_a_piece_of_valid_and_invalid_graphs_is_clean(worker: Worker) -> None:
    findings: list[Finding] = []
    campaign = Campaign(worker, [], 0)
    campaign.valid(40, 1, findings.append)
    campaign.invalid(60, 1, findings.append)
    assert [str(finding.difference) for finding in findings] == []
    assert (campaign.tally.valid, campaign.tally.invalid, campaign.tally.crashes) == (40, 60, 0)
    assert len(campaign.tally.operators) > 20


def test_a_wrong_number_is_found_shrunk_and_written(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.fuzz.campaign.SHRINK_SECONDS", 3)
    findings: list[Finding] = []
    Campaign(Wrong(worker), ["relu"], 0).valid(60, 1, findings.append)
    found = [finding for finding in findings if finding.difference.operator == "relu"]
    assert found, "relu's results are wrong above 1"
    assert found[0].difference.cause == "MISMATCH"
    assert len(found[0].graph["operators"]) <= 2
    path = write_case(tmp_path, found[0].difference, found[0].graph, 1)
    (case,) = load(path)
    assert isinstance(case, Case)
    assert run_case(case, Cpu()).status is Status.PASS  # its expected values are the oracle's, not the wrong ones


def test_what_was_not_compiled_is_written_with_every_output(tmp_path: Path) -> None:
    two = [*RELU["operators"], {"name": "abs", "arguments": [{"input": "x"}], "outputs": "z"}]
    path = write_case(tmp_path, Difference("abs", "ENGINE", "no"), {**RELU, "operators": two}, 1)
    (case,) = load(path)
    assert isinstance(case, Case)
    assert {n: r["data"] for n, r in case.graph["expectedOutputs"].items()} == {"y": [0, 2], "z": [1, 2]}


def test_a_graph_that_ends_the_worker_costs_itself(worker: Worker) -> None:
    before = worker.crashes
    broken = {**RELU, "operators": [{"name": "relu", "arguments": Exit(), "outputs": "y"}]}
    assert worker.run(broken, False).status == "CRASH"
    assert worker.crashes == before + 1
    assert worker.run(RELU, False).outputs["y"].tolist() == [0, 2]


class Exit(list[Any]):
    """Ends the process that reads it."""

    def __reduce__(self) -> Any:
        import os

        return os._exit, (3,)


def test_a_graph_that_takes_too_long_is_given_up() -> None:
    worker = Worker(seconds=0.01)
    try:
        assert worker.run(RELU, False).status == "TIMEOUT"  # starting alone takes longer
    finally:
        worker.stop()


def test_a_graph_that_should_be_refused_and_is_not_is_a_finding() -> None:
    accepted = refused(RELU, "relu: nothing wrong")
    assert accepted is not None
    assert accepted.cause == "ACCEPTED"
    call = {"name": "relu", "arguments": [{"input": "x"}, {"inputs": 1}], "outputs": "y"}
    assert refused({**RELU, "operators": [call]}, "relu: an unknown argument") is None


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--op", "relu, abs", "--graphs", "10", "--engine", "0", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "10/10 graphs" in printed
    assert "9 valid graphs, 0 of them compiled; 1 invalid ones; 0 crashes of a worker" in printed
    assert main(["--op", "con"]) == 2
    assert "there is no operator 'con'" in capsys.readouterr().err


def test_draws_are_repeatable(worker: Worker) -> None:
    class Seen(Worker):
        def run(self, graph: Mapping[str, Any], engine: bool) -> Answer:
            graphs.append(json.dumps(graph))
            return worker.run(graph, engine)

    graphs: list[str] = []
    for _ in range(2):
        Campaign(Seen(), [], 0).valid(8, 7, lambda _: None)
    assert graphs[: len(graphs) // 2] == graphs[len(graphs) // 2 :]
    assert fuzz.__doc__
