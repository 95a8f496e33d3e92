"""Reading a network: order, dead layers, lifetimes; running it: feeds, types, shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.executor.build import run, same
from trtx_backend.errors import ExecutorError
from trtx_backend.executor import execute, read
from trtx_backend.executor.steps import _round, expect
from trtx_backend.trt import builder, flavor, trt

Unary = trt.UnaryOperation


def network_of(length: int) -> Any:
    network = builder().create_network()
    x = network.add_input("x", trt.float32, (2,))
    for _ in range(length):
        x = network.add_unary(x, Unary.NEG).get_output(0)
    x.name = "y"
    network.mark_output(x)
    return network


def test_layers_that_no_output_needs_are_not_run() -> None:
    network = network_of(3)
    network.add_unary(network.get_input(0), Unary.EXP)
    assert len(read(network).steps) == 3


def test_constants_may_come_after_their_consumer() -> None:
    def make(n: Any, x: Any) -> Any:
        layer = n.add_convolution_nd(x, 1, (1, 1), trt.Weights(trt.float32), trt.Weights(trt.float32))
        layer.set_input(1, n.add_constant((1, 1, 1, 1), np.array([2], np.float32)).get_output(0))
        return layer

    same(run(make, np.full((1, 1, 1, 2), 3, np.float32)), np.full((1, 1, 1, 2), 6, np.float32))


def test_a_long_chain_needs_no_recursion() -> None:
    program = read(network_of(2501))
    assert execute(program, {"x": np.array([1, -2], np.float32)})["y"].tolist() == [-1, 2]


def test_a_tensor_is_dropped_after_its_last_reader() -> None:
    program = read(network_of(3))
    assert program.steps[0].dead == ("x",)
    assert sum(len(step.dead) for step in program.steps) == 3
    assert "y" not in program.steps[-1].dead


def test_outputs_have_memory_of_their_own() -> None:
    data, fed = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones(2, np.float32)
    weights = trt.Weights(data.reshape(-1))

    def make(n: Any, x: Any) -> Any:
        constant = n.add_constant((2, 3), weights).get_output(0)
        turned = n.add_shuffle(constant)
        turned.second_transpose = (1, 0)
        return [constant, turned, n.add_identity(x)]

    results = run(make, fed)
    expected = (data.copy(), data.T.copy(), fed.copy())
    data[:], fed[:] = -1, -1
    for result, values in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, values)


@pytest.mark.parametrize(
    ("feeds", "message"),
    [
        ({}, "input x is missing"),
        ({"x": np.zeros(2)}, r"x is float64\[2\], TensorRT says FLOAT\[2\]"),
        ({"x": np.zeros(3, np.float32)}, r"x is float32\[3\], TensorRT says FLOAT\[2\]"),
    ],
)
def test_wrong_feeds_are_refused(feeds: Any, message: str) -> None:
    with pytest.raises(ExecutorError, match=message):
        execute(read(network_of(1)), feeds)


def test_a_result_of_another_type_or_shape_than_tensorrt_inferred_is_an_error() -> None:
    info = read(network_of(1)).outputs[0]
    with pytest.raises(ExecutorError, match="step: computed int64, TensorRT says FLOAT"):
        _round(info, np.zeros(2, np.int64), "step")
    with pytest.raises(ExecutorError, match=r"step: y is float32\[1, 2\], TensorRT says FLOAT\[2\]"):
        expect(info, np.zeros((1, 2), np.float32), "step")


def test_each_layer_is_rounded_once_to_its_own_type() -> None:
    # 1/3 in float32 times 3 in float64 is not 1; rounded to float32 it is
    def make(n: Any, x: Any) -> Any:
        third = n.add_unary(x, Unary.RECIP).get_output(0)
        return n.add_elementwise(third, x, trt.ElementWiseOperation.PROD)

    same(run(make, np.array([3], np.float32)), np.array([1], np.float32))
    # 2048 + 1 + 2^-14 is above the tie that float32 would make of it on the way to float16
    row, ones = np.array([[2048, 1, 2**-14]], np.float16), np.ones((3, 1), np.float16)
    none = trt.MatrixOperation.NONE
    same(run(lambda n, a, b: n.add_matrix_multiply(a, none, b, none), row, ones), np.array([[2050]], np.float16))


@pytest.mark.skipif(flavor.name == "mock", reason="the mock has no layer that the executor does not know")
def test_a_layer_that_the_executor_does_not_know_is_named() -> None:
    network = builder().create_network()
    x = network.add_input("x", trt.float32, (2, 1, 4))
    layer = network.add_ragged_softmax(x, network.add_input("bounds", trt.int32, (2, 1, 1)))
    layer.name = "the softmax"
    network.mark_output(layer.get_output(0))
    with pytest.raises(ExecutorError, match="the softmax: the executor does not compute RAGGED_SOFTMAX layers"):
        read(network)


def test_float32_accumulation_adds_the_noise_of_float32() -> None:
    network = builder().create_network()
    x = network.add_input("x", trt.float32, (3,))
    axis = network.add_constant((), np.array([0], np.int32)).get_output(0)
    total = network.add_cumulative(x, axis, trt.CumulativeOperation.SUM, False, False).get_output(0)
    total.name = "y"
    network.mark_output(total)
    feeds = {"x": np.array([2**24, 1, 1], np.float32)}
    assert execute(read(network), feeds)["y"][2] == 2**24 + 2
    assert execute(read(network), feeds, np.float32)["y"][2] == 2**24
