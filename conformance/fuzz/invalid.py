"""Graphs in which one thing is wrong, by the specification's text: the builder must refuse each with a TypeError."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hypothesis import strategies as st

from conformance.fuzz.draft import Draft
from conformance.fuzz.strategies import drafts
from trtx_backend.dtypes import ALL
from trtx_backend.graph.limits import Limits
from trtx_backend.graph.operator import RULES
from trtx_backend.graph.serial import python_name

Change = Callable[[dict[str, Any]], None]
"""Makes a graph wrong. It gets a copy."""

WORDS = {"layout", "inputLayout", "filterLayout", "mode", "direction", "outputShapeRounding", "outputDataType"}
FLAGS = {"keepDimensions", "exclusive", "reversed", "upper", "aTranspose", "bTranspose", "resetAfter", "returnSequence"}
FINITE = {"alpha", "beta", "epsilon"}
LENGTHS = {"padding", "strides", "dilations", "outputPadding", "outputSizes", "windowDimensions", "scales", "sizes",
           "starts", "repetitions", "beginningPadding", "endingPadding", "permutation", "activations"}  # fmt: skip
"""Lists whose length the operator fixes."""

FIXED_SHAPE = {"weight", "recurrentWeight", "filter", "bias", "scale", "mean", "hiddenState", "zeroPoint", "updates"}
"""Operands whose shape follows from the others."""

AT_LEAST_1 = {"strides", "dilations", "windowDimensions", "sizes", "repetitions", "scales"}


@st.composite
def broken(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    """A graph that is not valid, and what was done to it."""
    draft: Draft = draw(drafts())
    changes = dict(_changes(draft))
    what = draft.pick(tuple(changes))
    graph = copy.deepcopy(draft.graph)
    changes[what](graph)
    return graph, f"{graph['operators'][-1]['name']}: {what}"


def _changes(draft: Draft) -> Iterator[tuple[str, Change]]:
    call = draft.graph["operators"][-1]
    rule = RULES[python_name(call["name"])]
    yield "an option that it does not have", _option("noSuchOption", 1)
    yield "an argument that it does not have", lambda graph: _last(graph)["arguments"].append({"other": 1})
    yield "a name that is none of WebNN", lambda graph: _last(graph).update(name="noSuchOperator")
    yield "one output too many", lambda graph: _last(graph).update(outputs=[*_outputs(call), "more"])
    for key, value in _arguments(call):
        yield from _wrong_value(draft, call["name"], key, value)
        limits = rule.limits.get(python_name(key)) or next(iter(rule.limits.values()))
        if isinstance(value, str) and value in draft.operands:
            yield from _wrong_operand(draft, call, key, value, limits)
        if key not in dict(_options(call)):
            yield f"without {key}", _without(key)


def _wrong_operand(
    draft: Draft, call: Mapping[str, Any], key: str, value: str, limits: Limits
) -> Iterator[tuple[str, Change]]:
    operand = draft[value]
    yield f"{key} is no operand", _replace(key, "nowhere")
    yield f"{key} is a number", _replace(key, 3)
    dtypes = [dtype for dtype in ALL if dtype not in limits.dtypes]
    if limits.same_as:
        dtypes = [dtype for dtype in ALL if dtype != operand.dtype]
    for dtype in dtypes[:3]:
        yield f"{key} is {dtype}", _other(key, dtype, operand.shape)
    if limits.min_rank > 0:
        yield f"{key} has too low a rank", _other(key, operand.dtype, (1,) * (limits.min_rank - 1))
    if limits.max_rank < 8:
        yield f"{key} has too high a rank", _other(key, operand.dtype, (1,) * (limits.max_rank + 1))
    if key == "b" and call["name"] not in ("matmul", "gemm") and operand.rank and operand.shape[-1] > 1:
        first = draft[dict(_arguments(call))["a"]]
        if first.rank and first.shape[-1] > 1:
            yield "shapes that do not broadcast", _other(key, operand.dtype, (first.shape[-1] + 1,))
    blocks = key == "scale" and "zeroPoint" in dict(_arguments(call))
    if key in FIXED_SHAPE and operand.rank and not blocks:
        yield f"{key} is larger", _other(key, operand.dtype, (*operand.shape[:-1], operand.shape[-1] + 1))


def _wrong_value(draft: Draft, operator: str, key: str, value: Any) -> Iterator[tuple[str, Change]]:
    if key == "axis":
        yield from ((f"axis {bad}", _replace(key, bad)) for bad in (8, -1, 1.5, True, "0"))
    if key == "axes":
        yield from ((f"axes {bad}", _replace(key, bad)) for bad in ([8], [0, 0], [-1], ["0"], 0))
    if key in WORDS:
        yield f"{key} is another word", _replace(key, "sideways")
        yield f"{key} is a number", _replace(key, 0)
    if key in FLAGS:
        yield f"{key} is a word", _replace(key, "yes")
    if key in FINITE:
        yield from ((f"{key} is {bad}", _replace(key, bad)) for bad in ("Infinity", "NaN", "many", True))
    if key in LENGTHS and isinstance(value, list) and (operator, key) != ("pad", "value"):
        yield f"{key} has one more item", _replace(key, [*value, value[-1] if value else 1])
        if value:
            yield f"{key} has one less item", _replace(key, value[:-1])
            yield f"{key} has a word in it", _replace(key, [*value[:-1], "sideways"])
            yield f"{key} has -1 in it", _replace(key, [*value[:-1], -1])
        if value and key in AT_LEAST_1:
            yield f"{key} has 0 in it", _replace(key, [*value[:-1], 0])
    if key == "newShape":
        yield "newShape of another size", _replace(key, [*value, 97] if operator == "reshape" else [97])
        yield "newShape with a 0", _replace(key, [0, *value])
        yield "newShape of rank 9", _replace(key, [1] * 9)
    if key == "splits":
        yield "parts that do not fit", _replace(key, 97 if isinstance(value, int) else [*value, 1])
        yield "a part of nothing", _replace(key, 0 if isinstance(value, int) else [*value, 0])
    if key == "starts" and value:
        yield "a start behind the end", _replace(key, [97, *value[1:]])
    if key in ("steps", "hiddenSize", "groups"):
        yield from ((f"{key} is {bad}", _replace(key, bad)) for bad in (0, -1, 97, 1.5))
    if key == "inputs":
        yield "no inputs", _replace(key, [])
        yield "an input of another type", _concat_other(draft, value[0])
    if key in ("minValue", "maxValue", "value"):
        yield f"{key} is a word", _replace(key, "many")
    if key == "type":
        yield "a type that is none", _replace(key, "float64")
    if key == "diagonal":
        yield from ((f"diagonal {bad}", _replace(key, bad)) for bad in (2**31, 0.5, "0"))


def _concat_other(draft: Draft, first: str) -> Change:
    def change(graph: dict[str, Any]) -> None:
        dtype = "int8" if draft[first].dtype != "int8" else "float32"
        name = _add_input(graph, dtype, draft[first].shape)
        call = _last(graph)
        call["arguments"] = [{"inputs": [first, name]} if "inputs" in a else a for a in call["arguments"]]

    return change


def _last(graph: Mapping[str, Any]) -> dict[str, Any]:
    call: dict[str, Any] = graph["operators"][-1]
    return call


def _outputs(call: Mapping[str, Any]) -> list[str]:
    return list(call["outputs"]) if isinstance(call["outputs"], list) else [call["outputs"]]


def _options(call: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for argument in call["arguments"]:
        yield from argument.get("options", {}).items()


def _arguments(call: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for argument in call["arguments"]:
        yield from ((key, value) for key, value in argument.items() if key != "options")
    yield from _options(call)


def _replace(key: str, value: Any) -> Change:
    def change(graph: dict[str, Any]) -> None:
        for argument in _last(graph)["arguments"]:
            for place in (argument, argument.get("options", {})):
                if key in place:
                    place[key] = value

    return change


def _without(key: str) -> Change:
    def change(graph: dict[str, Any]) -> None:
        call = _last(graph)
        call["arguments"] = [argument for argument in call["arguments"] if key not in argument]

    return change


def _option(key: str, value: Any) -> Change:
    return lambda graph: _last(graph)["arguments"].append({"options": {key: value}})


def _other(key: str, dtype: str, shape: tuple[int, ...]) -> Change:
    """Another operand in its place."""
    return lambda graph: _replace(key, _add_input(graph, dtype, shape))(graph)


def _add_input(graph: dict[str, Any], dtype: str, shape: tuple[int, ...]) -> str:
    graph["inputs"]["wrong"] = {"data": 1, "descriptor": {"shape": list(shape), "dataType": dtype}}
    return "wrong"
