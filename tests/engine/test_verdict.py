"""The key of a verdict changes with whatever TensorRT can tell of a network, with the settings, and with nothing else."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from conformance.cases import Case, find_corpus, load
from conformance.runner import build
from tests.conformance.make import ROOT
from tests.engine.graphs import EXPORTED, mlp
from tests.engine.test_key import CHANGED_SETTINGS
from trtx_backend.engine import EngineSettings, verdict, verdict_key
from trtx_backend.engine.verdict import properties
from trtx_backend.executor.layers import layer_class
from trtx_backend.executor.listing import PARAMETERS, listing
from trtx_backend.graph import Graph, MLGraphBuilder
from trtx_backend.lowering import lower
from trtx_backend.trt import builder, trt

SETTINGS = EngineSettings()


def key(network: Any, settings: EngineSettings = SETTINGS) -> str:
    found = verdict_key(network, settings)
    assert found is not None
    return found


@cache
def house() -> dict[str, Graph]:
    """A graph of house cases for each type of layer that any of them has."""
    found: dict[str, Graph] = {}
    for paths in find_corpus(None, ROOT).files.values():
        for path in paths:
            for case in load(path) if path.parent.name == "house" else ():
                if isinstance(case, Case):
                    graph, _ = build(case)
                    network = lower(graph).network
                    for index in range(network.num_layers):
                        found.setdefault(network.get_layer(index).type.name, graph)
    return found


def test_the_house_cases_have_every_type_of_layer_that_is_listed() -> None:
    assert set(house()) == set(PARAMETERS)


@pytest.mark.parametrize("kind", sorted(PARAMETERS))
def test_every_property_of_a_layer_changes_it(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read as something else; to set them one by one makes networks that TensorRT does not survive."""
    network = lower(house()[kind]).network
    before, read = key(network), verdict._property
    own = getattr(trt.LayerType, kind)
    for name in {*PARAMETERS[kind], "name", "metadata"}:
        seen: list[Any] = []

        def another(layer: Any, asked: str, name: str = name, seen: list[Any] = seen) -> Any:
            if asked == name and verdict._KIND(layer) == own:
                seen.append(layer)
                return "something else"
            return read(layer, asked)

        monkeypatch.setattr(verdict, "_property", another)
        assert key(network) != before, name
        assert seen, name
    monkeypatch.undo()
    assert key(network) == before


def operations(b: MLGraphBuilder, x: Any) -> list[Any]:
    """Results of one shape and type, each of which differs from another one in one option."""
    window = {"window_dimensions": [2, 2], "strides": [2, 2]}
    w = b.constant(np.ones((4, 4, 3, 3), np.float32))
    doubled = {"sizes": [8, 8]}
    return [
        b.leaky_relu(x, alpha=0.1), b.leaky_relu(x, alpha=0.2), b.elu(x, alpha=0.1), b.abs(x), b.neg(x),
        b.softmax(x, 1), b.softmax(x, 2), b.add(x, x), b.mul(x, x),
        b.transpose(x, permutation=[0, 1, 3, 2]), b.transpose(x, permutation=[0, 2, 1, 3]),
        b.cumulative_sum(x, 1), b.cumulative_sum(x, 1, exclusive=True), b.cumulative_sum(x, 1, reversed=True),
        b.conv2d(x, w, padding=[1, 1, 1, 1]), b.conv2d(x, w, padding=[2, 2, 2, 2], dilations=[2, 2]),
        b.conv2d(x, w, padding=[0, 2, 1, 1]), b.conv2d(x, w, padding=[1, 1, 0, 2]),
        b.expand(b.average_pool2d(x, **window), [4, 4, 2, 2]), b.expand(b.max_pool2d(x, **window), [4, 4, 2, 2]),
        b.resample2d(x, mode="linear", **doubled), b.resample2d(x, mode="nearest-neighbor", **doubled),
        b.slice(x, [0, 0, 0, 0], [1, 1, 2, 2]), b.slice(x, [0, 0, 0, 1], [1, 1, 2, 2]),
        b.slice(x, [0, 0, 0, 0], [1, 1, 4, 4], strides=[1, 1, 2, 2]), b.reduce_sum(x, axes=[1]), b.reduce_max(x, axes=[1]),
        b.reduce_sum(x, axes=[2]), b.matmul(x, x), b.matmul(x, b.transpose(x, permutation=[0, 1, 3, 2])),
    ]  # fmt: skip


def test_options_of_operators_change_it() -> None:
    def make(index: int) -> str:
        b = MLGraphBuilder()
        network = lower(b.finish({"y": operations(b, b.input("x", "float32", [4, 4, 4, 4]))[index]})).network
        for place in range(network.num_layers):
            network.get_layer(place).name = f"layer {place}"
        return key(network)

    count = len(operations(b := MLGraphBuilder(), b.input("x", "float32", [4, 4, 4, 4])))
    assert len({make(index) for index in range(count)}) == count == 30


def test_each_element_of_a_constant_changes_it() -> None:
    def make(*values: float, dtype: str = "float32") -> str:
        b = MLGraphBuilder()
        return key(lower(b.finish({"y": b.add(b.input("x", dtype, [2]), b.constant(np.array(values, dtype)))})).network)

    keys = {make(1, 2), make(1, 3), make(0, 2), make(0.0, 3), make(-0.0, 3), make(1, 2, dtype="float16")}
    assert len(keys) == 6


def test_constants_of_types_that_numpy_has_not_are_told() -> None:
    def make(bits: int) -> str:
        network = builder().create_network()
        network.name = "n"  # TensorRT counts them
        data = np.array([bits], np.uint16)  # which the network refers to
        layer = network.add_constant((1,), trt.Weights(trt.bfloat16, data.ctypes.data, 1))
        network.mark_output(layer.get_output(0))
        found = key(network)
        assert data[0] == bits
        return found

    assert make(0x3F80) != make(0x3F81)


@pytest.mark.parametrize("name", EXPORTED)
def test_the_same_graph_has_the_same_key(name: str) -> None:
    assert key(lower(EXPORTED[name]()).network) == key(lower(EXPORTED[name]()).network)


def test_every_field_of_the_settings_changes_it() -> None:
    assert CHANGED_SETTINGS.keys() == {field.name for field in fields(EngineSettings)}
    network = lower(mlp()).network
    changed = {**CHANGED_SETTINGS, "refit": True}
    keys = {key(network, replace(SETTINGS, **{name: value})) for name, value in changed.items()}
    assert len(keys | {key(network)}) == len(changed) + 1


def test_tensorrt_and_what_calls_the_compiler_change_it(monkeypatch: pytest.MonkeyPatch) -> None:
    network = lower(mlp()).network
    keys = [key(network)]
    for name, value in (
        ("FORMAT", 2),
        ("sources_digest", lambda names: "s"),
        ("dynamically_load_tensorrt", lambda: ""),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(verdict, name, value)
            keys.append(key(network))
    with monkeypatch.context() as patch:
        patch.setattr(trt, "__version__", "1.6.2")
        keys.append(key(network))
    with monkeypatch.context() as patch:
        patch.setattr(verdict, "flavor", replace(verdict.flavor, name="another"))
        keys.append(key(network))
    assert len(set(keys)) == 6


def test_types_inputs_and_outputs_change_it() -> None:
    def make(shape: tuple[int, ...] = (2, 3), dtype: str = "float32", outputs: str = "a", inputs: str = "x") -> str:
        b = MLGraphBuilder()
        given = {name: b.input(name, dtype, shape) for name in inputs}
        values = {"a": b.relu(given["x"]), "b": b.neg(given["x"])}
        return key(lower(b.finish({name: values[name] for name in outputs} | {"c": b.abs(given[inputs[-1]])})).network)

    keys = {make(), make((3, 2)), make((6,)), make(dtype="float16"), make(outputs="b"), make(outputs="ab"),
            make(outputs="ba"), make(inputs="xz"), make(inputs="zx")}  # fmt: skip
    assert len(keys) == 8, "the order in which inputs are made is that of zx and xz alike, as the graph has it"


def test_what_a_layer_takes_changes_it() -> None:
    def make(*order: int) -> str:
        network = builder().create_network()
        network.name = "n"  # TensorRT counts them
        given = [network.add_input(name, trt.float32, (2,)) for name in "xz"]
        both = [given[index] for index in order]
        network.mark_output(network.add_elementwise(*both, trt.ElementWiseOperation.SUB).get_output(0))
        return key(network)

    assert len({make(0, 1), make(1, 0), make(0, 0), make(1, 1)}) == 4


def test_a_network_that_cannot_be_told_has_none() -> None:
    network = builder().create_network()
    condition = network.add_input("c", trt.bool, ())
    x = network.add_input("x", trt.float32, (2,))
    branch = network.add_if_conditional()
    branch.set_condition(condition)
    inside = branch.add_input(x).get_output(0)
    made = branch.add_output(network.add_unary(inside, trt.UnaryOperation.ABS).get_output(0), inside)
    network.mark_output(made.get_output(0))
    assert verdict_key(network, SETTINGS) is None


def test_a_network_that_tensorrt_does_not_tell_of_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise RuntimeError("Could not get tensor shape.")

    network = lower(mlp()).network
    monkeypatch.setattr(verdict, "_tensor", fails)
    assert verdict_key(network, SETTINGS) is None


def test_plans_for_the_gpu_at_hand_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "flavor", replace(verdict.flavor, ahead_of_time=False))
    assert verdict_key(lower(mlp()).network, SETTINGS) is None


def test_it_tells_no_less_than_a_listing() -> None:
    """Of every type of layer: what is listed is among the properties."""
    for graph in house().values():
        network = lower(graph).network
        for layer in listing(network)["layers"]:
            assert set(layer["parameters"]) <= set(properties(layer_class(getattr(trt.LayerType, layer["type"]))))
