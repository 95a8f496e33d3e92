"""`wpt show`: a case, the network that it becomes, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.cases import Case
from conformance.compare import distance
from conformance.inside import network_of
from conformance.runner import build, came_from, inputs_of, run_case
from conformance.targets import Target, numbers
from conformance.tolerance import Tolerance, tolerance_of
from conformance.triage.find import place
from conformance.triage.text import array_lines, call_text, cut, described, distance_map, table
from trtx_backend.dtypes import Array
from trtx_backend.graph import Graph
from trtx_backend.graph.serial import read_array

RULE = "─"


def show(case: Case, target: Target) -> Iterator[str]:
    """Lines, from what is certain to what may end the process: the case, its network, its outcome."""
    yield cut(f"{case.id}", 100)
    yield cut(f"{place(case)}, target {target.name} ({target.device})", 100)
    yield from _graph(case)
    yield from _inputs(case)
    try:
        graph, operands = build(case)
    except Exception as error:
        yield from ["", _heading("not a graph"), f"  {error}"]
        return
    yield from _network(graph)
    yield from ["", _heading("outcome")]
    outcome = run_case(case, target)
    worst = "" if outcome.worst is None else f", worst {outcome.worst:g} of {outcome.metric} <= {outcome.allowed:g}"
    yield f"  {outcome.line}{worst}"
    said = outcome.message.removeprefix(f"{case.id} / {target.name}: {outcome.cause or outcome.status}").strip(":\n ")
    yield from (f"  {line}" for line in said.splitlines() if not line.startswith("repeat: "))
    tolerance = tolerance_of(case, {name: operand.shape for name, operand in operands.items()})
    yield from _outputs(case, graph, target, tolerance)


def _heading(text: str) -> str:
    return f"{RULE * 2} {text} ".ljust(100, RULE)


def _graph(case: Case) -> Iterator[str]:
    yield from ["", _heading("graph")]
    given: list[tuple[str, str, str]] = []
    for name, resource in case.graph["inputs"].items():
        descriptor = resource["descriptor"]
        kind = "constant" if resource.get("constant") else "input"
        given.append((kind, name, described(descriptor["dataType"], descriptor["shape"])))
    yield from table(given)
    outputs = case.graph["expectedOutputs"]
    rows = []
    for index, call in enumerate(case.graph["operators"]):
        names = call["outputs"] if isinstance(call["outputs"], list) else [call["outputs"]]
        rows.append((str(index), f"{', '.join(names)} = {call_text(call)}"))
    yield from table(rows, right=(0,))
    descriptors = {name: resource["descriptor"] for name, resource in outputs.items()}
    yield from table([("output", name, described(d["dataType"], d["shape"])) for name, d in descriptors.items()])


def _inputs(case: Case) -> Iterator[str]:
    yield from ["", _heading("inputs")]
    for name, resource in case.graph["inputs"].items():
        descriptor = resource["descriptor"]
        yield f"  {cut(name, 90)}"
        try:
            array = read_array(resource["data"], descriptor["dataType"], tuple(descriptor["shape"]))
            yield from array_lines(array)
        except TypeError as error:
            yield f"    {error}"


def _network(graph: Graph) -> Iterator[str]:
    yield from ["", _heading("TensorRT network")]
    try:
        view = network_of(graph)
    except Exception as error:  # it is shown, whatever it is
        yield f"  none: {type(error).__name__}: {error}"
        yield from (f"    at {place}" for place in came_from(error))
        return

    producer = {tensor.name: str(number) for number, layer in enumerate(view.layers) for tensor in layer.outputs}

    def reads(name: str) -> str:
        """Another layer's number, or the name of an input."""
        return producer.get(name) or cut(view.names.get(name, name), 20) or "–"

    rows = [("", "type", "layer", "reads", "makes", "")]
    for number, layer in enumerate(view.layers):
        makes = ", ".join(str(tensor) for tensor in layer.outputs)
        named = ", ".join(f"= {view.names[tensor.name]}" for tensor in layer.outputs if tensor.name in view.names)
        rows.append((str(number), layer.type, layer.name, ", ".join(map(reads, layer.inputs)), makes, named))
    yield from table(rows, right=(0,))


def _outputs(case: Case, graph: Graph, target: Target, tolerance: Tolerance) -> Iterator[str]:
    expected = {
        name: read_array(r["data"], r["descriptor"]["dataType"], tuple(r["descriptor"]["shape"]))
        for name, r in case.graph["expectedOutputs"].items()
    }
    actual = _actual(case, graph, target)
    for name, array in expected.items():
        yield from ["", _heading(f"output {cut(name, 60)}"), "  expected", *array_lines(array)]
        got = None if actual is None else actual.get(name)
        if got is None:
            yield f"  actual: none from {target.name}"
            continue
        yield from ["  actual", *array_lines(got)]
        if got.shape == array.shape and got.dtype == array.dtype:
            metric = tolerance.metric if got.dtype.kind == "f" else "difference"
            yield f"  {metric} map ({tolerance} allowed)"
            yield from distance_map(distance(got, array, tolerance.metric), tolerance.value)


def _actual(case: Case, graph: Graph, target: Target) -> Mapping[str, Array] | None:
    try:
        return numbers(target, graph, inputs_of(case, graph))
    except Exception:  # the outcome has said it
        return None
