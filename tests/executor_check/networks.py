"""Whole networks with random weights: the convolutional ones whose graphs `onnx` ships as light models, and a block of a
transformer made here. (As shipped, the light models have constant weights, and say nothing about numbers.)"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
FLOAT = TensorProto.FLOAT


def names() -> list[str]:
    return [*sorted(path.stem for path in LIGHT.glob("light_*.onnx")), "transformer_block"]


def made(name: str) -> tuple[bytes, dict[str, Any]]:
    """The model, and random inputs for it; the same each time."""
    model = transformer_block() if name == "transformer_block" else randomised(onnx.load(LIGHT / f"{name}.onnx"))
    random = np.random.default_rng(1)
    sizes = {i.name: [d.dim_value for d in i.type.tensor_type.shape.dim] for i in model.graph.input}
    return model.SerializeToString(), {n: random.standard_normal(s).astype(np.float32) for n, s in sizes.items()}


def randomised(model: Any) -> Any:
    """The model with every float weight drawn anew, so that values neither vanish nor grow from layer to layer, and with the
    logits as a second output, since a softmax hides them."""
    graph = model.graph
    random = np.random.default_rng(0)
    # what is added up grows
    gain = 0.4 if any(node.op_type == "Sum" for node in graph.node) else 1.0
    drawn: dict[str, Any] = {}
    shapes = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    roles = {name: (node.op_type, place) for node in graph.node for place, name in enumerate(node.input)}
    for node in graph.node:
        if node.op_type == "ConstantOfShape":
            drawn[node.output[0]] = shapes[node.input[0]]
    drawn.update({t.name: t.dims for t in graph.initializer if t.data_type == FLOAT})
    roles.update({node.input[0]: roles[node.output[0]] for node in graph.node if node.op_type == "Unsqueeze"})
    kept = [t for t in graph.initializer if t.data_type != FLOAT]
    weights = [
        numpy_helper.from_array(draw(random, gain, *roles.get(n, ("", 0)), tuple(s)), n) for n, s in drawn.items()
    ]
    nodes = [node for node in graph.node if node.op_type != "ConstantOfShape"]
    own = {t.name for t in (*weights, *kept)}
    inputs = [i for i in graph.input if i.name not in own]
    outputs = list(graph.output)
    outputs += [helper.make_tensor_value_info(n.input[0], FLOAT, None) for n in nodes if n.op_type == "Softmax"]
    used = {name for node in nodes for name in node.input}
    made = helper.make_graph(nodes, graph.name, inputs, outputs, [t for t in (*weights, *kept) if t.name in used])
    return helper.make_model(made, opset_imports=list(model.opset_import), ir_version=4)


def draw(random: Any, gain: float, op: str, place: int, shape: tuple[int, ...]) -> Any:
    if op in ("Conv", "Gemm") and place == 1:
        fan_in = math.prod(shape[1:]) if op == "Conv" or len(shape) < 2 else shape[1]
        values = random.standard_normal(shape) * math.sqrt(2 / fan_in)
    elif op == "BatchNormalization" and place == 1:
        values = random.uniform(0.5, 1.5, shape) * gain
    elif (op == "BatchNormalization" and place == 4) or op == "Mul":
        values = random.uniform(0.5, 1.5, shape)
    else:
        values = random.standard_normal(shape) * 0.1
    return values.astype(np.float32)


def transformer_block(length: int = 128, width: int = 256, heads: int = 8) -> Any:
    """Attention and a feed-forward part of four times the width, each after a layer normalization and added to its input."""
    random = np.random.default_rng(0)
    nodes: list[Any] = []
    weights: list[Any] = []

    def constant(values: Any, dtype: Any = np.float32) -> str:
        weights.append(numpy_helper.from_array(np.asarray(values, dtype), f"w{len(weights)}"))
        return str(weights[-1].name)

    def add(op: str, *inputs: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(op, list(inputs), [f"t{len(nodes)}"], **attributes))
        return str(nodes[-1].output[0])

    def dense(x: str, given: int, wanted: int) -> str:
        product = add("MatMul", x, constant(random.standard_normal((given, wanted)) / math.sqrt(given)))
        return add("Add", product, constant(random.standard_normal(wanted) * 0.1))

    def normalized(x: str) -> str:
        scale, bias = random.uniform(0.5, 1.5, width), random.standard_normal(width) * 0.1
        return add("LayerNormalization", x, constant(scale), constant(bias), axis=-1, epsilon=1e-5)

    def split(x: str, order: list[int]) -> str:
        return add("Transpose", add("Reshape", x, constant([1, length, heads, -1], np.int64)), perm=order)

    x = normalized("x")
    query, key, value = (split(dense(x, width, width), order) for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    scores = add("Mul", add("MatMul", query, key), constant(math.sqrt(heads / width)))
    mixed = add("Transpose", add("MatMul", add("Softmax", scores, axis=-1), value), perm=[0, 2, 1, 3])
    attended = add("Add", "x", dense(add("Reshape", mixed, constant([1, length, width], np.int64)), width, width))
    hidden = dense(normalized(attended), width, 4 * width)
    erf = add("Erf", add("Mul", hidden, constant(math.sqrt(0.5))))
    active = add("Mul", add("Mul", hidden, constant(0.5)), add("Add", erf, constant(1)))
    nodes.append(helper.make_node("Add", [attended, dense(active, 4 * width, width)], ["y"]))
    ends = [helper.make_tensor_value_info(name, FLOAT, [1, length, width]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "transformer block", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
