"""Tensors on the double: types, sizes, order of work, and when memory is given back."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.made import W, X, context_on, execution, product, run, tensors
from trtx_backend import ContextLostError, InvalidStateError, MLGraphBuilder
from trtx_backend.context import MLContext
from trtx_backend.dtypes import DATA_TYPES, data_type
from trtx_backend.runtime.double import Machine, installed


@pytest.mark.parametrize("shape", [[], [1], [3], [2, 3, 5]])
@pytest.mark.parametrize("dtype", DATA_TYPES)
def test_every_type_there_and_back(context: MLContext, dtype: str, shape: list[int]) -> None:
    row = data_type(dtype)
    low, high = (-3, 3) if row.is_float else (int(row.min), int(row.max))
    data = np.random.default_rng(0).integers(
        low, high, shape, np.uint64 if dtype == "uint64" else np.int64, endpoint=True
    )
    data = np.asarray(data).astype(row.numpy)
    with context.create_tensor(dtype, shape, readable=True, writable=True) as tensor:
        assert context.read_tensor(tensor).tobytes() == np.zeros(shape, row.numpy).tobytes()
        context.write_tensor(tensor, data)
        read = context.read_tensor(tensor)
    assert (read.dtype, read.shape) == (row.numpy, tuple(shape))
    assert read.tobytes() == data.tobytes()


@pytest.mark.parametrize("dtype", DATA_TYPES)
def test_every_type_through_an_engine(context: MLContext, dtype: str) -> None:
    builder = MLGraphBuilder(context)
    graph = builder.build({"y": builder.transpose(builder.input("x", dtype, [2, 3]))})
    row = data_type(dtype)
    data = np.array([[0, 1, 2], [3, 4, 5 if row.is_float else int(row.max)]], row.numpy)
    assert context.compute(graph, {"x": data})["y"].tobytes() == data.T.copy().tobytes()


def test_memory_is_what_the_binding_takes(machine: Machine, context: MLContext) -> None:
    tensor = context.create_tensor("int4", [3], readable=True, writable=True)
    assert (tensor.byte_length, tensor.storage.buffer.size) == (2, 3)  # packed for WebNN, one a byte for TensorRT
    context.write_tensor(tensor, np.array([-8, 7, 1], np.int8))
    assert context.read_tensor(tensor).tolist() == [-8, 7, 1]
    tensor.destroy()


def test_a_written_array_may_change_at_once(context: MLContext) -> None:
    x, y = tensors(context)
    graph = product(context)
    data = X.copy()
    context.write_tensor(x, data)
    data[:] = 99
    context.dispatch(graph, {"x": x}, {"y": y})
    np.testing.assert_array_equal(context.read_tensor(y), X @ W)


def test_a_strided_array_is_written_as_it_looks(context: MLContext) -> None:
    x = context.create_tensor("float32", [2, 2], readable=True, writable=True)
    context.write_tensor(x, X.T)
    np.testing.assert_array_equal(context.read_tensor(x), X.T)


def test_an_input_may_be_destroyed_behind_its_dispatch(machine: Machine, context: MLContext) -> None:
    graph, (x, y) = product(context), tensors(context)
    context.write_tensor(x, X)
    synchronized = machine.calls["cuStreamSynchronize"]
    context.dispatch(graph, {"x": x}, {"y": y})
    x.destroy()
    new = context.create_tensor("float32", [2, 2], writable=True)  # it gets the address, and is zeroed behind the run
    assert machine.calls["cuStreamSynchronize"] == synchronized
    np.testing.assert_array_equal(context.read_tensor(y), X @ W)
    new.destroy()


def test_a_graph_may_be_destroyed_behind_its_dispatch(context: MLContext) -> None:
    graph, (x, y) = product(context), tensors(context)
    for _ in range(2):
        context.write_tensor(x, X)
        context.dispatch(graph, {"x": x}, {"y": y})
    graph.destroy()
    np.testing.assert_array_equal(context.read_tensor(y), X @ W)
    with pytest.raises(InvalidStateError, match="destroyed"):
        context.dispatch(graph, {"x": x}, {"y": y})


@pytest.mark.parametrize("pools", [True, False])
def test_what_is_destroyed_is_given_back_at_once(tmp_path: Path, pools: bool) -> None:
    with installed(Machine(pools=pools)) as machine, context_on(tmp_path) as context:
        with product(context) as graph:
            x, y = tensors(context)
            for _ in range(3):
                run(context, graph, x, y)
            assert machine.left() == {
                "memory": 2, "streams": 1, "executables": 1, "contexts": 1, "engines": 1, "executions": 1,
            }  # fmt: skip
            with x, y:
                pass
            assert machine.left() == {"streams": 1, "contexts": 1, "engines": 1, "executions": 1}
        assert machine.left() == {"streams": 1, "contexts": 1}
        assert execution_of(graph) is None
    assert machine.left() == {} and machine.wrong == []


def execution_of(graph: object) -> object:
    return getattr(graph, "_compiled", None)


def test_what_is_dropped_is_given_back_at_the_next_call(machine: Machine, context: MLContext) -> None:
    graph, (x, y) = product(context), tensors(context)
    for _ in range(3):
        run(context, graph, x, y)
    del graph, x, y
    gc.collect()
    with context.create_tensor("float32", [1]):
        assert machine.left() == {"memory": 1, "streams": 1, "contexts": 1}


def test_a_dropped_context_gives_all_back(tmp_path: Path) -> None:
    with installed() as machine:
        context = context_on(tmp_path)
        graph, (x, y) = product(context), tensors(context)
        run(context, graph, x, y)
        del context, graph, x, y
        gc.collect()
        assert machine.left() == {} and machine.wrong == []


def test_nothing_works_after_destroy_and_all_may_be_destroyed(machine: Machine, tmp_path: Path) -> None:
    context = context_on(tmp_path)
    graph, (x, y) = product(context), tensors(context)
    context.destroy()
    assert context.lost == "destroy() was called"
    calls = sum(machine.calls.values())
    for call in (
        lambda: context.create_tensor("float32", [1]),
        lambda: context.write_tensor(x, X),
        lambda: context.read_tensor(y),
        lambda: context.dispatch(graph, {"x": x}, {"y": y}),
        lambda: product(context),
    ):
        with pytest.raises(ContextLostError, match=r"lost: destroy\(\) was called"):
            call()
    for each in (x, y, graph, context):
        each.destroy()
    assert sum(machine.calls.values()) == calls


def test_wrong_dispatches_reach_no_device(machine: Machine, context: MLContext) -> None:
    graph, (x, y) = product(context), tensors(context)
    wrong = context.create_tensor("float16", [2, 2], readable=True)
    small = context.create_tensor("float32", [2], readable=True)
    calls = sum(machine.calls.values())
    for outputs in ({"y": wrong}, {"y": small}, {"y": x}, {}, {"y": y, "z": small}):
        with pytest.raises(TypeError):
            context.dispatch(graph, {"x": x}, outputs)
    assert sum(machine.calls.values()) == calls
    assert execution(graph).captured == 0
