"""Reading and choosing cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import BrokenCase, Case, UnknownOperator, UsageError, find_corpus, is_required, load, select
from tests.conformance.make import case, write

F32 = {"shape": [2], "dataType": "float32"}


def test_a_case_is_read(tmp_path: Path) -> None:
    (made,) = load(write(tmp_path / "relu.json", case("house: one")))
    assert isinstance(made, Case)
    assert (made.file, made.index, made.name, made.house) == ("relu", 0, "house: one", True)
    assert (made.ops, made.dtypes, made.id) == (("relu",), ("float32",), "relu: house: one")


def test_big_integers_and_special_numbers_survive(tmp_path: Path) -> None:
    data = {"data": [2**63 - 1, -(2**63)], "descriptor": {"shape": [2], "dataType": "int64"}}
    special = {"data": ["NaN", -0.0], "descriptor": F32}
    (made,) = load(write(tmp_path / "a.json", case(inputs={"x": special, "big": data})))
    assert isinstance(made, Case)
    assert made.graph["inputs"]["big"]["data"] == [2**63 - 1, -(2**63)]
    assert str(made.graph["inputs"]["x"]["data"][1]) == "-0.0"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inputs": []}, 'graph must have an object "inputs"'),
        ({"expectedOutputs": {}}, "graph must expect an output"),
        ({"inputs": {"x": {"data": [1], "descriptor": F32}}}, "inputs: 'x': 1 values, the shape [2] needs 2"),
        ({"inputs": {"x": {"data": [1, "x"], "descriptor": F32}}}, "data must be numbers or NaN, Infinity, -Infinity"),
        ({"inputs": {"x": {"data": [1, True], "descriptor": F32}}}, "data must be numbers"),
        ({"inputs": {"x": {"data": 1, "descriptor": {**F32, "dataType": "f32"}}}}, "'f32' is not a data type"),
        ({"inputs": {"x": {"data": 1, "descriptor": {**F32, "shape": [0]}}}}, "must be a list of positive integers"),
        (
            {"inputs": {"x": {"data": 1.5, "descriptor": {"shape": [], "dataType": "int8"}}}},
            "1.5 is not a value of int8",
        ),
        (
            {"inputs": {"x": {"data": 128, "descriptor": {"shape": [], "dataType": "int8"}}}},
            "128 is not a value of int8",
        ),
        ({"inputs": {"x": {"descriptor": F32}}}, 'must have "data"'),
        ({"operators": [{"name": "relu", "outputs": "y"}]}, "arguments must be a list of objects"),
        (
            {"operators": [{"name": "relu", "arguments": [{"input": "x"}], "outputs": "x"}]},
            "another operand is called 'x'",
        ),
        ({"expectedOutputs": {"z": {"data": 1, "descriptor": F32}}}, "expectedOutputs: no operator computes 'z'"),
        ({"expectedOutputs": {"x": {"data": 1, "descriptor": F32}}}, "expectedOutputs: no operator computes 'x'"),
    ],
)
def test_a_broken_case_says_file_case_and_rule_in_one_line_and_disturbs_no_other(
    tmp_path: Path, change: Any, message: str
) -> None:
    good, broken, last = load(write(tmp_path / "relu.json", case("good"), case("bad one", **change), case("last")))
    assert isinstance(good, Case) and isinstance(last, Case)
    assert isinstance(broken, BrokenCase)
    assert broken.message.startswith("relu.json: relu: case 1 'bad one': ")
    assert message in broken.message
    assert "\n" not in broken.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"tests": [1,', "relu.json: not JSON: Expecting value at line 1, column 14"),
        ("[]", 'relu.json: must be an object with a list "tests"'),
        ('{"tests": {}}', 'relu.json: must be an object with a list "tests"'),
        ("\xff", "relu.json: cannot be read"),
    ],
)
def test_a_broken_file_is_one_broken_case(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "relu.json"
    path.write_bytes(text.encode("latin-1"))
    (broken,) = load(path)
    assert isinstance(broken, BrokenCase)
    assert broken.message.startswith(message)


def test_a_number_too_long_to_read_breaks_its_file_only(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"revision": "r", "tests": [' + "1" * 5000 + "]}")
    (broken,) = load(tmp_path / "a.json")
    assert isinstance(broken, BrokenCase) and broken.message.startswith("a.json: cannot be read: ")
    write(tmp_path / "b.json", case("good"))
    assert find_corpus(tmp_path, tmp_path).revision == "abc"


@pytest.mark.parametrize(
    ("tolerance", "message"),
    [
        ({"metricType": "RTOL", "value": 5}, "metricType 'RTOL' must be ULP or ATOL"),
        ({"metricType": "ulp", "value": 5}, "metricType 'ulp' must be ULP or ATOL"),
        ({"metricType": "ULP", "value": float("nan")}, "the value nan must be a finite number"),
        ({"metricType": "ULP", "value": float("inf")}, "the value inf must be a finite number"),
        ({"metricType": "ATOL", "value": "0.1"}, "the value '0.1' must be a finite number"),
        ({"metricType": "ULP", "value": -1}, "the value -1 must be a finite number"),
        ({"metricType": "ULP", "value": True}, "the value True must be a finite number"),
        ({"function": "theirOwn"}, "must have a value, or say needsShapes"),
        ({"metricType": "ULP", "value": None}, "must have a value, or say needsShapes"),
    ],
)
def test_a_tolerance_that_cannot_be_applied_breaks_the_case(tmp_path: Path, tolerance: Any, message: str) -> None:
    (broken,) = load(write(tmp_path / "relu.json", {**case(), "tolerance": tolerance}))
    assert isinstance(broken, BrokenCase)
    assert message in broken.message


@pytest.mark.parametrize("tolerance", [None, {}, {"needsShapes": True}, {"undefinedUpstream": True, "value": None}])
def test_a_case_may_leave_its_tolerance_to_the_formulas(tmp_path: Path, tolerance: Any) -> None:
    (made,) = load(write(tmp_path / "relu.json", {**case(), "tolerance": tolerance}))
    assert isinstance(made, Case)


def test_odd_entries_are_broken_cases(tmp_path: Path) -> None:
    cases = load(write(tmp_path / "a.json", 3, {"name": ""}, case("same"), case("same"), {"name": "x"}))
    assert [type(c).__name__ for c in cases] == ["BrokenCase", "BrokenCase", "Case", "BrokenCase", "BrokenCase"]
    assert len({c.name for c in cases}) == 5
    assert "another case of the file has this name" in cases[3].message  # type: ignore[union-attr]


def project(tmp_path: Path) -> Path:
    write(tmp_path / "wpt_data/house/relu.json", case("house: a"))
    write(tmp_path / "wpt_data/house/max.json", case("house: b"))
    return tmp_path


def test_the_corpus_is_found_in_its_order(tmp_path: Path) -> None:
    root = project(tmp_path)
    none = find_corpus(None, root, {})
    assert none.upstream is None and list(none.files) == ["max", "relu"] and none.revision is None
    assert "only the house cases run" in none.notes[0]
    write(root / "wpt_data/upstream/relu.json", case("u"))
    write(root / "wpt_data/upstream/minimum_datatype_set.json")
    default = find_corpus(None, root, {})
    assert [path.parent.name for path in default.files["relu"]] == ["upstream", "house"]
    assert (default.revision, default.own, default.notes) == ("abc", False, ())
    write(root / "elsewhere/abs.json", case("e"))
    environ = find_corpus(None, root, {"WPT_DATA": str(root / "elsewhere")})
    assert set(environ.files) == {"abs", "max", "relu"}
    named = find_corpus(root / "elsewhere", root, {"WPT_DATA": "nowhere"})
    assert set(named.files) == {"abs"} and named.own


def test_a_named_corpus_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such directory"):
        find_corpus(tmp_path / "nowhere", tmp_path, {})
    with pytest.raises(UsageError, match="there is no case file"):
        find_corpus(tmp_path, tmp_path, {})


def test_a_corpus_in_the_environment_must_be_there(tmp_path: Path) -> None:
    root = project(tmp_path)
    for name, message in (("nowhere", "WPT_DATA: .*nowhere: there is no such"), (".", "WPT_DATA: .*no case file")):
        with pytest.raises(UsageError, match=message):
            find_corpus(None, root, {"WPT_DATA": str(root / name)})
    assert find_corpus(None, root, {"WPT_DATA": ""}).upstream is None


def test_a_minimum_that_cannot_be_read_is_noted(tmp_path: Path) -> None:
    write(tmp_path / "d/relu.json", case())
    path = tmp_path / "d/minimum_datatype_set.json"
    for text, problem in (("// {", "Expecting value"), ("[]", "must be an object")):
        path.write_text(text)
        corpus = find_corpus(tmp_path / "d", tmp_path)
        assert corpus.minimum == {}
        assert corpus.notes[0].startswith("no case counts as required: minimum_datatype_set.json: ")
        assert problem in corpus.notes[0]
    path.write_text('{"relu": {}}')
    corpus = find_corpus(tmp_path / "d", tmp_path)
    assert (corpus.minimum, corpus.notes) == ({"relu": {}}, ())


def test_files_whose_names_differ_in_spelling_only_are_one_operator(tmp_path: Path) -> None:
    write(tmp_path / "reduce_l1.json", case("a"))
    write(tmp_path / "reduceL1.json", case("b"))
    assert {made.name for made in select(find_corpus(tmp_path, tmp_path), "reduceL1")} == {"a", "b"}


def test_operators_are_chosen_exactly(tmp_path: Path) -> None:
    arg_max = [{"name": "argMax", "arguments": [{"input": "x"}], "outputs": "y"}]
    write(tmp_path / "d/reduce_l1.json", case("a"))
    write(tmp_path / "d/max.json", case("b"))
    write(tmp_path / "d/arg_min_max.json", case("c", operators=arg_max), case("d"))
    write(tmp_path / "d/maxPool2d.json", case("e"))
    corpus = find_corpus(tmp_path / "d", tmp_path)
    names = {op: [c.name for c in select(corpus, op)] for op in ("max", "reduceL1", "reduce_l1", "argMax", "arg_max")}
    assert names == {"max": ["b"], "reduceL1": ["a"], "reduce_l1": ["a"], "argMax": ["c"], "arg_max": ["c"]}
    assert [c.name for c in select(corpus, text="C")] == ["c"]
    with pytest.raises(UnknownOperator, match="there is no operator 'ma'; near it: max, maxPool2d"):
        select(corpus, "ma")


def test_required_is_what_the_minimum_lists() -> None:
    minimum = {
        "relu": {
            "input": {"dataTypes": ["float32"], "rankRange": {"min": 0, "max": 1}},
            "output": {"dataTypes": ["float32"], "rankRange": {"min": 0, "max": 1}},
        }
    }
    made = Case("relu", Path("relu.json"), 0, "one", case()["graph"], None)
    assert is_required(made, minimum)
    assert not is_required(made, {})
    assert not is_required(made, {"relu": {**minimum["relu"], "input": {**minimum["relu"]["input"], "dataTypes": []}}})
    narrow = {"dataTypes": ["float32"], "rankRange": {"min": 0, "max": 0}}
    assert not is_required(made, {"relu": {**minimum["relu"], "output": narrow}})


def test_the_schema_takes_json_as_json(tmp_path: Path) -> None:
    text = json.dumps({"tests": [case("ünï ☃")]}, ensure_ascii=False)
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    assert load(tmp_path / "a.json")[0].name == "ünï ☃"
