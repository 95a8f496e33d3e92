"""Evidence for what does not pass: each kind speaks against a case that it does not explain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper  # noqa: E402

from tests.executor_check import networks, reasons, whole  # noqa: E402
from tests.executor_check.__main__ import doubtful, unexpected  # noqa: E402
from tests.executor_check.corpus import Case  # noqa: E402

EXPECTED = json.loads(Path(__file__).with_name("expected.json").read_text())


def case(expected: list[list[float]], **attributes: Any) -> Case:
    """An Elu of [[-9, 2], [0.5, 9]], and what should come out."""
    node = helper.make_node("Elu", ["x"], ["y"], **attributes)
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 2]) for name in "xy"]
    graph = helper.make_graph([node], "elu", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    inputs = [np.array([[-9, 2], [0.5, 9]], np.float32)]
    return Case("made", "elu", model.SerializeToString(), inputs, [np.array(expected, np.float32)])


ELU = float(np.float32(np.expm1(-9)))
RIGHT = [[ELU, 2], [0.5, 9]]


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("spelled_out", {"alpha": 3.0}, RIGHT),
        ("unread", "x", RIGHT),
        ("unread", "other", RIGHT),
        ("only_outside", [-8, 7], [[ELU, 3], [0.5, 9]]),
        ("digits", 2, [[ELU, 2], [0.5, 9]]),
        ("nearer", True, RIGHT),
        ("own_shape", True, RIGHT),
        ("same_rows", True, [[0.5, 2], [ELU, 9]]),
        ("types", ["INT8", "UINT8"], RIGHT),
        ("same_within", [0, 8], [[ELU, 3], [0.5, 9]]),
    ],
)
def test_evidence_that_does_not_hold(key: str, value: Any, expected: Any) -> None:
    assert reasons.doubts(case(expected), {key: value})


def test_an_attribute_that_is_not_ignored() -> None:
    assert (
        reasons.doubts(case(RIGHT, alpha=2.0), {"ignores": ["alpha"]}) == "without the attribute the network is another"
    )
    assert reasons.doubts(case(RIGHT), {"ignores": ["alpha"]}) == "it has no such attribute"
    assert not reasons.doubts(case(RIGHT, alpha=1.0), {"ignores": ["alpha"]})


def test_only_rows_without_anything_may_be_nan() -> None:
    given = Case("made", "rows", b"", [None] * 3 + [np.array([[False, False], [True, True]])], [])
    nan, expected = np.array([[np.nan, np.nan], [3, 4]], np.float32), np.array([[0, 0], [3, 4]], np.float32)
    assert not reasons.only_nan(given, None, [(nan, expected)], True)
    assert reasons.only_nan(given, None, [(nan[::-1], expected[::-1])], True)
    assert reasons.only_nan(given, None, [(np.ones_like(nan), expected)], True)
    assert reasons.only_nan(given, None, [(np.array([[1, 1], [3, 4]], np.float32), expected)], True)
    assert reasons.only_nan(given, None, [(nan, expected + 1)], True)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("only_outside", [-8, 7], [[5, 2], [0.5, 10]]),
        ("digits", 2, [[-1, 2], [0.5, 9]]),
        ("same_rows", True, [[0.5, 9], [ELU, 2]]),
        ("types", ["FLOAT", "FLOAT32"], RIGHT),
        ("same_within", [0, 8], [[ELU, 2], [0.5, 8]]),
    ],
)
def test_evidence_that_holds(key: str, value: Any, expected: Any) -> None:
    assert not reasons.doubts(case(expected), {key: value})


def test_a_reason_needs_evidence() -> None:
    assert reasons.doubts(case(RIGHT), {"text": "so it is"}) == "no evidence is named"
    for name, reason in EXPECTED["reasons"].items():
        assert name == "random" or set(reason) & set(reasons.EVIDENCE), name
    assert {reason for _, reason in EXPECTED["cases"].values()} == set(EXPECTED["reasons"])


def test_networks_are_expected_both_ways() -> None:
    assert set(EXPECTED["networks"]) == set(networks.names())
    good = {"a": whole.Found("pass", 3)}
    assert not unexpected(good, {"a": ["pass", 3]})
    assert unexpected(good, {"a": ["mismatch", 3]})
    assert unexpected(good, {"a": ["pass", 4]})
    assert unexpected(good, {})
    assert unexpected({}, {"a": ["pass", 3]})
    assert unexpected({"a": whole.Found("mismatch: far")}, {"a": ["pass", 0]})


def test_what_is_far() -> None:
    exact = [np.array([0.5, 0.25]), np.array([8.0, -4.0])]
    off = [np.array([0.5, 0.3125]), np.array([8.0, -4.5])]
    assert whole.far(exact, exact) == 0
    assert whole.far(off, exact) == 0.0625  # of 8; and of the softmax's half, as often as the logits' 8
    assert whole.far(off[1:], exact[1:]) == 0.0625
    assert whole.far([exact[0], np.array([np.nan, -4])], exact) == np.inf
    assert whole.far(exact[:1], exact) == np.inf
    assert whole.verdict(whole.Found("", executor=np.nan)).startswith("mismatch")
    assert whole.verdict(whole.Found("", executor=whole.NEAR, beside=whole.BESIDE)) == "pass"
    assert whole.verdict(whole.Found("", beside=2 * whole.BESIDE)).startswith("mismatch")


def test_doubts_are_told() -> None:
    given = case(RIGHT)
    expected = {"cases": {given.key: ["mismatch", "a"]}, "reasons": {"a": {"text": "because"}}}
    assert len(doubtful([given], expected)) == 1
