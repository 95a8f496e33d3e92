"""The executor takes negative indices as NVIDIA's parser hands them on; the lowerings do not depend on that."""

from __future__ import annotations

import pytest

from conformance.cases import load
from conformance.runner import Status, run_case
from conformance.targets import Cpu
from tests.conformance.make import ROOT
from trtx_backend.dtypes import Array
from trtx_backend.errors import ExecutorError
from trtx_backend.executor.layers import gather, scatter

FILES = ("gather", "gatherElements", "gatherND", "scatterElements", "scatterND")


@pytest.mark.parametrize("stem", FILES)
def test_every_index_that_reaches_a_layer_counts_from_the_start(stem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def strict(indices: Array, limits: Array, name: str) -> Array:
        seen.append(indices.size)
        if ((indices < 0) | (indices >= limits)).any():
            raise ExecutorError(f"{name}: an index is out of range")
        return indices

    for module in (gather, scatter):
        monkeypatch.setattr(module, "from_the_start", strict)
    cases = load(ROOT / "wpt_data" / "house" / f"{stem}.json")
    negative = [case.name for case in cases if "negative" in case.name]
    outcomes = {case.name: run_case(case, Cpu()) for case in cases}
    assert {name: o.message for name, o in outcomes.items() if o.status is not Status.PASS} == {}
    assert negative, "no case has a negative index"
    assert sum(seen) > len(cases)
