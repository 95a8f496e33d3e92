"""What the comparison of listings does not show: names, memory of constants, wrong arguments, and what crashes TensorRT."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trtx_backend import mock as trt

Op, Unary = trt.ElementWiseOperation, trt.UnaryOperation


class Log(trt.ILogger):
    def __init__(self) -> None:
        self.errors: list[str] = []

    def log(self, severity: Any, message: str) -> None:
        self.errors.append(message)

    def take(self) -> str:
        text = "; ".join(self.errors)
        self.errors.clear()
        return text


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def network(log: Log) -> Any:
    return trt.Builder(log).create_network()


def test_a_refusal_names_the_layer_and_the_rule(network: Any, log: Log) -> None:
    x, y = network.add_input("x", trt.float32, (2, 3)), network.add_input("y", trt.float32, (4, 3))
    layer = network.add_elementwise(x, y, Op.SUM)
    layer.name = "sum"
    after = network.add_unary(layer.get_output(0), Unary.NEG)
    for tensor in (layer.get_output(0), after.get_output(0)):
        with pytest.raises(RuntimeError):
            tensor.shape  # noqa: B018
        assert log.take() == "sum (ELEMENTWISE): dimension 0 is 2 and 4: must be equal, or 1"


def test_a_change_is_seen_by_the_layers_behind(network: Any) -> None:
    x = network.add_input("x", trt.float32, (2, 3))
    shuffle = network.add_shuffle(x)
    behind = network.add_unary(shuffle.get_output(0), Unary.NEG).get_output(0)
    assert behind.shape == (2, 3)
    shuffle.reshape_dims = (6,)
    assert behind.shape == (6,)


def test_names_are_unique(network: Any, log: Log) -> None:
    x = network.add_input("x", trt.float32, (2,))
    first, second = (network.add_unary(x, Unary.NEG) for _ in range(2))
    first.name, second.name = "a", "a"
    assert (first.name, second.name) == ("a", "(Unnamed Layer* 1) [Unary]")
    assert "the name is used" in log.take()
    second.get_output(0).name = "x"
    assert second.get_output(0).name == "(Unnamed Layer* 1) [Unary]_output"
    assert "the name is used" in log.take()
    assert network.add_input("x", trt.float32, (2,)) is None


def test_outputs(network: Any, log: Log) -> None:
    x = network.add_input("x", trt.float32, (2,))
    y = network.add_unary(x, Unary.NEG).get_output(0)
    network.mark_output(y)
    assert y.is_network_output and not x.is_network_output and x.is_network_input
    for tensor in (x, y):
        network.mark_output(tensor)
        assert "cannot become an output" in log.take()
    assert network.num_outputs == 1
    network.unmark_output(y)
    assert network.num_outputs == 0


def test_a_view_has_the_parameters_of_its_class_only(network: Any) -> None:
    x = network.add_input("x", trt.float32, (2,))
    made = network.add_activation(x, trt.ActivationType.ELU)
    view = network.get_layer(0)
    assert (view.type, made.type) == (trt.LayerType.ACTIVATION, trt.ActivationType.ELU)
    assert not hasattr(view, "alpha")
    view.__class__ = trt.IActivationLayer
    view.alpha = 0.5
    assert made.alpha == 0.5


def test_constants_refer_to_their_array(network: Any) -> None:
    array = np.arange(4, dtype=np.float32)
    layer = network.add_constant((2, 2), array)
    array[0] = 7
    assert layer.weights[0] == 7
    assert np.shares_memory(layer.weights, array)
    at = network.add_constant((4,), trt.Weights(trt.float32, array.ctypes.data, 4))
    assert at.weights.tolist() == [7, 1, 2, 3]


def test_weights_are_known_by_their_memory(network: Any, log: Log) -> None:
    array, other = np.ones(4, np.float32), np.ones(4, np.float32)
    network.add_constant((4,), array)
    assert network.set_weights_name(trt.Weights(array), "w")
    assert not network.set_weights_name(trt.Weights(other), "v")
    assert not network.mark_weights_refittable("v")
    assert network.mark_weights_refittable("w") and network.are_weights_marked_refittable("w")
    assert network.unmark_weights_refittable("w") and not network.are_weights_marked_refittable("w")
    network.add_constant((4,), other)
    assert not network.set_weights_name(trt.Weights(other), "w")
    assert network.set_weights_name(trt.Weights(array), "renamed") and not network.mark_weights_refittable("w")
    assert len(log.errors) == 4


def test_a_cycle_is_refused(network: Any, log: Log) -> None:
    x = network.add_input("x", trt.float32, (2,))
    first = network.add_elementwise(x, x, Op.SUM)
    second = network.add_unary(first.get_output(0), Unary.NEG)
    first.set_input(1, second.get_output(0))
    with pytest.raises(RuntimeError):
        second.get_output(0).shape  # noqa: B018
    assert "cycle" in log.take()


def test_a_deep_network_needs_no_recursion(network: Any) -> None:
    tensor = network.add_input("x", trt.float32, (2,))
    for _ in range(5000):
        tensor = network.add_unary(tensor, Unary.NEG).get_output(0)
    assert tensor.shape == (2,)


@pytest.mark.parametrize("array", [np.ones(1), np.ones(1, np.uint32), np.ones((2, 2), np.float32)[:, 0]])
def test_an_array_that_cannot_be_weights_is_a_value_error(array: Any) -> None:
    with pytest.raises(ValueError):
        trt.Weights(array)


@pytest.mark.parametrize(
    "call",
    [
        lambda n, x: n.add_unary(None, Unary.NEG),
        lambda n, x: n.add_unary(x, Op.SUM),
        lambda n, x: n.add_reduce(x, trt.ReduceOperation.SUM, 1.0, True),
        lambda n, x: n.add_reduce(x, trt.ReduceOperation.SUM, 1, 1),
        lambda n, x: n.add_slice(x, (0.5,), (1,), (1,)),
        lambda n, x: n.add_input("y", "float32", (1,)),
        lambda n, x: n.add_input("y", trt.float32, (1,) * 9),
        lambda n, x: n.add_constant((1,), [1.0]),
        lambda n, x: setattr(n.add_activation(x, trt.ActivationType.ELU), "alpha", "1"),
        lambda n, x: n.mark_output("x"),
        lambda n, x: n.add_cast(x, np.float32),
        lambda n, x: n.add_unary(x, Unary.NEG).set_input(0, None),
    ],
)  # fmt: skip
def test_a_wrong_python_type_is_a_type_error(network: Any, call: Any) -> None:
    with pytest.raises(TypeError):
        call(network, network.add_input("x", trt.float32, (2,)))


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda n, x: setattr(n.add_shuffle(x), "first_transpose", (1, 2)), "no permutation"),
        (lambda n, x: setattr(n.add_shuffle(x), "second_transpose", (-1, 0)), "no permutation"),
        (lambda n, x: n.add_gather_v2(x, n.add_input("i", trt.int32, ()), trt.GatherMode.ND), "number of coordinates"),
        (lambda n, x: n.add_gather_v2(x, n.add_input("i", trt.int32, (2, 4)), trt.GatherMode.ND), "number of coordinates"),
        (lambda n, x: n.add_gather_v2(x, n.add_input("i", trt.int32, (2, 0)), trt.GatherMode.ND), "number of coordinates"),
    ],
)  # fmt: skip
def test_what_crashes_tensorrt_is_refused(network: Any, log: Log, call: Any, reason: str) -> None:
    call(network, network.add_input("x", trt.float32, (2, 3)))
    with pytest.raises(RuntimeError):
        network.get_layer(network.num_layers - 1).get_output(0).shape  # noqa: B018
    assert reason in log.take()


def test_tensors_of_another_network_are_refused(network: Any, log: Log) -> None:
    other = trt.Builder(log).create_network().add_input("x", trt.float32, (2,))
    assert network.add_unary(other, Unary.NEG) is None
    x = network.add_input("x", trt.float32, (2,))
    network.add_elementwise(x, x, Op.SUM).set_input(1, other)
    network.mark_output(other)
    assert len(log.errors) == 3


def test_a_plan_says_that_it_is_a_mocks(network: Any, log: Log) -> None:
    builder = network.builder
    config = builder.create_builder_config()
    assert config.get_flag(trt.BuilderFlag.TF32)
    config.clear_flag(trt.BuilderFlag.TF32)
    config.num_compute_capabilities = 2
    assert config.set_compute_capability(trt.ComputeCapability.SM89, 1)
    assert not config.set_compute_capability(trt.ComputeCapability.SM89, 2)
    assert builder.build_serialized_network(network, config) is None
    x = network.add_input("x", trt.float32, (2,))
    network.mark_output(network.add_unary(x, Unary.NEG).get_output(0))
    plan = bytes(builder.build_serialized_network(network, config))
    assert plan.startswith(b'{"for": ["NONE", "SM89"]') and b'"mock": "Unnamed Network 0"' in plan
    assert bytes(builder.build_serialized_network(network, config)) == plan
    network.add_unary(x, Unary.NOT)
    assert builder.build_serialized_network(network, config) is None
    assert "must be BOOL" in log.take()
