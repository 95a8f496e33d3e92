"""The writer: layers, names, constants, and what happens when TensorRT refuses."""

from __future__ import annotations

import numpy as np
import pytest

from trtx_backend.errors import NetworkError
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import builder, flavor, trt


@pytest.fixture
def w() -> Writer:
    writer = Writer(builder().create_network())
    b = MLGraphBuilder()
    op = b.add(b.input("a", "float32", [2]), b.input("b", "float32", [2]), label="sum").operator
    assert op is not None
    writer.begin(op, folds=False)
    return writer


def test_layers_have_unique_names_that_say_the_operator(w: Writer) -> None:
    x = w.network.add_input("x", trt.float32, (2,))
    w.unary(w.unary(x, trt.UnaryOperation.EXP), trt.UnaryOperation.EXP)
    assert [w.network.get_layer(i).name for i in range(2)] == ["0.0 add unary", "0.1 add unary"]
    assert w.network.get_layer(0).metadata == "sum"


def test_a_refused_layer_names_operator_operands_and_tensorrts_reason(w: Writer) -> None:
    x, y = w.network.add_input("x", trt.float32, (2,)), w.network.add_input("y", trt.float16, (2,))
    with pytest.raises(NetworkError) as error:
        w.elementwise(x, trt.ElementWiseOperation.SUM, y)
    text = str(error.value)
    assert text.startswith("add “sum”(a float32[2], b float32[2]): TensorRT refused ")
    assert "FLOAT[2]" in text and "HALF[2]" in text
    assert ("must have one type" if flavor.name == "mock" else "must have same input types") in text


def test_a_layer_that_is_not_made_at_all_is_refused(w: Writer) -> None:
    x = w.network.add_input("x", trt.float32, (2,))
    with pytest.raises(NetworkError, match=r"TensorRT refused topk\(FLOAT\[2\]"):
        w.add("topk", x, trt.TopKOperation.MAX, 1, 1, trt.float32)


def test_a_setter_that_keeps_the_old_value_is_refused(w: Writer) -> None:
    x = w.network.add_input("x", trt.float32, (1, 1, 4, 4))
    kernel = trt.Weights(np.ones((1, 1, 2, 2), np.float32))
    with pytest.raises(NetworkError, match="TensorRT refused convolution_nd"):
        w.add("convolution_nd", x, 1, (2, 2), kernel, num_groups=0)


def test_a_wrong_python_type_is_refused(w: Writer) -> None:
    with pytest.raises(NetworkError, match="TensorRT refused unary"):
        w.add("unary", None, trt.UnaryOperation.EXP)


def test_constants_refer_to_their_array(w: Writer) -> None:
    array = np.arange(4, dtype=np.float32).reshape(2, 2)
    w.constant(array)
    layer = w.network.get_layer(0)
    layer.__class__ = trt.IConstantLayer
    array[0, 0] = 7
    assert layer.weights[0] == 7
    assert w.constants[0].array is array


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int64", "int8", "bool"])
def test_scalars_have_the_type_and_rank_of_another_tensor(w: Writer, dtype: str) -> None:
    x = w.network.add_input("x", getattr(trt, dtype), (2, 3))
    scalar = w.scalar(1, x)
    assert (scalar.dtype, tuple(scalar.shape)) == (x.dtype, (1, 1))


def test_what_changes_nothing_adds_no_layer(w: Writer) -> None:
    x = w.network.add_input("x", trt.float32, (2, 3))
    for same in (
        w.cast(x, trt.float32),
        w.reshape(x, (2, 3)),
        w.transpose(x, (0, 1)),
        w.at_rank(x, 2),
        w.expand(x, (2, 3)),
        w.concat([x], 0),
    ):
        assert same is x
    assert w.network.num_layers == 0
