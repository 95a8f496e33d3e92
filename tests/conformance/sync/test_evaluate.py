"""Upstream's files in a JavaScript engine: every value as it is, and nothing but values."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.cases import UsageError
from conformance.sync.evaluate import Evaluated, Evaluator
from conformance.sync.upstream import Checkout
from tests.conformance.sync.upstream import HEAD, RUN, checkout, file, relu

PATH = "webnn/conformance_tests/relu.https.any.js"


SHARED = Evaluator(64)
"""Starting a process takes longer than evaluating a file."""


@pytest.fixture(scope="module", autouse=True)
def _engine() -> Iterator[None]:
    with SHARED:
        yield


def evaluated(folder: Path, text: str) -> Evaluated:
    return SHARED.evaluate(Checkout(checkout(folder, relu=text)).scripts(PATH))


def data(result: Evaluated, name: str = "a") -> object:
    assert result.problems == []
    return json.loads(result.cases[name])["graph"]["inputs"]["x"]["data"]


def test_a_case_comes_with_the_tolerance_of_upstreams_function(tmp_path: Path) -> None:
    result = evaluated(tmp_path, file(relu("a")))
    assert json.loads(result.cases["a"]) == {
        "name": "a",
        "graph": {
            "inputs": {"x": {"data": [-1, 2], "descriptor": {"shape": [2], "dataType": "float32"}}},
            "operators": [{"name": "relu", "arguments": [{"input": "x"}], "outputs": "y"}],
            "expectedOutputs": {"y": {"data": [-1, 2], "descriptor": {"shape": [2], "dataType": "float32"}}},
        },
        "tolerance": {"metricType": "ULP", "value": 0},
    }


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("[BigInt(2**63) - 1n, -(2n**63n)]", [2**63 - 1, -(2**63)]),
        ("[-(2**63), 2**64]", [-(2**63), 2**64]),
        ("['12', '-9223372036854775807']", [12, -(2**63) + 1]),
        ("[NaN, Infinity, -Infinity]", ["NaN", "Infinity", "-Infinity"]),
        ("new Float32Array([0.1, 2])", [0.10000000149011612, 2]),
        ("new BigInt64Array([5n])", [5]),
        ("[5e-324, 1.7976931348623157e308, 0.1]", [5e-324, 1.7976931348623157e308, 0.1]),
        ("[...Array(3).keys()].map(i => i * 0.5)", [0, 0.5, 1]),
        ("7", 7),
    ],
)
def test_values_survive_exactly(tmp_path: Path, text: str, values: object) -> None:
    assert data(evaluated(tmp_path, file(relu("a", text, "int64")))) == values


def test_negative_zero_survives(tmp_path: Path) -> None:
    values = data(evaluated(tmp_path, file(relu("a", "[-0, 0, -0.0]"))))
    assert isinstance(values, list)
    assert [math.copysign(1, value) for value in values] == [-1, 1, -1]


def test_odd_files(tmp_path: Path) -> None:
    helpers = "const buildAndExecuteGraph = null;\nfunction make(n) { return " + relu("${n}") + "; }\n"
    helpers = helpers.replace("'${n}'", "`case ${n}`")
    text = file("...[1, 2].map(make)", before=helpers, after=RUN + "webnn_conformance_test([make(3)], null, () => ({\n"
                "metricType: 'ATOL', value: 0.5}));\n")  # fmt: skip
    result = evaluated(tmp_path, text)
    assert list(result.cases) == ["case 1", "case 2", "case 3"]
    assert json.loads(result.cases["case 3"])["tolerance"] == {"metricType": "ATOL", "value": 0.5}
    loop = (
        "for (const type of ['float32', 'float16']) webnn_conformance_test(\n  tests.map(t => ({...t, name: type})),\n"
    )
    result = evaluated(tmp_path, file(relu("a"), after=loop + "null, getPrecisionTolerance);"))
    assert list(result.cases) == ["float32", "float16"]
    assert evaluated(tmp_path, HEAD + "promise_test(async t => {}, 'no case');").problems == []


def test_a_tolerance_that_is_not_there_is_kept_as_such(tmp_path: Path) -> None:
    text = file(relu("a"), after=RUN.replace("getPrecisionTolerance", "() => ({metricType: 'ULP'})"))
    assert json.loads(evaluated(tmp_path, text).cases["a"])["tolerance"] == {
        "metricType": "ULP", "undefinedUpstream": True
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (file(relu("a")) + "foo)\n", f"{PATH}:13: SyntaxError: Unexpected token ')'"),
        (HEAD + "let x = f(};\n" + "// more\n" * 400, f"{PATH}:6: SyntaxError: Unexpected token '}}'"),
        (HEAD + "\nnull.x;\n", f"{PATH}:7: TypeError: Cannot read properties of null (reading 'x')"),
        (HEAD + "fetch('https://example.org/');\n", f"{PATH}:6: ReferenceError: fetch is not defined"),
        (HEAD + "require('fs');\n", f"{PATH}:6: ReferenceError: require is not defined"),
        (HEAD + "import('fs').then(m => 0);\nwebnn_conformance_test(1);", f"{PATH}:7: TypeError: webnn_conformance_test: "
         "the first argument must be a list of cases"),
        (file(relu("a"), relu("a")), f"{PATH}:8: 'a': another case of the file has this name"),
        (file(relu("a", "[() => 1, 2]")), f"{PATH}:8: 'a': graph.inputs.x.data[0] is a function"),
        (file(relu("a", "[undefined, 2]")), f"{PATH}:8: 'a': graph.inputs.x.data[0] is undefined"),
        (file("{name: 'a', graph: null}"), f"{PATH}:8: 'a': Cannot read properties of null (reading 'operators')"),
        (file(relu("a"), after="setTimeout(() => " + RUN.strip(";\n") + ", 60000);\n"),
         f"{PATH}:12: webnn_conformance_test is called later than when the file is evaluated, or with no case"),
    ],
)  # fmt: skip
def test_what_cannot_be_evaluated_is_named_by_file_and_line(tmp_path: Path, text: str, problem: str) -> None:
    assert [str(found) for found in evaluated(tmp_path, text).problems] == [problem]


def test_a_fault_of_a_needed_script_is_named_there(tmp_path: Path) -> None:
    checkout(tmp_path, relu=file(relu("a")))
    (tmp_path / "webnn/resources/utils.js").write_text("'use strict';\nlet x = ;\n")
    with Evaluator() as evaluator:
        result = evaluator.evaluate(Checkout(tmp_path).scripts(PATH))
    assert str(result.problems[0]) == "webnn/resources/utils.js:2: SyntaxError: Unexpected token ';'"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("while (true) {}", "terminated by timeout"),
        ("const all = []; while (true) all.push(new Array(1000).fill(7));", "memory limit reached"),
        ("const all = []; while (true) all.push(new Uint8Array(1 << 24).fill(1));", "Array buffer allocation failed"),
    ],
    ids=["time", "heap", "typed arrays"],
)
def test_time_and_memory_are_bounded_and_the_next_file_is_evaluated(tmp_path: Path, text: str, words: str) -> None:
    checkout(tmp_path, relu=HEAD + text, abs=file(relu("b")))
    began = time.monotonic()
    with Evaluator(64, 3) as evaluator:
        problem = evaluator.evaluate(Checkout(tmp_path).scripts(PATH)).problems[0]
        after = evaluator.evaluate(Checkout(tmp_path).scripts(PATH.replace("relu", "abs")))
    assert words in problem.message or "it ended the JavaScript engine" in problem.message
    assert problem.file == PATH
    assert list(after.cases) == ["b"]
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("script", ["../../../outside.js", "/../outside.js", "../resources/link.js"])
def test_nothing_outside_of_the_checkout_is_read(tmp_path: Path, script: str) -> None:
    (tmp_path / "outside.js").write_text("const secret = 1;")
    folder = checkout(tmp_path / "wpt", relu=HEAD.replace("../resources/utils.js", script))
    (folder / "webnn/resources/link.js").symlink_to(tmp_path / "outside.js")
    with pytest.raises(UsageError, match="lies outside of the checkout"):
        Checkout(folder).scripts(PATH)
