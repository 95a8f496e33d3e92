"""`wpt bisect`: where a case goes wrong. By WebNN operators against the oracle, which finds a broken lowering, and by the
layers of the network, one way of computing them against another, which finds where arithmetic goes astray.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from conformance.cases import Case
from conformance.compare import distance
from conformance.inside import Layer, Tracer, network_of, steps_of
from conformance.oracle import Undefined, evaluate
from conformance.runner import build, came_from, inputs_of
from conformance.targets import Target, numbers
from conformance.tolerance import Tolerance, tolerance_of
from conformance.triage.graphs import Descriptors, Json, descriptors_of, outputs_of, part, resource
from conformance.triage.text import call_text, distance_text, table
from trtx_backend.dtypes import Array
from trtx_backend.errors import EngineError, NetworkError, UnsupportedError
from trtx_backend.graph import Graph

TOLD = (NetworkError, EngineError, UnsupportedError)
"""Errors that say all there is to say."""


@dataclass(frozen=True)
class OperatorFinding:
    """An operator against the oracle, in its worst output: `alone`, fed with what the oracle computes before it, and
    `inside` the whole graph. None where there is nothing to compare, and `note` says why."""

    index: int
    call: Json
    tolerance: Tolerance | None
    alone: float | None
    inside: float | None
    note: str = ""

    @property
    def wrong(self) -> bool:
        """More than its own tolerance off, or not computed at all."""
        if self.note.startswith("fails"):
            return True
        return self.alone is not None and self.tolerance is not None and self.alone > self.tolerance.value


def by_operators(case: Case, target: Target) -> list[OperatorFinding]:
    """Each operator of the case's graph, in order."""
    descriptors = descriptors_of(case.graph)
    inside = _inside(case, target, descriptors)
    known = {name: _read(r) for name, r in case.graph["inputs"].items()}
    found = []
    for index, call in enumerate(case.graph["operators"]):
        try:
            values = evaluate(_until(case.graph, index, descriptors))
        except Undefined as error:
            found.append(OperatorFinding(index, call, None, None, None, f"the specification is silent: {error}"))
            continue
        names = outputs_of(call)
        given = {name: {"value": array, "constant": False} for name, array in known.items()}
        for name, r in case.graph["inputs"].items():
            given[name]["constant"] = bool(r.get("constant"))
        known.update({name: values[name] for name in names})
        finding = _alone(case, target, call, {n: _resource(descriptors, n, g) for n, g in given.items()}, descriptors)
        worst = [distance(inside[n], values[n], "ULP").max(initial=0) for n in names if n in inside]
        found.append(replace(finding, index=index, inside=float(max(worst)) if worst else None))
    return found


def _read(r: Json) -> Array:
    from trtx_backend.graph.serial import read_array

    return read_array(r["data"], r["descriptor"]["dataType"], tuple(r["descriptor"]["shape"]))


def _resource(descriptors: Descriptors, name: str, given: Mapping[str, object]) -> Json:
    made = resource(np.asarray(given["value"]), descriptors[name][0])
    return {**made, "constant": True} if given["constant"] else made


def _until(graph: Json, index: int, descriptors: Descriptors) -> Json:
    """The graph up to an operator, whose results are its outputs."""
    names = outputs_of(graph["operators"][index])
    return part(graph, graph["operators"][: index + 1], names, descriptors)


def _inside(case: Case, target: Target, descriptors: Descriptors) -> Mapping[str, Array]:
    """What the target computes for every operand, in one graph that has all of them as outputs."""
    names = [name for call in case.graph["operators"] for name in outputs_of(call)]
    whole = replace(case, graph=part(case.graph, case.graph["operators"], names, descriptors))
    try:
        graph, _ = build(whole)
        return numbers(target, graph, inputs_of(whole, graph)) or {}
    except Exception:  # an operator that fails is found alone
        return {}


def _alone(case: Case, target: Target, call: Json, given: Json, descriptors: Descriptors) -> OperatorFinding:
    """An operator on what the oracle computes for its inputs, as a graph of its own."""
    single = part({"inputs": given}, [call], outputs_of(call), descriptors)
    expected = evaluate(single)
    one = replace(case, graph=single, tolerance=None)
    try:
        graph, operands = build(one)
        tolerance = tolerance_of(one, {name: operand.shape for name, operand in operands.items()})
        actual = numbers(target, graph, inputs_of(one, graph))
    except Exception as error:  # that is the finding
        where = "" if isinstance(error, TOLD) else "".join(f" ({place})" for place in came_from(error)[-1:])
        return OperatorFinding(0, call, None, None, None, f"fails: {type(error).__name__}: {error}{where}")
    if actual is None:
        return OperatorFinding(0, call, tolerance, None, None, f"{target.name} has no numbers")
    worst = max(float(distance(actual[name], expected[name], tolerance.metric).max(initial=0)) for name in expected)
    return OperatorFinding(0, call, tolerance, worst, None)


def operator_lines(findings: Sequence[OperatorFinding], target: str) -> Iterator[str]:
    yield f"operators on {target} against the oracle (float64, by the specification); distances in ULP"
    rows = [("", "#", "operator", "alone", "allowed", "in the graph")]
    first = next((finding for finding in findings if finding.wrong), None)
    for f in findings:
        allowed = "" if f.tolerance is None else f"{f.tolerance.value:g}"
        mark = "→" if f is first else "✗" if f.wrong else ""
        rows.append((mark, str(f.index), call_text(f.call), distance_text(f.alone), allowed, distance_text(f.inside)))
    yield from table(rows, right=(1, 3, 4, 5))
    yield from (f"  #{f.index} {f.call['name']}: {f.note}" for f in findings if f.note)
    if first is not None:
        yield f"first wrong operator: #{first.index} {call_text(first.call)}"
    elif any(f.alone is not None for f in findings):
        yield "every operator is right when it is alone"


@dataclass(frozen=True)
class LayerFinding:
    """A tensor of the network, computed in two ways: `own` is the distance that its layer adds when both read the same,
    None where that cannot be had; `total` the distance between the values as they are."""

    layer: str
    tensor: str
    own: float | None
    total: float


def by_layers(graph: Graph, inputs: Mapping[str, Array], reference: Tracer, other: Tracer) -> list[LayerFinding]:
    """Each tensor that both show, in the order in which the layers are computed."""
    right = reference.trace(graph, inputs) or {}
    there = other.trace(graph, inputs) or {}
    alone = other.trace(graph, inputs, given=right)
    found = []
    for step in steps_of(graph):
        name = step.tensor
        if name not in right or name not in there:
            continue
        own = None if alone is None or name not in alone else _apart(alone[name], right[name])
        found.append(LayerFinding(step.layer, name, own, _apart(there[name], right[name])))
    return found


def _apart(one: Array, other: Array) -> float:
    if one.shape != other.shape or one.dtype != other.dtype:
        return float("inf")
    if one.dtype.kind == "b":
        return float((one != other).any())
    return float(distance(one, other, "ULP").max(initial=0))


def first_off(findings: Sequence[LayerFinding], allowed: float) -> LayerFinding | None:
    """The first layer whose value is more than `allowed` ULP off."""
    return next((finding for finding in findings if finding.total > allowed), None)


def layer_lines(
    findings: Sequence[LayerFinding], graph: Graph, names: tuple[str, str], allowed: float
) -> Iterator[str]:
    layers: dict[str, Layer] = {layer.name: layer for layer in network_of(graph).layers}
    yield f"layers, {names[1]} against {names[0]}; distances in ULP, {allowed:g} allowed"
    first = first_off(findings, allowed)
    rows = [("", "layer", "type", "makes", "own", "total")]
    for f in findings:
        layer = layers.get(f.layer)
        made = next((str(t) for t in layer.outputs if t.name == f.tensor), "") if layer else ""
        mark = "→" if f is first else "✗" if f.total > allowed else ""
        kind = layer.type if layer else "loop"
        rows.append((mark, f.layer, kind, made, distance_text(f.own), distance_text(f.total)))
    yield from table(rows, right=(4, 5))
    if first is None:
        yield "no layer's value is off"
    else:
        yield f"first layer that is off: {first.layer}"
