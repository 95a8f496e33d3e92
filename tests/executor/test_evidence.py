"""The evidence for the executor that is kept: the page is made of it, it is what the tests run today, and it is enough. And the
changes that measure it do change something, and are noticed by a test that looks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.executor import build
from tests.executor_check import by_hand, evidence, evidence_doc, lowered, mutation, work
from tests.executor_check.misreading import NO_DIFFERENCE, Misreading, NotRead
from tests.executor_check.perturbations import PERTURBATIONS
from trtx_backend.trt import flavor, trt

pytestmark = pytest.mark.skipif(flavor.name == "mock", reason="the mock has the lowering's layers only")
COMMAND = "make mutate-executor ARGS=--accept"


def kept() -> Any:
    return json.loads(evidence.KEPT.read_text())


def test_the_page_is_what_is_kept() -> None:
    assert evidence_doc.FILE.read_text() == evidence_doc.text(), "python -m tests.executor_check.evidence_doc"


def test_what_is_kept_is_enough() -> None:
    assert evidence.weak(kept()) + evidence.uncovered(kept()) + evidence.unfinished(kept()) == []


def test_every_layer_that_an_example_becomes_has_independent_evidence() -> None:
    layers = kept()["layers"]
    without = [
        key
        for key in map("|".join, lowered.of_examples())
        if not any(s in layers.get(key, {}) for s in evidence.SOURCES)
    ]
    assert sorted(without) == [], f"write a test by hand in tests/executor/layers, then {COMMAND}"


def test_the_tests_by_hand_run_what_is_kept_of_them() -> None:
    found = {"|".join(layer) for result in by_hand.observe(mutate=False) for layer in result.layers}
    assert found == {key for key, row in kept()["layers"].items() if "hand" in row}, COMMAND


def test_of_what_is_kept_every_misreading_is_noticed_or_makes_no_difference() -> None:
    rows = kept()["parameters"].values()
    assert sum(number - noticed for number, *_, noticed in rows) == len(NO_DIFFERENCE)
    assert len(rows) > 60


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_a_change_keeps_type_and_shape_and_changes_values(name: str) -> None:
    change = PERTURBATIONS[name]
    x = np.array([[0.1, 70000.7, 3], [4, np.inf, 6], [7, 8, 9]])
    for dtype, storage in (("FLOAT", np.float32), ("HALF", np.float16), ("INT64", np.int64), ("BOOL", np.bool_)):
        given = (
            np.nan_to_num(x, posinf=2**40).astype(storage) if dtype == "INT64" else (x > 5 if dtype == "BOOL" else x)
        )
        given = np.asarray(given, storage if dtype != "HALF" else np.float64)
        before = given.copy()
        changed = change(given, dtype)
        assert (changed.dtype, changed.shape) == (given.dtype, given.shape)
        assert np.array_equal(given, before)
        assert not np.array_equal(changed, given) or (dtype == "BOOL" and name == "narrowed")


def test_a_mutant_changes_the_layers_of_one_type_and_mode_only() -> None:
    def make(n: Any, x: Any) -> Any:
        doubled = n.add_elementwise(x, x, trt.ElementWiseOperation.SUM)
        return [doubled, n.add_elementwise(doubled.get_output(0), x, trt.ElementWiseOperation.PROD)]

    x = np.array([1, 2], np.int32)
    with mutation.observed() as subject:
        assert [r.tolist() for r in build.run(make, x)] == [[2, 4], [2, 8]]
        assert subject.layers == {("ELEMENTWISE", "SUM", "INT32"), ("ELEMENTWISE", "PROD", "INT32")}
        subject.mutant = mutation.Mutant("ELEMENTWISE", "SUM", "every element")
        assert [r.tolist() for r in build.run(make, x)] == [[3, 5], [3, 10]]
        subject.mutant = mutation.Mutant("ELEMENTWISE", "PROD", "reversed")
        assert [r.tolist() for r in build.run(make, x)] == [[2, 4], [8, 2]]
    assert [r.tolist() for r in build.run(make, x)] == [[2, 4], [2, 8]]


def test_a_misreading_is_of_one_parameter() -> None:
    def make(n: Any, x: Any) -> Any:
        return n.add_reduce(x, trt.ReduceOperation.SUM, 2, False)

    x = np.array([[1, 2], [5, 7]], np.int32)
    with mutation.observed(misreads=True) as subject:
        assert build.run(make, x).tolist() == [3, 12]
        what = {m.what for m in subject.misreadings if m.name == "op"}
        assert {"SUM as MAX", "SUM as PROD"} < what
        for name, other, expected in (("op", "SUM as MAX", [2, 7]), ("axes", "the next axes", [6, 9])):
            misreading = Misreading("REDUCE", name, other)
            assert misreading in subject.misreadings
            subject.mutant = mutation.Mutant("REDUCE", "", mutation.MISREAD, misreading=misreading)
            assert build.run(make, x).tolist() == expected
        subject.mutant = mutation.Mutant(
            "REDUCE", "", mutation.MISREAD, misreading=Misreading("REDUCE", "op", "MIN as MAX")
        )
        assert build.run(make, x).tolist() == [3, 12]  # it is no MIN
        unknown = Misreading("REDUCE", "op", "SUM as NONE")
        subject.mutant = mutation.Mutant("REDUCE", "", mutation.MISREAD, misreading=unknown)
        with pytest.raises(NotRead):
            build.run(make, x)


def test_misreadings_that_nothing_notices_are_named_and_those_that_are_said_to_make_no_difference_must_make_none() -> (
    None
):
    excused = {"|".join(key): {"onnx": [0, 0, 3], "hand": [0, 0, 1]} for key in NO_DIFFERENCE}
    assert evidence.unnoticed({"misread": excused}) == []
    found = {**excused, "UNARY|op|SIN as COS": {"onnx": [0, 2, 0], "hand": [0, 0, 0]}}
    assert evidence.unnoticed({"misread": found}) == ["UNARY|op|SIN as COS: no test notices it"]
    found["UNARY|op|SIN as COS"]["hand"] = [1, 0, 0]
    first, second, *_ = excused
    found[first]["hand"] = [1, 0, 1]
    del found[second]
    assert [line.split("difference, and ")[1] for line in evidence.unnoticed({"misread": found})] == [
        "a test notices it",
        "was not tried",
    ]


TESTS = """
import numpy as np
from tests.executor.build import run
from trtx_backend.trt import trt

def negated():
    return run(lambda n, x: n.add_unary(x, trt.UnaryOperation.NEG), np.array([1, 2], np.float32))

def test_that_looks():
    assert negated().tolist() == [-1, -2]

def test_that_does_not():
    negated()

def test_that_looks_at_one_element():
    assert negated()[0] == -1
"""


def test_a_test_that_does_not_look_misses_every_change(tmp_path: Path) -> None:
    file = tmp_path / "test_three.py"
    file.write_text(TESTS)
    found = by_hand.observe(True, (str(file),))
    totals = [np.sum(list(result.mutations.values()), axis=0).tolist() for result in found]
    # of one axis nothing is to be exchanged, and 1 and 2 keep all their digits in half as many
    assert totals == [[4, 0, 2], [0, 4, 2], [3, 1, 2]]
    assert [line.split(": ")[1] for line in found[2].missed] == ["the last 0"]
    file.write_text(TESTS + "\n\ndef test_wrong():\n    assert negated()[0] == 1\n")
    with pytest.raises(RuntimeError, match="the tests by hand do not pass"):
        by_hand.observe(True, (str(file),))


@pytest.mark.parametrize(
    ("passes", "wrong", "outcome"),
    [
        (True, [1, 2], work.NO_EFFECT),
        (True, [1, np.nextafter(np.float32(2), np.float32(3))], work.NO_EFFECT),
        (True, [1, 2.001], work.MISSED),
        (True, [1, np.nan], work.MISSED),
        (False, [1, np.nextafter(np.float32(2), np.float32(3))], work.NOTICED),
        (False, [1, 2], work.NO_EFFECT),
        (False, None, work.NOTICED),
    ],
)
def test_what_counts_as_noticed(passes: bool, wrong: Any, outcome: int) -> None:
    given = None if wrong is None else {"y": np.array(wrong, np.float32)}
    assert work.judged(passes, given, {"y": np.array([1, 2], np.float32)}) == outcome


def test_too_few_noticed_and_layers_without_a_test_are_named() -> None:
    found = {
        "layers": {"UNARY|NEG|FLOAT": {"used": True}, "UNARY|NEG|HALF": {"used": True, "hand": 1}},
        "mutations": {"UNARY|NEG": {"": {"onnx": [0, 0, 0], "hand": [9, 1, 5]}}},
        "cases": {"generated": {"pass": 3, "timed out": 1}},
    }
    assert [line.split(":")[0] for line in evidence.weak(found)] == ["UNARY", "UNARY|NEG"]
    assert evidence.uncovered(found) == ["UNARY|NEG|FLOAT: a lowering uses it, no independent test does"]
    assert evidence.unfinished(found) == ["generated: 1 timed out"]
    found["mutations"]["UNARY|NEG"][""]["hand"] = [19, 1, 5]
    assert evidence.weak(found) == []
    other = {"layers": {"UNARY|NEG|HALF": {"used": True, "hand": 7}}}
    (line,) = evidence.differences(found, other)
    assert line.startswith("UNARY|NEG|FLOAT: used, kept is nothing")
