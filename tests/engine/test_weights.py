"""Which constants are weights that a refit replaces: by the flow of data, and by TensorRT's own word."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.engine.folded import differing
from tests.engine.graphs import EXPORTED, bytes_moved, floats, mlp
from tests.engine.held import SETTINGS, fate, ignored_together
from trtx_backend.engine import TensorRTCompiler, Weight, build, find_weights, for_device, lower_folded, refittable
from trtx_backend.errors import EngineError, ExecutorError
from trtx_backend.graph import Graph, MLGraphBuilder
from trtx_backend.lowering import LoweredGraph, NetworkConstant, lower
from trtx_backend.trt import ITensor, Network, create_network, trt

MakeGraph = Callable[[], Graph]


@pytest.mark.parametrize("make", EXPORTED.values(), ids=EXPORTED.keys())
def test_every_constant_of_a_graph_that_an_output_needs_can_be_refitted(make: MakeGraph) -> None:
    graph = make()
    weights = find_weights(lower_folded(graph))
    assert [str(weight) for weight in weights if weight.baked] == []
    needed = {operand for weight in refittable(weights) for operand in weight.operands}
    assert needed == {operand for operand in graph.constants if _decides(graph, operand)}


def _decides(graph: Graph, operand: object) -> bool:
    """Whether anything but the shape of this constant is of use to an output."""
    return any(operand in list(op.inputs()) and op.name != "shape" for op in graph.operators)


@pytest.mark.parametrize("make", EXPORTED.values(), ids=EXPORTED.keys())
def test_what_is_computed_beforehand_is_what_the_network_computes(make: MakeGraph) -> None:
    graph = make()
    assert differing(graph) == []
    assert lower_folded(graph).network.num_layers >= lower(graph).network.num_layers > 5


@pytest.mark.parametrize("name", ["transformer", "cnn", "quantized cnn", "recurrent", "shuffled"])
def test_tensorrt_means_to_keep_what_we_call_refittable_and_ignores_what_has_no_user(name: str) -> None:
    """A sample; `make refit-rules` asks for every constant."""
    lowered = lower_folded(EXPORTED[name]())
    weights = find_weights(lowered)
    some = refittable(weights)
    unused = [weight for weight in weights if not weight.users]
    assert len(some) > 5
    assert [fate(lowered, weight) for weight in (some[0], some[len(some) // 2])] == ["kept"] * 2
    assert not unused or ignored_together(lowered, unused)


def test_integers_that_tensorrt_folds_are_baked_and_their_marks_ignored() -> None:
    b = MLGraphBuilder()
    where = b.add(b.constant(np.array([1, 0], np.int64)), b.constant("int64", 1))
    lowered = lower(b.finish({"y": b.gather(b.input("x", "float32", [4]), where)}))
    weights = find_weights(lowered)
    assert [weight.baked for weight in weights] == ["0.2 add elementwise is computed when the plan is built"] * 2
    assert [fate(lowered, weight) for weight in weights] == ["ignored"] * 2


def _slice_fill(n: Network, x: ITensor, constant: ITensor) -> ITensor:
    layer = n.add_slice(x, (-1,), (6,), (1,))
    layer.mode = trt.SampleMode.FILL
    layer.set_input(4, constant)
    return layer.get_output(0)


def _trip_limit(n: Network, x: ITensor, constant: ITensor) -> ITensor:
    loop = n.add_loop()
    loop.add_trip_limit(constant, trt.TripLimit.COUNT)
    recurrence = loop.add_recurrence(x)
    recurrence.set_input(1, n.add_elementwise(recurrence.get_output(0), x, trt.ElementWiseOperation.SUM).get_output(0))
    return loop.add_loop_output(recurrence.get_output(0), trt.LoopOutput.LAST_VALUE).get_output(0)


def _slice_start(n: Network, x: ITensor, constant: ITensor) -> ITensor:
    layer = n.add_slice(x, (0,), (2,), (1,))
    layer.set_input(1, constant)
    return layer.get_output(0)


def _axis(n: Network, x: ITensor, constant: ITensor) -> ITensor:
    return n.add_cumulative(x, constant, trt.CumulativeOperation.SUM, False, False).get_output(0)


def _quantize(n: Network, x: ITensor, constant: ITensor) -> ITensor:
    made = n.add_quantize(x, constant, trt.int8).get_output(0)
    return n.add_dequantize(made, constant, trt.float32).get_output(0)


def _shape_and_data(n: Network, x: ITensor, constant: ITensor) -> ITensor:
    sliced = _slice_start(n, x, constant)
    return n.add_elementwise(
        sliced, n.add_cast(constant, trt.float32).get_output(0), trt.ElementWiseOperation.SUM
    ).get_output(0)


def _added(n: Network, x: ITensor, constant: ITensor) -> ITensor:
    return n.add_elementwise(x, constant, trt.ElementWiseOperation.SUM).get_output(0)


@pytest.mark.parametrize(
    ("use", "array", "why", "tensorrt"),
    [
        (_slice_fill, np.array(5, np.float32), "takes it when", "cannot have fill value as a data constant"),
        (_trip_limit, np.array(3, np.int32), "takes it when", "CPU-only AoT does not support executing weights engines"),
        (_slice_start, np.array([1], np.int32), "it is a shape", "ignored"),
        (_axis, np.array(0, np.int32), "it is a shape", "ignored"),
        (_shape_and_data, np.array([1], np.int32), "it is a shape", "kept"),
        (_quantize, np.array(0.5, np.float32), "fused by its value", "kept"),
        (_added, np.ones(4, np.float32), "", "kept"),
    ],
)  # fmt: skip
def test_where_a_network_takes_constants_of_its_own_accord(
    use: Callable[[Network, ITensor, ITensor], ITensor], array: np.ndarray, why: str, tensorrt: str
) -> None:
    """Our lowerings give none of the graph's constants to most of these. What TensorRT would keep although we bake it is
    what it keeps in two places, or fuses."""
    network = create_network()
    x = network.add_input("x", trt.float32, (4,))
    layer = network.add_constant(array.shape, trt.Weights(array.reshape(-1)))
    layer.name = "made"
    network.mark_output(use(network, x, layer.get_output(0)))
    operand = MLGraphBuilder().constant(array)
    lowered = LoweredGraph(network, {}, {}, [NetworkConstant("made", array, (operand,))])
    (weight,) = find_weights(lowered)
    assert why in weight.baked if why else not weight.baked
    assert tensorrt in fate(lowered, weight)


def test_forms_of_one_constant_that_share_memory_are_one_weight() -> None:
    b = MLGraphBuilder()
    x, c = b.input("x", "float32", [2, 3, 4]), b.constant(floats(4))
    y = b.add(b.mul(x, c), b.matmul(x, b.constant(floats(4, 4))))
    y = b.concat([b.reshape(y, [24]), c], 0)
    lowered = lower_folded(b.finish({"y": y, "z": b.add(b.reshape(x, [6, 4]), c)}))
    weights = {weight.operands: weight for weight in find_weights(lowered)}
    shared = weights[(c,)]
    assert (len(shared.layers), len(shared.users), len(weights)) == (3, 3, 2)
    assert fate(lowered, shared) == "kept"


def test_without_a_gpu_the_weights_stay_inside_and_it_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    lowered = lower_folded(mlp(size=16))
    weights = refittable(find_weights(lowered))
    compiler, settings = TensorRTCompiler(), for_device((8, 9))
    with caplog.at_level("WARNING", "trtx"):
        plans = [compiler.compile(lowered, settings, weights) for _ in range(2)]
    assert not any(plan.stripped for plan in plans)
    assert plans[0].data == plans[1].data
    assert all(weight.array.tobytes() in plans[0].data for weight in weights)
    assert caplog.text.count("no plan without its weights can be built here") == 1


def test_a_weight_of_another_network_is_an_error() -> None:
    lowered = lower_folded(mlp())
    weight = Weight("c0", (), floats(3), (MLGraphBuilder().constant(floats(3)),), ("0 matmul",))
    with pytest.raises(EngineError, match=r"does not mark the constant float32\[3\] of 0 matmul as refittable"):
        TensorRTCompiler().compile(lowered, SETTINGS, [weight])
    assert build(lowered.network)


def test_what_no_output_needs_is_not_in_the_plan() -> None:
    b = MLGraphBuilder()
    turned = b.exp(b.constant(floats(64, 64)))
    lowered = lower_folded(b.finish({"y": b.matmul(b.input("x", "float32", [4, 64]), turned)}))
    unused, used = find_weights(lowered)
    plan = build(lowered.network)
    assert (unused.users, len(used.users), refittable([unused, used])) == ((), 1, [used])
    assert used.array.tobytes() in plan
    assert unused.array.tobytes() not in plan


def test_users_are_named_as_the_program_does() -> None:
    (weight, *_) = find_weights(lower_folded(mlp(prefix="encoder ", layers=1)))
    b = MLGraphBuilder()
    labelled = b.relu(b.add(b.input("x", "float32", [4]), b.constant(floats(4)), label="block 3"))
    (other,) = find_weights(lower_folded(b.finish({"y": labelled})))
    assert str(weight) == "the constant float32[4, 4] of 0.1 matmul matrix_multiply"
    assert str(other) == "the constant float32[4] of 0.1 add elementwise “block 3”"
    assert any("recurrence" in user for w in find_weights(lower_folded(EXPORTED["recurrent"]())) for user in w.users)


def test_plans_of_graphs_that_share_a_key_are_the_same_bytes() -> None:
    """Names, labels, the order of constants: the plan that a cache keeps has none of a program's words."""
    made = [
        lower_folded(mlp(prefix=prefix, backwards=backwards)) for prefix, backwards in (("", False), ("secret ", True))
    ]
    plans = [TensorRTCompiler().compile(one, for_device((8, 9)), refittable(find_weights(one))).data for one in made]
    assert plans[0] == plans[1]
    assert b"secret" not in plans[1]
    network = made[1].network
    assert "secret 0" in {network.get_layer(index).metadata for index in range(network.num_layers)}
    assert b"secret" in build(network)


def test_what_the_executor_cannot_compute_is_left_to_tensorrt(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ExecutorError("no such layer")

    monkeypatch.setattr("trtx_backend.engine.fold.read", fail)
    with caplog.at_level("WARNING", "trtx"):
        weights = find_weights(lower_folded(EXPORTED["recurrent"]()))
    assert "left to TensorRT" in caplog.text
    assert weights and all(weight.baked for weight in weights)


def test_a_constant_that_is_an_output_is_refitted_too() -> None:
    b = MLGraphBuilder()
    graph = b.finish({"y": b.exp(b.constant(floats(3))), "z": b.relu(b.input("x", "float32", [3]))})
    lowered = lower_folded(graph)
    (weight,) = refittable(find_weights(lowered))
    assert weight.users == (f"output {lowered.outputs['y'].name}",)
    assert fate(lowered, weight) == "kept"


def test_only_what_follows_from_constants_of_the_graph_is_folded_and_only_to_types_that_constants_have() -> None:
    (weight,) = find_weights(lower_folded(bytes_moved()))
    assert weight.baked == "0.1 concat cast is computed when the plan is built"
    b = MLGraphBuilder()
    x = b.input("x", "float32", [2, 3, 4, 4])
    graph = b.finish({"y": b.average_pool2d(b.triangular(x), padding=[1, 1, 1, 1]), "z": b.hard_swish(x)})
    networks = lower(graph).network, lower_folded(graph).network
    plain, folded = ([network.get_layer(i).name for i in range(network.num_layers)] for network in networks)
    assert plain == folded
