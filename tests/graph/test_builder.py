"""The builder: inputs, constants, finish; and what every operator's method has in common."""

from __future__ import annotations

import inspect
import pydoc
from typing import Any

import numpy as np
import pytest

from trtx_backend.errors import ArgumentError, InvalidStateError
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.operator import RULES


@pytest.fixture
def b() -> MLGraphBuilder:
    return MLGraphBuilder()


def test_an_input_has_its_name_type_and_shape(b: MLGraphBuilder) -> None:
    x = b.input("x", "float16", [2, 3])
    assert (x.name, x.dtype, x.shape, x.rank) == ("x", "float16", (2, 3), 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", "float32", [1]), "input: name is '': must be a string that is not empty"),
        (("y", "float64", [1]), "data type is 'float64': 'float64' is not a data type; one of: float32"),
        (("y", "float32", [0]), "shape is [0]: each dimension must be from 1 to 2147483647"),
        (("y", "float32", [2**31]), "each dimension must be from 1 to 2147483647"),
        (("y", "float32", [2**16, 2**16]), "the number of elements, 4294967296, must be at most"),
        (("y", "float32", [1] * 9), "the rank must be at most 8"),
        (("y", "float32", [-1]), "shape[0] is -1: must be from 0"),
        (("y", "float32", [1.0]), "shape[0] is 1.0: must be an integer"),
        (("y", "float32", [True]), "must be an integer"),
        (("y", "float32", "12"), "must be a list of integers"),
        (("x", "float32", [1]), "input: name is 'x': another input has this name"),
    ],
)
def test_a_wrong_input_is_refused(b: MLGraphBuilder, arguments: Any, message: str) -> None:
    b.input("x", "float32", [1])
    with pytest.raises(TypeError) as error:
        b.input(*arguments)
    assert message in str(error.value)


def test_constants_are_copied(b: MLGraphBuilder) -> None:
    data = np.arange(6, dtype=np.float32)
    c = b.constant("float32", data, [2, 3])
    data[:] = 0
    assert c.value is not None
    np.testing.assert_array_equal(c.value, [[0, 1, 2], [3, 4, 5]])


def test_a_scalar_constant_is_cast_to_its_type(b: MLGraphBuilder) -> None:
    assert b.constant("float32", 0.1).value == np.float32(0.1)
    assert b.constant("uint8", 300).value == 255
    assert b.constant("uint64", 2**64 - 1).value == 2**64 - 1
    assert b.constant("int64", -(2**63)).value == -(2**63)
    assert b.constant("float16", 1e9).value == np.inf


def test_an_array_constant_has_the_arrays_type(b: MLGraphBuilder) -> None:
    c = b.constant(np.zeros((2, 0 + 1), np.int64))
    assert (c.dtype, c.shape) == ("int64", (2, 1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("float32", np.zeros(3, np.float32), [2]),
            "is 'an array of float32[3]': float32[2] takes that shape, or its 2 elements in one dimension",
        ),
        (("float32", np.zeros(2, np.float64), [2]), "is 'float64': the data must be float32, as float32 is"),
        (("int4", np.array([8], np.int8), [1]), "int4 values must be from -8 to 7"),
        ((np.zeros(2, np.float64),), "is not a data type"),
        (("float32", "1"), "constant: value is '1': must be a number"),
    ],
)
def test_a_wrong_constant_is_refused(b: MLGraphBuilder, arguments: Any, message: str) -> None:
    with pytest.raises(TypeError) as error:
        b.constant(*arguments)
    assert message in str(error.value)


def test_a_graph_is_what_its_outputs_need_in_order(b: MLGraphBuilder) -> None:
    x, unused = b.input("x", "float32", [2]), b.input("unused", "float32", [2])
    b.relu(unused)
    c = b.constant("float32", 1.0)
    y = b.add(b.relu(x), c)
    graph = b.finish({"y": y, "z": b.mul(y, y)})
    assert list(graph.inputs) == ["x"]
    assert [op.name for op in graph.operators] == ["relu", "add", "mul"]
    assert graph.constants == (c,)
    assert list(graph.outputs) == ["y", "z"]


def test_a_graph_of_many_operators_needs_no_recursion(b: MLGraphBuilder) -> None:
    y = b.input("x", "float32", [2])
    for _ in range(5000):
        y = b.relu(y)
    assert len(b.finish({"y": y}).operators) == 5000


def test_a_shared_operand_is_computed_once_and_first(b: MLGraphBuilder) -> None:
    y = b.input("x", "float32", [2])
    for _ in range(60):  # 2^60 paths
        y = b.add(y, y)
    assert len(b.finish({"y": y}).operators) == 60


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({}, "with at least one"),
        ({"": "y"}, "must be a string that is not empty"),
        ({"y": "x"}, "must be computed by an operator"),
        ({"y": "c"}, "must be computed by an operator"),
        ({"y": "foreign"}, "must be an operand of this builder"),
        ({"y": "nothing"}, "must be an MLOperand"),
    ],
)
def test_wrong_outputs_are_refused(b: MLGraphBuilder, outputs: dict[str, str], message: str) -> None:
    x = b.input("x", "float32", [2])
    other = MLGraphBuilder()
    things = {
        "x": x,
        "y": b.relu(x),
        "c": b.constant("float32", 1),
        "foreign": other.relu(other.input("x", "float32", [2])),
        "nothing": None,
    }
    with pytest.raises(TypeError, match=message):
        b.finish({name: things[key] for name, key in outputs.items()})  # type: ignore[misc]


def test_a_builder_builds_once(b: MLGraphBuilder) -> None:
    x = b.input("x", "float32", [2])
    y = b.relu(x)
    b.finish({"y": y})
    for call in (lambda: b.finish({"y": y}), lambda: b.relu(x), lambda: b.input("z", "float32", [1])):
        with pytest.raises(InvalidStateError, match="has built its graph"):
            call()


def test_a_refused_build_can_be_repeated(b: MLGraphBuilder) -> None:
    y = b.relu(b.input("x", "float32", [2]))
    with pytest.raises(TypeError):
        b.finish({})
    assert b.finish({"y": y}).operators


def test_errors_name_operator_label_operand_value_and_rule(b: MLGraphBuilder) -> None:
    x = b.input("x", "float32", [2, 3])
    with pytest.raises(ArgumentError) as error:
        b.add(x, b.constant("float16", 1), label="skip connection")
    assert str(error.value) == ("add “skip connection”: b is 'float16[]': the data type must be that of a, float32")
    assert (error.value.operand, error.value.rule) == ("b", "the data type must be that of a, float32")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda b, x: b.relu(), "relu: missing a required argument: 'input'"),
        (lambda b, x: b.relu(x, alpha=1), "relu: got an unexpected keyword argument 'alpha'"),
        (lambda b, x: b.relu(3), "relu: input is 3: must be an MLOperand"),
        (lambda b, x: b.relu(None), "relu: input is None: must be an MLOperand"),
        (lambda b, x: b.relu(MLGraphBuilder().input("x", "float32", [1])), "must be an operand of this builder"),
        (lambda b, x: b.concat([x, 3], 0), "concat: inputs[1] is 3: must be an MLOperand"),
        (lambda b, x: b.concat(x, 0), "must be a list of operands"),
    ],
)
def test_wrong_calls_are_refused(b: MLGraphBuilder, call: Any, message: str) -> None:
    with pytest.raises(TypeError) as error:
        call(b, b.input("x", "float32", [2]))
    assert message in str(error.value)


def test_options_are_kept_as_plain_values(b: MLGraphBuilder) -> None:
    x = b.input("x", "float32", [4])
    y = b.slice(x, np.array([1]), [np.int64(2)])
    assert y.operator is not None
    assert y.operator.attributes == {"starts": (1,), "sizes": (2,), "strides": (1,)}
    assert all(type(value[0]) is int for value in y.operator.attributes.values())


def test_every_operator_is_a_method_with_a_docstring() -> None:
    assert len(RULES) >= 44
    for name, rule in RULES.items():
        assert vars(MLGraphBuilder)[name] is rule
        assert rule.__doc__, f"{name} has no docstring"
        assert "label" in rule.signature.parameters
        assert set(rule.limits) <= set(rule.signature.parameters), name


def test_help_shows_a_method_as_any_other(b: MLGraphBuilder) -> None:
    text = pydoc.plain(pydoc.render_doc(MLGraphBuilder.gru))
    assert "gru(" in text.splitlines()[2] and "recurrent_weight: 'MLOperand'" in text
    assert "-> 'tuple[MLOperand, ...]'" in text
    assert "Gated recurrent unit" in text
    assert str(inspect.signature(b.relu)) == "(input: 'MLOperand', *, label: 'str' = '') -> 'MLOperand'"
    assert str(inspect.signature(MLGraphBuilder.relu)).startswith("(self, /, input: 'MLOperand'")
    methods = pydoc.plain(pydoc.render_doc(MLGraphBuilder))
    assert [name for name in RULES if f" {name}(self, /, " not in methods] == []


@pytest.mark.parametrize("outputs", [None, [1], {}, "y"])
def test_outputs_are_a_mapping(b: MLGraphBuilder, outputs: Any) -> None:
    with pytest.raises(
        TypeError, match=r"build: outputs is .*: must be a mapping of names to operands, with at least one"
    ):
        b.finish(outputs)


def test_a_constants_array_may_have_any_byte_order_and_no_mask(b: MLGraphBuilder) -> None:
    array = np.array([1, 2], ">i4")
    for made in (b.constant(array), b.constant("int32", array, [2])):
        assert made.value is not None
        assert (made.dtype, made.value.tolist(), made.value.dtype.isnative) == ("int32", [1, 2], True)
    with pytest.raises(TypeError, match="constant: array is 'a masked array'"):
        b.constant(np.ma.masked_equal(np.array([1, 2], np.int32), 2))


def test_constants_are_copied_unless_nobody_can_change_them(b: MLGraphBuilder) -> None:
    """A view of `bytes` is taken as it is; a view of anything else may change, also where it is read-only itself."""
    own = np.arange(6, dtype=np.float32)
    locked = own.view()
    locked.setflags(write=False)
    shared = bytearray(own.tobytes())
    fixed = np.frombuffer(b"\0" * 4 + own.tobytes(), np.float32)[1:].reshape(2, 3)
    crooked = np.frombuffer(b"\0" + own.tobytes(), np.float32, offset=1)
    sources = [own, locked, np.frombuffer(shared, np.float32), fixed, crooked, fixed.T]
    values = [b.constant(source).value for source in sources]
    assert [np.shares_memory(v, s) for v, s in zip(values, sources, strict=True)] == [False] * 3 + [True, False, False]
    assert all(value is not None and value.flags.aligned and value.flags.c_contiguous for value in values)
    own[:] = 7
    shared[:] = b"\1" * 24
    for value in values[:3]:
        np.testing.assert_array_equal(value, np.arange(6))


def test_an_array_of_another_shape_is_a_slip(b: MLGraphBuilder) -> None:
    array = np.arange(6, dtype=np.float32)
    assert b.constant("float32", array, [2, 3]).shape == (2, 3)
    with pytest.raises(TypeError, match=r"an array of float32\[3, 2\]': float32\[2, 3\] takes that shape"):
        b.constant("float32", array.reshape(3, 2), [2, 3])


@pytest.mark.parametrize("context", ["x", 3, MLGraphBuilder])
def test_a_builder_is_of_a_context(context: Any) -> None:
    with pytest.raises(TypeError, match=r"MLGraphBuilder: context is .*: must be an MLContext"):
        MLGraphBuilder(context)


def test_what_an_operator_takes_is_said(b: MLGraphBuilder) -> None:
    x = b.input("x", "float32", [1, 1, 4, 4])
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'pading'; it takes input, filter, padding, "):
        b.conv2d(x, x, pading=[1, 1, 1, 1])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="relu: label is 3: must be a string"):
        b.relu(x, label=3)  # type: ignore[arg-type]
    for odd in ({0, 1, 2, 3}, {0: 1}, b"0123"):
        with pytest.raises(TypeError, match=r"permutation is .*: must be a list of integers"):
            b.transpose(x, permutation=odd)  # type: ignore[arg-type]
