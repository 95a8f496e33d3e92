"""The ledger: its document is up to date, the executor does what each entry says, and findings tell which device does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.executor_check import assumptions_doc
from tests.executor_check.ledger import LEDGER
from tests.executor_check.probes import on_executor, run_probes
from tests.executor_check.reliance import AVOIDED, RELIANCE
from trtx_backend.trt import flavor

pytestmark = pytest.mark.skipif(flavor.name == "mock", reason="the mock has not all of the ledger's layers")


def test_the_document_is_the_ledgers() -> None:
    assert assumptions_doc.FILE.read_text() == assumptions_doc.text(), "python -m tests.executor_check.assumptions_doc"


def test_the_executor_does_what_the_ledger_says() -> None:
    wrong = [finding for finding in run_probes() if finding.status != "confirmed"]
    assert wrong == []
    assert len({assumption.name for assumption in LEDGER}) == len(LEDGER)


def test_a_device_that_does_otherwise_refutes_and_one_that_fails_leaves_it_assumed() -> None:
    def other(network: Any, feeds: Any) -> Any:
        result = on_executor(network, feeds)["y"]
        return {"y": ~result if result.dtype.kind == "b" else np.where(result == 1, 2, 1).astype(result.dtype)}

    def broken(network: Any, feeds: Any) -> Any:
        raise ValueError("no kernel")

    findings = run_probes(other, "a card")
    assert {finding.status for finding in findings} == {"refuted"}
    assert {finding.device for finding in findings} == {"a card"}
    assert {(f.status, f.detail) for f in run_probes(broken)} == {("assumed", "ValueError: no kernel")}


def test_an_operator_depends_on_what_its_layers_are() -> None:
    (entry,) = (a for a in LEDGER if a.name == "integer division")
    assert assumptions_doc.depends(entry, {("ELEMENTWISE", "DIV", "INT32")})
    assert not assumptions_doc.depends(entry, {("ELEMENTWISE", "DIV", "FLOAT"), ("ELEMENTWISE", "MUL", "INT32")})
    assert assumptions_doc.depends(replace(entry, layers=("ELEMENTWISE * FLOAT",)), {("ELEMENTWISE", "DIV", "FLOAT")})


def test_of_what_could_be_avoided_it_is_said_whether_it_is() -> None:
    assert [entry.name for entry in LEDGER if entry.avoidable] == list(RELIANCE)


def test_what_is_called_avoided_no_lowering_asks_for() -> None:
    """Of kinds of layers that no example becomes, or whose options exclude the case."""
    layers = set().union(*assumptions_doc.uses().values())
    for entry in LEDGER:
        if RELIANCE.get(entry.name, ("",))[0] == AVOIDED and entry.name in ("mean of integers", "float16 sum"):
            assert not assumptions_doc.depends(entry, layers), entry.name
    assert assumptions_doc.depends(next(e for e in LEDGER if e.name == "rounding"), layers)
