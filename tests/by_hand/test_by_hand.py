"""Every case of this package on `cpu`; every graph that the specification refuses is a TypeError."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cases import Case as HarnessCase
from conformance.runner import Status, run_case
from conformance.schema import check_case
from conformance.targets import TARGETS
from tests.by_hand.families import invalid, valid
from tests.by_hand.form import Case
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.serial import replay

CPU, ENGINE = TARGETS["cpu"](), TARGETS["engine"]()
VALID = [pytest.param(name, case, id=case["name"]) for name, cases in valid().items() for case in cases]
INVALID = [pytest.param(case, id=case["name"]) for _, case in invalid()]


@pytest.mark.parametrize(("family", "case"), VALID)
def test_on_cpu(family: str, case: Case) -> None:
    check_case(case)
    given = HarnessCase(family, Path(f"by_hand/{family}.json"), 0, case["name"], case["graph"], case["tolerance"])
    outcome = run_case(given, CPU)
    assert outcome.status is Status.PASS, outcome.message


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in valid()["graph, constants"]])
def test_compiles(case: Case) -> None:
    """A sample: those that TensorRT computes itself while it compiles. `python -m tests.by_hand DIR` has them all."""
    given = HarnessCase("graph", Path("by_hand/graph.json"), 0, case["name"], case["graph"], case["tolerance"])
    outcome = run_case(given, ENGINE)
    assert outcome.status is Status.PASS, outcome.message


@pytest.mark.parametrize("case", INVALID)
def test_refused(case: Case) -> None:
    check_case(case)
    with pytest.raises(TypeError) as raised:
        replay(MLGraphBuilder(), case["graph"])
    operator = case["graph"]["operators"][-1]["name"]
    assert str(raised.value).startswith(f"{operator}: "), str(raised.value)
