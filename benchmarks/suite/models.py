"""Networks of the shapes of ResNet-50 and of a transformer encoder, written once, for WebNN's builder and as ONNX."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from trtx_backend.graph import Graph, MLGraphBuilder


class Net(Protocol):
    """A network that is being written. Weights are made up, the same for all."""

    def input(self, shape: list[int]) -> Any: ...
    def weight(self, *shape: int) -> Any: ...
    def conv(self, x: Any, filter: Any, bias: Any, stride: int, pad: int) -> Any: ...
    def max_pool(self, x: Any, window: int, stride: int, pad: int) -> Any: ...
    def mean(self, x: Any, axes: list[int]) -> Any: ...
    def op(self, name: str, *operands: Any) -> Any: ...
    def softmax(self, x: Any) -> Any: ...
    def norm(self, x: Any, scale: Any, bias: Any) -> Any: ...
    def reshape(self, x: Any, shape: list[int]) -> Any: ...
    def transpose(self, x: Any, order: list[int]) -> Any: ...
    def finish(self, y: Any, shape: list[int]) -> Any: ...


def resnet50(net: Net, width: int = 64, image: int = 224) -> Any:
    """53 convolutions, batch normalization folded into them, as exporters do."""

    def conv(x: Any, given: int, taken: int, size: int, stride: int = 1) -> Any:
        return net.conv(x, net.weight(taken, given, size, size), net.weight(taken), stride, size // 2)

    y = net.op("relu", conv(net.input([1, 3, image, image]), 3, width, 7, 2))
    y, channels = net.max_pool(y, 3, 2, 1), width
    for stage, blocks in enumerate((3, 4, 6, 3)):
        inner = width << stage
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            short = y if block else conv(y, channels, 4 * inner, 1, stride)
            y = net.op("relu", conv(y, channels, inner, 1))
            y = net.op("relu", conv(y, inner, inner, 3, stride))
            y = net.op("relu", net.op("add", conv(y, inner, 4 * inner, 1), short))
            channels = 4 * inner
    y = net.reshape(net.mean(y, [2, 3]), [1, channels])
    return net.finish(net.op("add", net.op("matmul", y, net.weight(channels, 1000)), net.weight(1000)), [1, 1000])


def transformer(net: Net, layers: int = 12, hidden: int = 384, tokens: int = 128, heads: int = 6) -> Any:
    """An encoder, with GELU in pieces, as exporters write it."""

    def dense(x: Any, given: int, taken: int) -> Any:
        return net.op("add", net.op("matmul", x, net.weight(given, taken)), net.weight(taken))

    def split(x: Any) -> Any:
        return net.transpose(net.reshape(x, [1, tokens, heads, hidden // heads]), [0, 2, 1, 3])

    x, half, one = net.input([1, tokens, hidden]), net.weight(1), net.weight(1)
    for _ in range(layers):
        q, k, v = (split(dense(x, hidden, hidden)) for _ in range(3))
        scores = net.softmax(net.op("mul", net.op("matmul", q, net.transpose(k, [0, 1, 3, 2])), half))
        mixed = net.reshape(net.transpose(net.op("matmul", scores, v), [0, 2, 1, 3]), [1, tokens, hidden])
        x = net.norm(net.op("add", x, dense(mixed, hidden, hidden)), net.weight(hidden), net.weight(hidden))
        wide = dense(x, hidden, 4 * hidden)
        gelu = net.op("mul", wide, net.op("mul", net.op("add", net.op("erf", net.op("mul", wide, half)), one), half))
        x = net.norm(net.op("add", x, dense(gelu, 4 * hidden, hidden)), net.weight(hidden), net.weight(hidden))
    return net.finish(x, [1, tokens, hidden])


class Weights:
    """Arrays in the order in which they are asked for; views of bytes, unless they are to be `copied`."""

    def __init__(self, copied: bool = False) -> None:
        self._copied = copied
        self._arrays: list[Any] = []
        self._next = 0

    def take(self, shape: tuple[int, ...]) -> Any:
        if self._next == len(self._arrays):
            array = np.full(shape, 0.01, np.float32)
            self._arrays.append(array if self._copied else np.frombuffer(array.tobytes(), np.float32).reshape(shape))
        self._next += 1
        return self._arrays[self._next - 1]

    def rewind(self) -> Weights:
        self._next = 0
        return self


class WebNN:
    """Written with WebNN's builder."""

    def __init__(self, weights: Weights) -> None:
        self._b, self._weights = MLGraphBuilder(), weights.rewind()

    def input(self, shape: list[int]) -> Any:
        return self._b.input("x", "float32", shape)

    def weight(self, *shape: int) -> Any:
        return self._b.constant(self._weights.take(shape))

    def conv(self, x: Any, filter: Any, bias: Any, stride: int, pad: int) -> Any:
        return self._b.conv2d(x, filter, bias=bias, strides=[stride] * 2, padding=[pad] * 4)

    def max_pool(self, x: Any, window: int, stride: int, pad: int) -> Any:
        return self._b.max_pool2d(x, window_dimensions=[window] * 2, strides=[stride] * 2, padding=[pad] * 4)

    def mean(self, x: Any, axes: list[int]) -> Any:
        return self._b.reduce_mean(x, axes=axes, keep_dimensions=True)

    def op(self, name: str, *operands: Any) -> Any:
        return getattr(self._b, name)(*operands)

    def softmax(self, x: Any) -> Any:
        return self._b.softmax(x, 3)

    def norm(self, x: Any, scale: Any, bias: Any) -> Any:
        return self._b.layer_normalization(x, scale=scale, bias=bias, axes=[2])

    def reshape(self, x: Any, shape: list[int]) -> Any:
        return self._b.reshape(x, shape)

    def transpose(self, x: Any, order: list[int]) -> Any:
        return self._b.transpose(x, permutation=order)

    def finish(self, y: Any, shape: list[int]) -> Graph:
        return self._b.finish({"y": y})


class Onnx:
    """Written as an ONNX model, in bytes. Needs onnx."""

    NAMES = {"relu": "Relu", "add": "Add", "mul": "Mul", "matmul": "MatMul", "erf": "Erf"}

    def __init__(self, weights: Weights) -> None:
        self._weights = weights.rewind()
        self._nodes: list[Any] = []
        self._initializers: list[Any] = []
        self._shape: list[int] = []

    def input(self, shape: list[int]) -> str:
        self._shape = shape
        return "x"

    def weight(self, *shape: int) -> str:
        return self._initializer(self._weights.take(shape))

    def _initializer(self, array: Any) -> str:
        from onnx import numpy_helper

        name = f"w{len(self._initializers)}"
        self._initializers.append(numpy_helper.from_array(array, name))
        return name

    def _node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        name = f"t{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def conv(self, x: str, filter: str, bias: str, stride: int, pad: int) -> str:
        return self._node("Conv", x, filter, bias, strides=[stride] * 2, pads=[pad] * 4)

    def max_pool(self, x: str, window: int, stride: int, pad: int) -> str:
        return self._node("MaxPool", x, kernel_shape=[window] * 2, strides=[stride] * 2, pads=[pad] * 4)

    def mean(self, x: str, axes: list[int]) -> str:
        return self._node("ReduceMean", x, self._initializer(np.array(axes, np.int64)), keepdims=1)

    def op(self, name: str, *operands: str) -> str:
        return self._node(self.NAMES[name], *operands)

    def softmax(self, x: str) -> str:
        return self._node("Softmax", x, axis=3)

    def norm(self, x: str, scale: str, bias: str) -> str:
        return self._node("LayerNormalization", x, scale, bias, axis=2)

    def reshape(self, x: str, shape: list[int]) -> str:
        return self._node("Reshape", x, self._initializer(np.array(shape, np.int64)))

    def transpose(self, x: str, order: list[int]) -> str:
        return self._node("Transpose", x, perm=order)

    def finish(self, y: str, shape: list[int]) -> bytes:
        from onnx import TensorProto, helper

        given = helper.make_tensor_value_info("x", TensorProto.FLOAT, self._shape)
        taken = helper.make_tensor_value_info(y, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self._nodes, "net", [given], [taken], self._initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
        return bytes(model.SerializeToString())
