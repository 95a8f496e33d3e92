"""Whole graphs: bindings, outputs, forms of values."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.run import graph, layers, run
from trtx_backend.errors import UnsupportedError
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.ir import Graph, Operator
from trtx_backend.graph.operator import RULES
from trtx_backend.lowering import lower
from trtx_backend.lowering.registry import entries
from trtx_backend.runtime.cpu import CpuGraph

X = np.array([[1, -2], [-3, 4]], np.float32)


def test_every_operator_has_a_lowering() -> None:
    assert {rule.webnn_name for rule in RULES.values()} <= set(entries())


def test_an_operator_without_lowering_is_unsupported() -> None:
    made = graph(lambda b, x: b.relu(x), X)
    strange = Graph(made.inputs, made.outputs, (), (Operator("quux", {}, {}),))
    with pytest.raises(UnsupportedError, match="no lowering for quux"):
        lower(strange)


def test_inputs_and_outputs_may_have_any_name() -> None:
    b = MLGraphBuilder()
    names = ["x", "in0", "out0", "ünï ☃", "a\0b", "n" * 5000]
    total = b.input(names[0], "float32", [2])
    for name in names[1:]:
        total = b.add(total, b.input(name, "float32", [2]))
    outputs = CpuGraph(b.finish({name: b.relu(total) for name in names})).compute(
        {name: np.full(2, 2.0**index, np.float32) for index, name in enumerate(names)}
    )
    assert {name: array.tolist() for name, array in outputs.items()} == {name: [63.0, 63.0] for name in names}


def test_an_operand_may_be_several_outputs_and_an_intermediate_one() -> None:
    first, second, third = run(lambda b, x: (y := b.relu(x), y, b.neg(y)), X)
    assert first.tolist() == second.tolist() == [[1, 0], [0, 4]]
    assert third.tolist() == [[-1, 0], [0, -4]]


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8"])
@pytest.mark.parametrize("constants", [False, True])
def test_identity_of_an_input_or_a_constant_is_an_output(dtype: str, constants: bool) -> None:
    data = np.array([0, 1, 100], dtype)
    result = run(lambda b, x: b.identity(x), data, constants=constants)
    assert result.dtype == data.dtype and result.tolist() == data.tolist()


def test_truth_values_stay_truth_values() -> None:
    counts = layers(lambda b, x: b.logical_and(b.greater(x, x), b.logical_not(b.equal(x, x))), X)
    assert counts == {"ELEMENTWISE": 3, "UNARY": 1, "CAST": 1}  # the cast to UINT8 at the output


def test_any_uint8_but_zero_is_true_and_keeps_its_value() -> None:
    data = np.array([0, 1, 2, 255], np.uint8)
    truth, total = run(lambda b, x: (b.logical_and(x, x), b.add(x, x)), data)
    assert truth.tolist() == [0, 1, 1, 1]
    assert total.tolist() == [0, 2, 4, 254]


def test_constants_come_at_the_rank_and_type_that_is_needed() -> None:
    b = MLGraphBuilder()
    x = b.input("x", "int8", [2, 2])
    made = b.finish({"y": b.add(x, b.constant(np.array([1, 2], np.int8)))})
    network = lower(made).network
    kinds = [network.get_layer(i).type.name for i in range(network.num_layers)]
    assert kinds.count("SHUFFLE") == 0
    assert kinds.count("CONSTANT") == 3  # the operand as INT32 at rank 2, and 128 and 256 for the wrap-around


def test_networks_of_one_graph_are_named_alike() -> None:
    def names() -> list[str]:
        network = lower(graph(lambda b, x: b.relu(b.exp(x)), X)).network
        return [network.name, *(network.get_layer(i).name for i in range(network.num_layers))]

    assert names() == names() == ["webnn", "0.0 exp unary", "1.0 relu activation"]
