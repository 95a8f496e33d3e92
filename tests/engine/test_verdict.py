"""The key of a verdict changes with whatever TensorRT can tell of a network, with the settings, and with nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import fields, replace
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


HOUSE = house()


def other(value: Any) -> Iterator[Any]:
    """Values like this one, and not it."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value * 2, value ^ 1)
    elif isinstance(value, float):
        yield value + 0.5
    elif isinstance(value, str):
        yield value + "x"
    elif hasattr(type(value), "__members__"):
        yield from (member for member in type(value).__members__.values() if member != value)
    elif isinstance(value, trt.Permutation):
        yield trt.Permutation([1, 0])
        yield trt.Permutation([0, 2, 1])
    elif isinstance(value, np.ndarray) and value.size:
        yield trt.Weights(np.array(value + 1 if value.dtype != bool else ~value))
    elif isinstance(value, (tuple, trt.Dims)) and len(value):
        items = list(value)
        for changed in (
            items[::-1],
            [*items[:-1], items[-1] + 1],
            [*items[:-1], items[-1] - 1],
            [items[0] + 1, *items[1:]],
        ):
            yield type(value)(changed)


def test_the_house_cases_have_every_type_of_layer_that_is_lowered_to() -> None:
    assert len(HOUSE) == 26
    assert set(HOUSE) <= set(PARAMETERS)


def changed(kind: str, name: str) -> bool:
    """Set a property of a layer of this type in a way that TensorRT takes: the key must change, or be None, as it is of a
    network that has no shapes any more. False if it takes none."""

    def fresh() -> tuple[Any, Any]:
        network = lower(HOUSE[kind]).network
        layers = [network.get_layer(index) for index in range(network.num_layers)]
        layer = next(layer for layer in layers if layer.type.name == kind)
        layer.__class__ = layer_class(layer.type)
        return network, layer

    network, layer = fresh()
    before, value = key(network), getattr(layer, name)
    for another in other(value):
        network, layer = fresh()
        with contextlib.suppress(AttributeError, TypeError, ValueError, RuntimeError):
            setattr(layer, name, another)
            if repr(listed(getattr(layer, name))) != repr(listed(value)):
                assert verdict_key(network, SETTINGS) != before, (name, another)
                return True
    return False


LEFT = {
    "CONVOLUTION": {"kernel", "bias"},  # inputs of the layer instead
    "CUMULATIVE": {"op"},  # there is one
    "DECONVOLUTION": {"kernel", "bias"},
    "ITERATOR": {"loop"},
    "LOOP_OUTPUT": {"loop", "kind"},
    "RECURRENCE": {"loop"},
    "RESIZE": {"scales"},  # the shape is given
    "SLICE": {"axes"},
    "TRIP_LIMIT": {"loop", "kind"},
}
"""Of what a listing shows, by type of layer: what cannot be set after the layer is made."""


@pytest.mark.parametrize("kind", sorted(HOUSE))
def test_every_property_of_a_layer_changes_it(kind: str) -> None:
    names = properties(layer_class(getattr(trt.LayerType, kind)))
    found = {name for name in names if changed(kind, name)}
    assert {"name", "metadata"} <= found
    assert set(PARAMETERS[kind]) - found == LEFT.get(kind, set())


def listed(value: Any) -> Any:
    return list(value) if isinstance(value, (trt.Dims, trt.Permutation)) else value


def test_each_element_of_a_constant_changes_it() -> None:
    def make(*values: float, dtype: str = "float32") -> str:
        b = MLGraphBuilder()
        return key(lower(b.finish({"y": b.add(b.input("x", dtype, [2]), b.constant(np.array(values, dtype)))})).network)

    keys = {make(1, 2), make(1, 3), make(0, 2), make(0.0, 3), make(-0.0, 3), make(1, 2, dtype="float16")}
    assert len(keys) == 6


def test_constants_of_types_that_numpy_has_not_are_told() -> None:
    def make(bits: int) -> str:
        network = builder().create_network()
        network.name = "n"
        weights = trt.Weights(trt.bfloat16, np.array([bits], np.uint16).ctypes.data, 1)
        data.append(weights)
        layer = network.add_constant((1,), weights)
        network.mark_output(layer.get_output(0))
        return key(network)

    data: list[Any] = []
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


def test_a_network_that_cannot_be_told_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    network = builder().create_network()
    condition = network.add_input("c", trt.bool, ())
    x = network.add_input("x", trt.float32, (2,))
    branch = network.add_if_conditional()
    branch.set_condition(condition)
    inside = branch.add_input(x).get_output(0)
    made = branch.add_output(network.add_unary(inside, trt.UnaryOperation.ABS).get_output(0), inside)
    network.mark_output(made.get_output(0))
    assert verdict_key(network, SETTINGS) is None


def test_plans_for_the_gpu_at_hand_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "flavor", replace(verdict.flavor, ahead_of_time=False))
    assert verdict_key(lower(mlp()).network, SETTINGS) is None


def test_it_tells_no_less_than_a_listing() -> None:
    """Of every type of layer: what is listed is among the properties."""
    for graph in HOUSE.values():
        network = lower(graph).network
        for layer in listing(network)["layers"]:
            assert set(layer["parameters"]) <= set(properties(layer_class(getattr(trt.LayerType, layer["type"]))))
