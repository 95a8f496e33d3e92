"""Where a case goes wrong: the first operator, the first layer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.cli import main
from conformance.inside import ExecutorTracer, steps_of
from conformance.runner import build, inputs_of, run_case
from conformance.targets import Cpu
from conformance.triage.bisect import by_layers, by_operators, first_off, layer_lines, operator_lines
from tests.conformance.make import case, write
from tests.conformance.triage.broken import WrongSigmoid
from tests.conformance.triage.cases import chain, expecting
from trtx_backend.dtypes import Array
from trtx_backend.graph import Graph
from trtx_backend.lowering import registry


@pytest.fixture
def wrong() -> Iterator[WrongSigmoid]:
    entry = registry.entry("sigmoid")
    yield WrongSigmoid()
    registry._ENTRIES["sigmoid"] = entry


def test_the_first_operator_that_is_not_the_oracles_is_named(wrong: WrongSigmoid) -> None:
    assert run_case(chain(), wrong).line == "FAIL(MISMATCH)"
    found = by_operators(chain(), wrong)
    assert [finding.wrong for finding in found] == [False, False, True, False, False]
    assert [finding.inside == 0 for finding in found] == [True, True, False, False, False]  # what follows is off, too
    assert found[3].alone == 0
    lines = list(operator_lines(found, "cpu"))
    assert lines[-1] == "first wrong operator: #2 sigmoid(clamped)"
    assert [line for line in lines if line.startswith("  →")] == [
        line for line in lines if "sigmoid(clamped)  " in line
    ]


def test_nothing_is_wrong_where_nothing_is() -> None:
    found = by_operators(chain(), Cpu())
    assert not any(finding.wrong for finding in found)
    assert all(finding.alone is not None and finding.inside is not None for finding in found)
    assert list(operator_lines(found, "cpu"))[-1] == "every operator is right when it is alone"


class Refuses(Cpu):
    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None:
        if any(operator.name == "add" for operator in graph.operators):
            raise RuntimeError("no add today")
        return super().run(graph, inputs)


def test_an_operator_that_fails_is_wrong() -> None:
    found = by_operators(chain(), Refuses())
    assert [finding.wrong for finding in found] == [False, False, False, True, False]
    lines = list(operator_lines(found, "cpu"))
    (line,) = (line for line in lines if "  #3 add: fails: RuntimeError: no add today (" in line)
    assert re.search(r"\(tests/conformance/triage/test_bisect\.py:\d+ in run\)$", line)
    assert lines[-1].startswith("first wrong operator: #3 add(a=sigmoided") or lines[-1].startswith(
        "first wrong operator: #3 add(sigmoided"
    )


class NoNumbers(Cpu):
    name = "engine"

    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None:
        return None


def test_a_lowering_that_tensorrt_refuses_has_no_layers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refused(w: Any, input: Any) -> Any:
        return w.op.reshape(input, (7,))

    monkeypatch.setitem(registry._ENTRIES, "relu", replace(registry.entry("relu"), function=refused))
    path = write(tmp_path / "made.json", case("one"))
    assert main(["bisect", str(path), "one"]) == 0
    shown = capfd.readouterr()
    assert "first wrong operator: #0 relu(x)" in shown.out
    assert "there are no layers to compare: " in shown.out
    assert "Traceback" not in shown.err + shown.out


def test_without_numbers_there_is_no_verdict() -> None:
    lines = list(operator_lines(by_operators(chain(), NoNumbers()), "engine"))
    assert not any(line.startswith(("first wrong", "every operator is right")) for line in lines)
    assert "  #4 tanh: engine has no numbers" in lines


def test_integers_and_constants_and_special_values_reach_the_operator_alone() -> None:
    def of(data: list[object], dtype: str, constant: bool = False) -> dict[str, object]:
        made: dict[str, object] = {"data": data, "descriptor": {"shape": [len(data)], "dataType": dtype}}
        return {**made, "constant": True} if constant else made

    inputs = {
        "x": of(["NaN", "Infinity", "-Infinity", -0.0], "float16"), "i": of([3, 0, 2], "int32", True),
        "big": of([2**63 - 1, -(2**63), 7], "int64"),
    }  # fmt: skip
    operators = [
        {"name": "identity", "arguments": [{"input": "x"}], "outputs": "copy"},
        {"name": "gather", "arguments": [{"input": "copy"}, {"indices": "i"}], "outputs": "y"},
        {"name": "identity", "arguments": [{"input": "big"}], "outputs": "z"},
    ]
    spy = Spy()
    found = by_operators(expecting("mixed", {"inputs": inputs, "operators": operators}, "y", "z"), spy)
    assert [(finding.alone, finding.inside, finding.note) for finding in found] == [(0, 0, "")] * 3
    assert spy.constants == [1, 0, 1, 0]  # of the whole, then of each alone


class Spy(Cpu):
    def __init__(self) -> None:
        super().__init__()
        self.constants: list[int] = []

    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None:
        self.constants.append(len(graph.constants))
        return super().run(graph, inputs)


class Off(ExecutorTracer):
    """A device whose n-th layer is off by a little, and that cannot be fed."""

    name = "device"

    def __init__(self, layer: int) -> None:
        super().__init__()
        self.layer = layer

    def trace(
        self, graph: Graph, inputs: Mapping[str, Array], given: Mapping[str, Array] | None = None
    ) -> Mapping[str, Array]:
        if given is not None:
            return {}
        values = dict(super().trace(graph, inputs))
        for step in steps_of(graph)[self.layer :]:
            values[step.tensor] = np.nextafter(values[step.tensor], np.float32(9)).astype(np.float32)
        return values


def test_the_first_layer_whose_value_is_off_is_named() -> None:
    case = chain()
    graph, _ = build(case)
    steps = steps_of(graph)
    assert len(steps) > 4
    for layer in (0, 3, len(steps) - 1):
        found = by_layers(graph, inputs_of(case, graph), ExecutorTracer(), Off(layer))
        assert [finding.total for finding in found] == [0.0] * layer + [1.0] * (len(steps) - layer)
        assert all(finding.own is None for finding in found)
        first = first_off(found, 0)
        assert first is not None
        assert first.layer == steps[layer].layer
        assert first_off(found, 1) is None
        lines = list(layer_lines(found, graph, ("executor", "device"), 0))
        assert lines[-1] == f"first layer that is off: {steps[layer].layer}"
        assert sum(line.startswith("  →") for line in lines) == 1


def test_a_layers_own_error_is_told_from_what_it_inherits() -> None:
    """x + y - x: the sum rounds, and the difference, which is exact, makes much of it."""

    def of(value: float) -> dict[str, object]:
        return {"data": [value], "descriptor": {"shape": [1], "dataType": "float32"}}

    operators = [
        {"name": "reduceSum", "arguments": [{"input": "many"}], "outputs": "sum"},
        {"name": "sub", "arguments": [{"a": "sum"}, {"b": "x"}], "outputs": "y"},
    ]
    many = {"data": [1000.0, *[1e-5] * 9999], "descriptor": {"shape": [10000], "dataType": "float32"}}
    case = expecting("cancel", {"inputs": {"many": many, "x": of(1000.0)}, "operators": operators}, "y")
    graph, _ = build(case)
    found = by_layers(graph, inputs_of(case, graph), ExecutorTracer(), ExecutorTracer("float32"))
    difference = found[-1]
    assert difference.own == 0
    assert difference.total > 100
    assert any(finding.own is not None and finding.own > 0 for finding in found[:-1])
