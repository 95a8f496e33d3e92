"""WPT's formulas, by hand and against the values that the corpus carries."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import Case, find_corpus, select
from conformance.tolerance import Tolerance, tolerance_of
from tests.conformance.make import ROOT
from trtx_backend.errors import ArgumentError
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.serial import replay


def allowed(
    operators: list[tuple[str, dict[str, Any], dict[str, Any]]],
    shapes: dict[str, tuple[int, ...]],
    dtype: str = "float32",
) -> float:
    calls = [
        {
            "name": name,
            "arguments": [{key: value} for key, value in arguments.items()] + [{"options": options}],
            "outputs": "y",
        }
        for name, arguments, options in operators
    ]
    expected = {"y": {"data": 0, "descriptor": {"shape": [1], "dataType": dtype}}}
    graph = {"inputs": {}, "operators": calls, "expectedOutputs": expected}
    return tolerance_of(Case("a", Path("a.json"), 0, "a", graph, {"needsShapes": True}), shapes).value


X = {"x": (2, 3, 4, 5), "f": (6, 3, 2, 2), "m": (3, 7)}


@pytest.mark.parametrize(
    ("name", "arguments", "options", "expected"),
    [
        ("conv2d", {"input": "x", "filter": "f"}, {}, 2 * 2 * 2 * 3),
        (
            "conv2d",
            {"input": "x", "filter": "f"},
            {"inputLayout": "nhwc", "filterLayout": "hwio", "groups": 5},
            2 * 6 * 3,
        ),
        ("convTranspose2d", {"input": "x", "filter": "f"}, {"filterLayout": "ohwi"}, 2 * 3 * 2 * 3),
        ("matmul", {"a": "x", "b": "m"}, {}, 10),
        ("gemm", {"a": "m", "b": "m"}, {}, 14),
        ("gemm", {"a": "m", "b": "m"}, {"aTranspose": True, "alpha": 2, "c": "m", "beta": 3}, 6 + 1 + 1 + 1),
        ("gemm", {"a": "m", "b": "m"}, {"c": "m", "beta": 0}, 14),
        ("gemm", {"a": "m", "b": "m"}, {"c": "m", "beta": 1, "alpha": 1}, 15),
        ("softmax", {"input": "x", "axis": 3}, {}, 18),
        ("averagePool2d", {"input": "x"}, {}, 22),
        ("l2Pool2d", {"input": "x"}, {"layout": "nhwc"}, 14),
        ("averagePool2d", {"input": "x"}, {"windowDimensions": [2, 2]}, 6),
        ("maxPool2d", {"input": "x"}, {}, 0),
        ("reduceL2", {"input": "x"}, {"axes": [1, 2]}, 26),
        ("reduceLogSumExp", {"input": "m"}, {}, 60),
        ("reduceMean", {"input": "m"}, {"axes": []}, 3),
        ("reduceMax", {"input": "m"}, {}, 0),
        ("resample2d", {"input": "x"}, {"mode": "linear"}, 84),
        ("resample2d", {"input": "x"}, {}, 0),
        ("sigmoid", {"input": "x"}, {}, 34),
        ("quux", {}, {}, 0),
    ],
)
def test_formulas(name: str, arguments: dict[str, Any], options: dict[str, Any], expected: float) -> None:
    assert allowed([(name, arguments, options)], X) == expected


def test_types_and_sums() -> None:
    assert allowed([("sigmoid", {}, {}), ("leakyRelu", {}, {})], {}, "float16") == 12
    assert allowed([("add", {}, {}), ("transpose", {}, {}), ("gelu", {}, {})], {}) == 19
    assert allowed([("add", {}, {})], {}, "int32") == 0
    assert allowed([("resample2d", {"input": "x"}, {"mode": "linear"})], X, "uint8") == 1


def test_the_cases_own_value_goes_first() -> None:
    graph: dict[str, Any] = {"inputs": {}, "operators": [], "expectedOutputs": {}}
    own = Case("a", Path("a"), 0, "a", graph, {"metricType": "ATOL", "value": 0.5})
    assert str(tolerance_of(own, {})) == "ATOL <= 0.5"
    undefined = replace(own, tolerance={"metricType": "ULP", "undefinedUpstream": True})
    assert tolerance_of(undefined, {}).value == 0
    assert tolerance_of(replace(own, tolerance={"value": None, "undefinedUpstream": True}), {}).value == 0


def test_a_case_that_says_nothing_gets_the_formulas_and_integers_are_exact() -> None:
    def of(dtype: str, tolerance: Any) -> float:
        call = {"name": "reduceSum", "arguments": [{"input": "x"}], "outputs": "y"}
        expected = {"y": {"data": 0, "descriptor": {"shape": [], "dataType": dtype}}}
        graph = {"inputs": {}, "operators": [call], "expectedOutputs": expected}
        return tolerance_of(Case("a", Path("a"), 0, "a", graph, tolerance), {"x": (2, 3)}).value

    assert (of("float32", None), of("float32", {})) == (6, 6)
    assert (of("int32", None), of("int32", {})) == (0, 0)
    assert of("int32", {"needsShapes": True}) == 6  # upstream's own formula


@pytest.mark.parametrize(("metric", "value"), [("RTOL", 1), ("ULP", -1), ("ULP", float("nan")), ("ATOL", float("inf"))])
def test_a_rule_that_would_not_compare_cannot_be_made(metric: str, value: float) -> None:
    with pytest.raises(ValueError, match="is not a tolerance"):
        Tolerance(metric, value)


OWN_FUNCTION = {
    "div", "pow", "log", "reciprocal", "sqrt", "cast", "exp", "erf", "cos", "sin", "tan", "cumulative_sum", "gru",
    "gru_cell", "lstm", "lstm_cell", "instance_normalization", "layer_normalization", "quantizeLinear", "neg",
    "dequantizeLinear", "constant-reshape-optimization", "batch_normalization_constant", "mlNumber", "qdq_subgraph", "gatherND",
}  # fmt: skip
"""Files whose tolerance upstream computes with a function of the file's own."""


def test_the_formulas_give_what_the_corpus_carries() -> None:
    corpus = find_corpus(None, ROOT)
    if corpus.upstream is None:
        pytest.skip("needs the corpus")
    checked: Counter[str] = Counter()
    for made in select(corpus):
        assert isinstance(made, Case), made.id
        own = made.tolerance if not made.house and made.file not in OWN_FUNCTION else None
        if not own or own.get("metricType") != "ULP" or "value" not in own:
            continue
        try:
            operands = replay(MLGraphBuilder(), made.graph)
        except ArgumentError:
            continue
        shapes = {name: operand.shape for name, operand in operands.items()}
        computed = replace(made, tolerance={"needsShapes": True})
        assert tolerance_of(computed, shapes).value == own["value"], made.id
        checked[made.file] += 1
    assert checked["conv2d"] == 40
    assert sum(checked.values()) >= 1989
