"""The key changes with everything that changes a plan, and with nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.graphs import EXPORTED, floats, mlp
from trtx_backend.engine import EngineSettings, find_weights, for_device, lower_folded
from trtx_backend.engine.key import SOURCES, Surroundings, engine_key, sources_digest, surroundings
from trtx_backend.engine.weights import Weight
from trtx_backend.executor.listing import listing
from trtx_backend.graph import Graph, MLGraphBuilder
from trtx_backend.lowering import lower

SETTINGS = for_device((8, 9))
AROUND = Surroundings(format=1, sources="s", tensorrt="1.2.3", flavor="rtx")


def key(graph: Graph, settings: EngineSettings = SETTINGS, around: Surroundings = AROUND) -> str:
    lowered = lower_folded(graph)
    return engine_key(graph, lowered, find_weights(lowered), settings, around)


def structure(graph: Graph) -> list[Any]:
    """All that TensorRT tells of the network but the elements of the graph's constants."""
    lowered = lower_folded(graph)
    weights = {constant.layer for constant in lowered.constants if constant.operands}
    layers = listing(lowered.network)["layers"]
    return [{**layer, "parameters": None} if layer["name"] in weights else layer for layer in layers]


CHANGED_SETTINGS: dict[str, Any] = {
    "targets": ("SM86",),
    "architecture": "sm_86",
    "refit": False,
    "tf32": True,
    "optimization_level": 2,
    "profiling": "DETAILED",
}
CHANGED_AROUND: dict[str, Any] = {"format": 2, "sources": "t", "tensorrt": "1.2.4", "flavor": "enterprise"}


def test_every_field_of_the_settings_changes_it() -> None:
    assert CHANGED_SETTINGS.keys() == {field.name for field in fields(EngineSettings)}
    keys = {key(mlp(), replace(SETTINGS, **{name: value})) for name, value in CHANGED_SETTINGS.items()}
    assert len(keys | {key(mlp())}) == len(CHANGED_SETTINGS) + 1


def test_tensorrt_and_the_converter_change_it() -> None:
    assert CHANGED_AROUND.keys() == {field.name for field in fields(Surroundings)}
    keys = {key(mlp(), around=replace(AROUND, **{name: value})) for name, value in CHANGED_AROUND.items()}
    assert len(keys | {key(mlp())}) == len(CHANGED_AROUND) + 1


def test_they_are_this_process_s_own_unless_said_otherwise() -> None:
    around = surroundings()
    assert around == Surroundings(1, sources_digest(), "1.6.1.120", "rtx")
    lowered = lower_folded(graph := mlp())
    assert engine_key(graph, lowered, find_weights(lowered), SETTINGS) == key(graph, around=around)


@pytest.mark.parametrize("name", EXPORTED)
def test_the_same_graph_has_the_same_key(name: str) -> None:
    assert key(EXPORTED[name]()) == key(EXPORTED[name]())


def test_names_labels_values_and_the_order_of_constants_do_not_change_it() -> None:
    expected = key(mlp(layers=3))
    assert key(mlp(layers=3, prefix="another ")) == expected
    assert key(mlp(layers=3, backwards=True)) == expected
    assert key(mlp(layers=3, seed=77)) == expected


def test_neither_do_constants_and_operators_that_no_output_needs() -> None:
    def make(more: bool) -> Graph:
        b = MLGraphBuilder()
        if more:
            b.exp(b.constant(floats(3)))
        x = b.input("x", "float32", [4])
        y = b.add(x, b.constant(floats(4)))
        if more:
            b.relu(y)
        return b.finish({"y": b.neg(y)})

    assert key(make(False)) == key(make(True))


def _graph(**changes: Any) -> Graph:
    """A graph of which every part can be changed."""
    p: dict[str, Any] = {"dtype": "float32", "rows": 2, "alpha": 0.5, "operator": "add", "more": False}
    p |= {"constant": False, "width": 4, "outputs": ("a", "b"), "turned": False, "bias": True}
    p |= changes
    b = MLGraphBuilder()
    if p["constant"]:
        x = b.constant(floats(p["rows"], 4, dtype=p["dtype"]))
    else:
        x = b.input("x", p["dtype"], [p["rows"], 4])
    z = b.input("z", p["dtype"], [p["rows"], 4])
    weight = b.constant(floats(4, p["width"], dtype=p["dtype"]))
    y = getattr(b, p["operator"])(x, z)
    y = b.leaky_relu(y, alpha=p["alpha"])
    if p["more"]:
        y = b.identity(y)
    c = b.constant(floats(p["width"], dtype=p["dtype"])) if p["bias"] else None
    y = b.gemm(y, b.transpose(b.constant(floats(p["width"], 4, dtype=p["dtype"]))) if p["turned"] else weight, c=c)
    outputs = {"a": y, "b": b.abs(y)}
    return b.finish({name: outputs[name] for name in p["outputs"]})


@pytest.mark.parametrize(
    "changes",
    [
        {"dtype": "float16"},
        {"rows": 3},
        {"alpha": 0.25},
        {"operator": "mul"},
        {"more": True},
        {"constant": True},
        {"width": 5},
        {"outputs": ("a",)},
        {"outputs": ("b",)},
        {"outputs": ("b", "a")},
        {"turned": True},
        {"bias": False},
    ],
    ids=str,
)
def test_every_part_of_the_graph_changes_it(changes: dict[str, Any]) -> None:
    assert key(_graph(**changes)) != key(_graph())


@pytest.mark.parametrize("name", EXPORTED)
def test_no_lowering_looks_at_the_elements_of_constants(name: str) -> None:
    """Otherwise graphs of one key could be different networks."""
    graph = EXPORTED[name]()
    before = structure(graph)
    for value in (0, 1, 2):
        for operand in graph.constants:
            assert operand.value is not None
            operand.value[...] = value
        assert structure(graph) == before


def test_which_operand_is_which_changes_it() -> None:
    def make(pick: Callable[[Any, Any], tuple[Any, Any]]) -> Graph:
        b = MLGraphBuilder()
        x, z = b.input("x", "float32", [2, 2]), b.input("z", "float32", [2, 2])
        left, right = pick(x, z)
        return b.finish({"y": b.sub(b.matmul(x, z), b.matmul(left, right))})

    picks: list[Callable[[Any, Any], tuple[Any, Any]]] = [
        lambda x, z: (x, z),
        lambda x, z: (z, x),
        lambda x, z: (x, x),
        lambda x, z: (z, z),
    ]
    assert len({key(make(pick)) for pick in picks}) == 4


@pytest.mark.parametrize("change", [{"dtype": "float16"}, {"shape": [5]}, {"shape": [2, 2]}], ids=str)
def test_types_and_shapes_of_inputs_change_it_without_any_constant(change: dict[str, Any]) -> None:
    def make(dtype: str = "float32", shape: Sequence[int] = (4,)) -> Graph:
        b = MLGraphBuilder()
        return b.finish({"y": b.relu(b.input("x", dtype, shape))})

    assert key(make()) != key(make(**change))


def test_a_weight_in_two_shapes_is_as_little_part_of_it() -> None:
    def make(seed: int) -> Graph:
        b = MLGraphBuilder()
        c = b.constant(floats(4, seed=seed))
        return b.finish({"y": b.add(b.input("x", "float32", [2, 4]), c), "z": b.mul(b.input("z", "float32", [4]), c)})

    assert len(find_weights(lower_folded(make(0)))[0].layers) == 2
    assert key(make(0)) == key(make(1))


def test_a_constant_used_twice_is_not_two_equal_ones() -> None:
    def make(twice: bool) -> Graph:
        b = MLGraphBuilder()
        c = b.constant(floats(4))
        d = c if twice else b.constant(floats(4))
        return b.finish({"y": b.mul(b.add(b.input("x", "float32", [4]), c), d)})

    assert key(make(True)) != key(make(False))


def test_the_elements_of_what_is_baked_change_it() -> None:
    def keys(values: list[int]) -> tuple[str, str]:
        b = MLGraphBuilder()
        where = b.add(b.constant(np.array(values, np.int64)), b.constant("int64", 0))
        graph = b.finish({"y": b.gather(b.input("x", "float32", [4]), where)})
        lowered = lower(graph)
        baked = engine_key(graph, lowered, find_weights(lowered), SETTINGS, AROUND)
        return baked, key(graph)

    one, same, other = keys([1, 0]), keys([1, 0]), keys([0, 1])
    assert one == same
    assert one[0] != other[0]
    assert one[1] == other[1], "folded, they are put back"


def test_what_is_refitted_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The elements could not be read: their array ends nowhere."""
    graph = mlp(layers=1)
    lowered = lower_folded(graph)
    weights = find_weights(lowered)
    before = engine_key(graph, lowered, weights, SETTINGS, AROUND)
    for weight in weights:
        weight.array[...] = np.nan
    assert engine_key(graph, lowered, weights, SETTINGS, AROUND) == before
    baked = [Weight(w.name, w.layers, w.array, w.operands, w.users, "because") for w in weights]
    changed = engine_key(graph, lowered, baked, SETTINGS, AROUND)
    weights[0].array[...] = 0
    assert len({before, changed, engine_key(graph, lowered, baked, SETTINGS, AROUND)}) == 3


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_of_the_converter_changes_it(name: str, tmp_path: Path) -> None:
    for source in SOURCES:
        path = tmp_path / source
        if not source.endswith(".py"):
            (path / "deep").mkdir(parents=True)
            path = path / "deep" / "file.py"
        path.write_text("x = 1\n")
    before = sources_digest(tmp_path)
    sources_digest.cache_clear()
    assert sources_digest(tmp_path) == before
    changed = tmp_path / name if name.endswith(".py") else tmp_path / name / "deep" / "file.py"
    changed.write_text("x = 2\n")
    sources_digest.cache_clear()
    edited = sources_digest(tmp_path)
    changed.write_text("x = 1\n")
    if not name.endswith(".py"):
        changed.rename(changed.with_name("moved.py"))
        sources_digest.cache_clear()
        assert sources_digest(tmp_path) not in (before, edited)
    assert edited != before
    sources_digest.cache_clear()


def test_without_its_sources_it_has_no_key(tmp_path: Path) -> None:
    for source in SOURCES:
        path = tmp_path / source
        path.touch() if source.endswith(".py") else path.mkdir()
    with pytest.raises(RuntimeError, match=r"the sources of .*engine are not there"):
        sources_digest(tmp_path)


def test_the_real_sources_are_those_that_a_build_imports() -> None:
    """Everything that is imported to lower, fold and compile a graph, but for what only names, logs, loads or raises."""
    import subprocess
    import sys

    code = "import sys; from tests.engine.graphs import mlp; from trtx_backend.engine import *; build(lower_folded(mlp()).network)\n"
    code += "print(*(m for m in sys.modules if m.startswith('trtx_backend.')))"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    covered = {name.split(".")[0] for name in SOURCES}
    others = {name.split(".")[1] for name in names} - covered
    assert others <= {"errors", "flavor", "loading", "logs", "options", "ml", "context", "selection", "runtime", "edge"}
