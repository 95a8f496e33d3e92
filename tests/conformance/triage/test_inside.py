"""The network behind a graph, and the values of its tensors."""

from __future__ import annotations

import gc

import numpy as np

from conformance.inside import ExecutorTracer, network_of
from conformance.runner import build, inputs_of
from conformance.targets import Cpu
from tests.conformance.triage.cases import chain


def test_a_network_is_shown_with_its_layers_types_and_shapes() -> None:
    graph, _ = build(chain())
    view = network_of(graph)
    assert [layer.type for layer in view.layers if layer.type != "constant"] == [
        "activation", "elementwise", "elementwise", "activation", "elementwise", "activation"
    ]  # fmt: skip
    assert {str(tensor) for layer in view.layers for tensor in layer.outputs if layer.type != "constant"} == {
        "float[1, 2, 4, 6]"
    }
    assert sorted(view.names.values()) == ["sum", "x", "y"]
    makers = {tensor.name for layer in view.layers for tensor in layer.outputs}
    assert {name for layer in view.layers for name in layer.inputs} <= makers | set(view.names)


def test_values_are_the_targets_and_outlive_the_network() -> None:
    case = chain()
    graph, _ = build(case)
    values = ExecutorTracer().trace(graph, inputs_of(case, graph))
    names = {webnn: tensor for tensor, webnn in network_of(graph).names.items()}
    gc.collect()
    for name, array in (Cpu().run(graph, inputs_of(case, graph)) or {}).items():
        np.testing.assert_array_equal(values[names[name]], array)
    constants = [values[layer.outputs[0].name] for layer in network_of(graph).layers if layer.type == "constant"]
    assert sorted(float(constant.reshape(-1)[0]) for constant in constants) == [0.25, 2]


def test_fed_with_values_each_layer_stands_alone() -> None:
    """A layer that is fed with twice the value computes from that, and passes nothing on."""
    case = chain()
    graph, _ = build(case)
    tracer = ExecutorTracer()
    values = tracer.trace(graph, inputs_of(case, graph))
    layers = network_of(graph).layers
    sigmoid = next(layer for layer in layers if "sigmoid" in layer.name)
    alone = tracer.trace(
        graph, inputs_of(case, graph), {**values, sigmoid.inputs[0]: np.zeros_like(values[sigmoid.inputs[0]])}
    )
    changed = [name for name in values if not np.array_equal(alone[name], values[name])]
    assert changed == [sigmoid.outputs[0].name]
    assert set(np.unique(alone[changed[0]])) == {np.float32(0.5)}
