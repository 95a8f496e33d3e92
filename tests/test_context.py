"""Contexts, tensors, dispatch, limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.cases import find_corpus
from tests.conformance.make import ROOT
from tests.examples import EXAMPLES
from trtx_backend import ML, Backend, BackendUnavailable, InvalidStateError, MLContextOptions, MLGraphBuilder
from trtx_backend.context import MLContext, MLGraph
from trtx_backend.dtypes import ANY
from trtx_backend.graph.operator import RULES
from trtx_backend.graph.serial import operator_rule, python_name
from trtx_backend.runtime.double import installed

X = np.array([[1, -2], [3, -4]], np.float32)


@pytest.fixture(params=["cpu", "double of a GPU"])
def context(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MLContext]:
    """Both backends are the same to a program."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if request.param == "cpu":
        yield ML().create_context(MLContextOptions(accelerated=False))
        return
    with installed() as machine:
        with ML().create_context() as made:
            assert made.backend is Backend.TRTX
            yield made
        assert machine.wrong == []


def graph(context: MLContext) -> MLGraph:
    builder = MLGraphBuilder(context)
    built: MLGraph = builder.build({"y": builder.relu(builder.input("x", "float32", [2, 2]))})
    return built


def test_dispatch(context: MLContext) -> None:
    x = context.create_tensor("float32", [2, 2], writable=True)
    y = context.create_tensor("float32", [2, 2], readable=True)
    context.write_tensor(x, X)
    context.dispatch(graph(context), {"x": x}, {"y": y})
    assert context.read_tensor(y).tolist() == [[1, 0], [3, 0]]
    assert (x.byte_length, context.create_tensor("int4", [3]).byte_length) == (16, 2)


def test_the_byte_order_of_an_array_does_not_matter(context: MLContext) -> None:
    assert context.compute(graph(context), {"x": X.astype(">f4")})["y"].tolist() == [[1, 0], [3, 0]]


def test_data_may_be_flat(context: MLContext) -> None:
    assert context.compute(graph(context), {"x": X.reshape(-1)})["y"].tolist() == [[1, 0], [3, 0]]


def test_objects_say_what_they_are(context: MLContext) -> None:
    made, tensor = graph(context), context.create_tensor("float32", [2, 2])
    assert (repr(made), repr(tensor)) == ("<MLGraph x float32[2, 2] -> y float32[2, 2]>", "<MLTensor float32[2, 2]>")
    tensor.destroy()
    made.destroy()
    assert repr(made).endswith(", destroyed>") and repr(tensor).endswith(", destroyed>")
    assert repr(context) == f"<MLContext {context.device}>"


def test_compute_leaves_its_inputs_alone(context: MLContext) -> None:
    x = X.copy()
    assert context.compute(graph(context), {"x": x})["y"].tolist() == [[1, 0], [3, 0]]
    np.testing.assert_array_equal(x, X)


def test_a_read_is_a_copy(context: MLContext) -> None:
    y = context.create_tensor("float32", [2], readable=True)
    context.read_tensor(y)[:] = 5
    assert context.read_tensor(y).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c, g, x, y: c.dispatch(g, {"x": x}, {"y": x}), "it is bound twice"),
        (lambda c, g, x, y: c.dispatch(g, {}, {"y": y}), "'x' is missing"),
        (lambda c, g, x, y: c.dispatch(g, {"x": x, "z": y}, {"y": y}), "the graph has no 'z'"),
        (lambda c, g, x, y: c.dispatch(g, {"x": c.create_tensor("float32", [4])}, {"y": y}), "the graph has float32[2, 2]"),
        (lambda c, g, x, y: c.dispatch(g, {"x": x}, {"y": c.create_tensor("float16", [2, 2])}), "the graph has float32"),
        (lambda c, g, x, y: c.dispatch(g, {"x": x}, {"y": ML().create_context().create_tensor("float32", [2, 2])}),
         "it belongs to another context"),
        (lambda c, g, x, y: ML().create_context().dispatch(g, {"x": x}, {"y": y}), "it was built by another context"),
        (lambda c, g, x, y: c.write_tensor(y, X), "it was not created writable"),
        (lambda c, g, x, y: c.read_tensor(x), "it was not created readable"),
        (lambda c, g, x, y: c.write_tensor(x, X[0]), "an array of float32[2]': float32[2, 2] takes that shape, or its 4 elements in one dimension"),
        (lambda c, g, x, y: c.write_tensor(x, X.astype(np.float64)), "is 'an array of float64[2, 2]': float32[2, 2] takes a numpy array of float32"),
        (lambda c, g, x, y: c.write_tensor(c.create_tensor("uint4", [1], writable=True), np.array([16], np.uint8)),
         "uint4 is from 0 to 15"),
        (lambda c, g, x, y: c.write_tensor("x", X), "must be an MLTensor"),
        (lambda c, g, x, y: c.write_tensor(x, np.ma.masked_less(X, 0)), "is 'a masked array': fill in what is masked"),
        (lambda c, g, x, y: c.write_tensor(x, X.reshape(1, 4)), "is 'an array of float32[1, 4]': float32[2, 2] takes that shape"),
        (lambda c, g, x, y: c.write_tensor(x, X.tolist()), "is 'a list': float32[2, 2] takes a numpy array of float32"),
        (lambda c, g, x, y: c.compute(g, {"x": None}), "compute: input 'x' is 'None': float32[2, 2] takes a numpy array"),
        (lambda c, g, x, y: c.compute(g, {"x": X.T[None]}), "compute: input 'x' is 'an array of float32[1, 2, 2]'"),
        (lambda c, g, x, y: c.create_tensor("float32", [1], writable="yes"), "create_tensor: writable is 'yes'"),
        (lambda c, g, x, y: c.dispatch(None, {"x": x}, {"y": y}), "dispatch: graph is None: must be an MLGraph"),
        (lambda c, g, x, y: c.compute("g", {"x": X}), "compute: graph is 'g': must be an MLGraph"),
        (lambda c, g, x, y: c.dispatch(g, None, {"y": y}), "dispatch: inputs is None: must be a mapping"),
        (lambda c, g, x, y: c.dispatch(g, {"x": x}, [y]), "must be a mapping of names"),
        (lambda c, g, x, y: c.create_tensor("float64", [1]), "must be one of float32"),
        (lambda c, g, x, y: c.create_tensor("float32", [0]), "each dimension must be from 1"),
        (lambda c, g, x, y: (x.destroy(), x.destroy(), c.dispatch(g, {"x": x}, {"y": y})), "it was destroyed"),
    ],
)  # fmt: skip
def test_wrong_calls_are_type_errors(context: MLContext, call: Any, message: str) -> None:
    x = context.create_tensor("float32", [2, 2], writable=True)
    y = context.create_tensor("float32", [2, 2], readable=True)
    with pytest.raises(TypeError) as error:
        call(context, graph(context), x, y)
    assert message in str(error.value)


def test_a_destroyed_graph_and_a_lost_context(context: MLContext) -> None:
    made = graph(context)
    made.destroy()
    with pytest.raises(InvalidStateError, match="this MLGraph was destroyed"):
        context.compute(made, {"x": X})
    assert context.lost is None
    context.destroy()
    context.destroy()
    assert context.lost == "destroy() was called"
    with pytest.raises(InvalidStateError, match="lost"):
        context.create_tensor("float32", [1])


def test_a_builder_without_a_context_cannot_build() -> None:
    builder = MLGraphBuilder()
    with pytest.raises(InvalidStateError, match="has no context"):
        builder.build({"y": builder.relu(builder.input("x", "float32", [1]))})


def test_a_forced_backend_fails_clearly_and_a_preferred_one_falls_back() -> None:
    with pytest.raises(BackendUnavailable, match="the trtx backend was asked for and cannot be had: "):
        ML().create_context(MLContextOptions(backend=Backend.TRTX))
    assert ML().create_context().backend is Backend.CPU
    assert ML().create_context(MLContextOptions(backend=Backend.CPU)).backend is Backend.CPU


def test_support_limits_say_what_the_builder_takes_and_gives(context: MLContext) -> None:
    limits = context.op_support_limits()
    assert limits["conv2d"]["bias"] == {"data_types": ["float32", "float16"], "rank_range": {"min": 1, "max": 1}}
    assert limits["equal"]["output"]["data_types"] == ["uint8"]
    assert limits["gru"]["output1"]["rank_range"] == {"min": 4, "max": 4}
    assert set(limits) == {*RULES, "preferred_input_layout", "max_tensor_byte_length", "input", "constant", "output"}
    for name, rule in RULES.items():
        for dtype in next(iter(rule.limits.values())).dtypes if name != "where" else ANY:
            made = EXAMPLES[name](MLGraphBuilder(), dtype)
            rows = [row for key, row in limits[name].items() if key in rule.results]
            for operand, row in zip(made if isinstance(made, tuple) else [made], rows * 2, strict=False):
                assert operand.dtype in row["data_types"], name
                assert row["rank_range"]["min"] <= operand.rank <= row["rank_range"]["max"], name


def test_support_limits_cover_what_every_backend_must_support(context: MLContext) -> None:
    minimum = find_corpus(None, ROOT).minimum
    if not minimum:
        pytest.skip("needs the corpus")
    limits = context.op_support_limits()
    narrower = set()
    for webnn_name, operands in minimum.items():
        rule = operator_rule(webnn_name)
        for operand, wanted in operands.items():
            own = {python_name(operand), *(["a"] if operand == "input" else [])} & set(limits[rule.name])
            row = limits[rule.name][own.pop()]
            ranks, least = row["rank_range"], wanted["rankRange"]
            inside = ranks["min"] <= least.get("min", ranks["min"]) and least.get("max", 0) <= ranks["max"]
            if not inside or not set(wanted["dataTypes"]) <= set(row["data_types"]):
                narrower.add((webnn_name, operand))
    # WPT's list begins at rank 0 here, where the specification begins at 1: a scalar has no axis to join or cut along
    assert narrower <= {("concat", "inputs"), ("concat", "output"), ("split", "input"), ("split", "outputs")}, narrower
