"""The layers that lowerings use: of the examples of all operators in every data type, and of the house cases."""

from __future__ import annotations

from typing import Any

from conformance.cases import Case, load
from conformance.runner import build
from tests.examples import EXAMPLES
from tests.executor_check import mutation
from tests.executor_check.by_hand import ROOT
from tests.executor_check.modes import Kind
from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.errors import ArgumentError, NetworkError, UnsupportedError
from trtx_backend.executor import read
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.lowering import lower


def of_examples() -> set[Kind]:
    found: set[Kind] = set()
    for example in EXAMPLES.values():
        for dtype in DATA_TYPES:
            builder = MLGraphBuilder()
            try:
                made = example(builder, dtype)
                found |= _layers(builder.finish({"y": made[0] if isinstance(made, (list, tuple)) else made}))
            except (ArgumentError, NetworkError, UnsupportedError):  # a type that the operator does not take
                continue
    return found


def of_house_cases() -> set[Kind]:
    found: set[Kind] = set()
    for path in sorted((ROOT / "wpt_data" / "house").glob("*.json")):
        for case in load(path):
            if isinstance(case, Case):
                try:
                    found |= _layers(build(case)[0])
                except (ArgumentError, NetworkError, UnsupportedError):
                    continue
    return found


def _layers(graph: Any) -> set[Kind]:
    lowered = lower(graph)
    with mutation.recorded() as layers:
        read(lowered.network)
    return layers
