"""Graphs in the form of the conformance cases."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.operator import RULES
from trtx_backend.graph.serial import operator_rule, python_name, read_array, replay


def test_arrays_are_exact() -> None:
    big = 2**63 - 1
    assert read_array([big, -(2**63)], "int64", (2,)).tolist() == [big, -(2**63)]
    assert read_array([2**64 - 1], "uint64", (1,)).tolist() == [2**64 - 1]
    array = read_array(["NaN", "Infinity", "-Infinity", -0.0, 0.1], "float32", (5,))
    assert math.isnan(array[0]) and array[1:3].tolist() == [math.inf, -math.inf]
    assert np.signbit(array[3]) and array[4] == np.float32(0.1)


def test_one_number_fills_the_shape() -> None:
    array = read_array(1.5, "float16", (2, 3))
    assert array.shape == (2, 3) and (array == np.float16(1.5)).all()


def test_sub_byte_types_are_one_element_a_byte() -> None:
    assert read_array([-8, 7], "int4", (2,)).dtype == np.int8
    assert read_array([0, 15], "uint4", (2,)).dtype == np.uint8


@pytest.mark.parametrize(
    ("data", "dtype", "shape", "message"),
    [
        ([1, 2], "int32", (3,), "is '2 values': the shape [3] needs 3"),
        ([1.5], "int32", (1,), "int32 needs integers"),
        ([256], "uint8", (1,), "uint8 is from 0 to 255"),
        ([8], "int4", (1,), "int4 is from -8 to 7"),
        (["nan"], "float32", (1,), "must be a number"),
        ([True], "float32", (1,), "must be a number"),
    ],
)
def test_wrong_data_is_refused(data: Any, dtype: str, shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(TypeError) as error:
        read_array(data, dtype, shape)
    assert message in str(error.value)


def test_names() -> None:
    names = {
        "reduceL1": "reduce_l1",
        "isNaN": "is_nan",
        "gatherND": "gather_nd",
        "conv2d": "conv2d",
        "convTranspose2d": "conv_transpose2d",
        "l2Pool2d": "l2_pool2d",
        "averagePool2d": "average_pool2d",
        "reduceLogSumExp": "reduce_log_sum_exp",
        "logicalAnd": "logical_and",
        "outputShapeRounding": "output_shape_rounding",
        "type": "dtype",
        "aTranspose": "a_transpose",
    }
    assert {name: python_name(name) for name in names} == names


def test_every_operator_is_found_by_its_webnn_name() -> None:
    for rule in RULES.values():
        assert operator_rule(rule.webnn_name) is rule
    with pytest.raises(TypeError, match="WebNN has no operator of this name"):
        operator_rule("reLU")


GRAPH = """{"inputs": {
    "x": {"data": [1, -2], "descriptor": {"shape": [2], "dataType": "float32"}},
    "c": {"data": [3], "descriptor": {"shape": [1], "dataType": "float32"}, "constant": true}},
  "operators": [
    {"name": "add", "arguments": [{"inputA": "x"}, {"inputB": "c"}], "outputs": "sum"},
    {"name": "clamp", "arguments": [{"input": "sum"}, {"options": {"minValue": "-Infinity", "maxValue": 2}}],
     "outputs": "y"}],
  "expectedOutputs": {"y": {"data": [2, 1], "descriptor": {"shape": [2], "dataType": "float32"}}}}"""


def test_a_graph_is_replayed() -> None:
    operands = replay(MLGraphBuilder(), json.loads(GRAPH))
    assert list(operands) == ["x", "c", "sum", "y"]
    assert operands["c"].value is not None
    assert operands["y"].operator is not None
    assert operands["y"].operator.attributes == {"min_value": -math.inf, "max_value": 2.0}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"add"', '"addd"', "WebNN has no operator of this name"),
        ('{"inputA": "x"}', '{"inputA": "z"}', "add: a is 'z': no input or earlier output has this name"),
        ('"outputs": "sum"', '"outputs": ["sum", "more"]', "add: outputs is ['sum', 'more']: it computes 1"),
        ('"maxValue": 2', '"maximum": 2', "clamp: got an unexpected keyword argument 'maximum'"),
        ('"data": [3]', '"data": [3, 4]', "constant 'c': data is '2 values': the shape [1] needs 1"),
        ('"maxValue": 2', '"maxValue": "y"', "clamp: max_value is 'y': must be a number"),
    ],
)
def test_a_wrong_graph_is_refused(old: str, new: str, message: str) -> None:
    assert old in GRAPH
    with pytest.raises(TypeError) as error:
        replay(MLGraphBuilder(), json.loads(GRAPH.replace(old, new)))
    assert message in str(error.value)
