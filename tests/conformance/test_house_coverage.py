"""The house cases hold what the tables of the operators allow: every data type, the lowest and the highest rank (5 at most)
of every operand, operands that may be missing both ways, every option left out and given, every word of an enumeration,
and values of every class.

A gap is named `operator: what is missing`; EXCLUDED says why one stays.
"""

from __future__ import annotations

import inspect
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from typing import Any

import numpy as np
import pytest

from conformance.house.__main__ import documents
from trtx_backend.dtypes import DATA_TYPES, Array
from trtx_backend.errors import ArgumentError
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.ir import MLOperand
from trtx_backend.graph.operator import RULES, OperatorRule
from trtx_backend.graph.serial import operator_rule, python_name, read_array, replay, replay_operator

MAX_RANK = 5

EXCLUDED: Mapping[str, str] = {
    "gemm: c of rank 5": "it broadcasts to the result, whose rank is 2",
    "shape: input of *, *": "it does not look at values",
    **{
        f"{name}: {operand} of *, NaN": "the specification leaves the order of NaN open, and they compare"
        for operand, names in {
            "input": ("arg_max", "arg_min", "reduce_max", "reduce_min", "max_pool2d", "relu", "clamp", "hard_sigmoid"),
            "a": ("max", "min"),
        }.items()
        for name in names
    },
    "prelu: input of float16, NaN": "likewise",
    "hard_swish: input of *, NaN": "likewise",
    "hard_swish: input of *, -Infinity": "NaN by the formula, 0 at the limit",
    "gelu: input of *, -Infinity": "NaN by the formula, 0 at the limit",
    "softsign: input of *, *Infinity": "NaN by the formula, 1 or -1 at the limit",
    "quantize_linear: input of *, NaN": "the specification leaves NaN as an integer open",
}
"""Gaps that stay, as patterns, each with its reason."""

FLOAT_CLASSES: Mapping[str, Callable[[Array], Array]] = {
    "NaN": np.isnan,
    "Infinity": np.isposinf,
    "-Infinity": np.isneginf,
    "-0": lambda x: (x == 0) & np.signbit(x),
    "a subnormal": lambda x: (x != 0) & (np.abs(x) < np.finfo(x.dtype).tiny),
}


@dataclass(frozen=True)
class Use:
    """One call of an operator in a case: its arguments by their Python names, and every operand of the case."""

    name: str
    given: Mapping[str, Any]
    operands: Mapping[str, MLOperand]
    resources: Mapping[str, Any]

    def names(self, argument: str) -> list[str]:
        """The operands that an argument names."""
        value = self.given.get(argument, [])
        return value if isinstance(value, list) else [value]

    def values(self, argument: str) -> Iterator[tuple[str, Array]]:
        """Data type and elements of those operands of an argument that the case holds."""
        for resource in (self.resources[name] for name in self.names(argument) if name in self.resources):
            descriptor = resource["descriptor"]
            shape = tuple(descriptor["shape"])
            yield descriptor["dataType"], read_array(resource["data"], descriptor["dataType"], shape)

    def words(self, name: str, index: int | None = None) -> list[str]:
        """The words of an enumeration: the builder tells them to who gives it another."""
        value: Any = "?"
        if index is not None:
            value = [value if at == index else word for at, word in enumerate(self.given[name])]
        call = {"name": self.name, "arguments": [{**self.given, name: value}]}
        builder = next(iter(self.operands.values())).builder
        with pytest.raises(ArgumentError, match="must be one of ") as caught:
            replay_operator(builder, call, self.operands)
        return caught.value.rule.removeprefix("must be one of ").split(", ")


def _use(call: Mapping[str, Any], graph: Mapping[str, Any], operands: Mapping[str, MLOperand]) -> Use:
    given = {key: value for argument in call["arguments"] for key, value in argument.items()}
    given |= given.pop("options", {})
    limits = operator_rule(call["name"]).limits
    if len(limits) == 1 and "input" in given:
        given[next(iter(limits))] = given.pop("input")
    return Use(call["name"], {python_name(key): value for key, value in given.items()}, operands, graph["inputs"])


@cache
def uses() -> Mapping[str, list[Use]]:
    """Every call in the house cases, by operator."""
    found: defaultdict[str, list[Use]] = defaultdict(list)
    for text in documents().values():
        for case in json.loads(text)["tests"]:
            operands = replay(MLGraphBuilder(), case["graph"])
            for call in case["graph"]["operators"]:
                found[operator_rule(call["name"]).name].append(_use(call, case["graph"], operands))
    return found


def gaps(rule: OperatorRule[..., Any], calls: list[Use]) -> Iterator[str]:
    """What none of these calls of an operator has."""
    if not calls:
        yield "any case"
        return
    for name, row in rule.limits.items():
        seen = [use.operands[operand] for use in calls for operand in use.names(name)]
        ranks = (row.min_rank, min(row.max_rank, MAX_RANK))
        yield from (f"{name} of rank {rank}" for rank in _missing(ranks, (operand.rank for operand in seen)))
        if row.optional and all(name in use.given for use in calls):
            yield f"a call without {name}"
        if not row.same_as:
            yield from (f"{name} of {dtype}" for dtype in _missing(row.dtypes, (operand.dtype for operand in seen)))
            alike = [name, *(other for other, its in rule.limits.items() if its.same_as == name)]
            yield from (f"{name} of {what}" for what in _class_gaps(row.dtypes, alike, calls))
    for name, parameter in rule.signature.parameters.items():
        if name not in rule.limits and name != "label":
            yield from (f"{name} {what}" for what in _option_gaps(name, parameter, calls))


def _class_gaps(dtypes: Iterable[str], names: Iterable[str], calls: list[Use]) -> Iterator[str]:
    held: defaultdict[str, list[Array]] = defaultdict(list)
    for dtype, array in (pair for use in calls for name in names for pair in use.values(name)):
        held[dtype].append(array.reshape(-1))
    for dtype in dtypes:
        row, values = DATA_TYPES[dtype], np.concatenate([np.zeros(0, DATA_TYPES[dtype].numpy), *held[dtype]])
        if row.is_float:
            yield from (f"{dtype}, {label}" for label, among in FLOAT_CLASSES.items() if not among(values).any())
        else:
            yield from (f"{dtype}, {limit}" for limit in (int(row.min), int(row.max)) if limit not in values.tolist())


def _option_gaps(name: str, parameter: inspect.Parameter, calls: list[Use]) -> Iterator[str]:
    given = [use for use in calls if name in use.given]
    values = [use.given[name] for use in given]
    form, required = str(parameter.annotation), parameter.default is inspect.Parameter.empty
    if not required and len(given) == len(calls):
        yield "left out"
    if form == "bool":
        yield from map(str, _missing((True, False), values))
    elif form == "str":
        yield from _missing(calls[0].words(name), values)
    elif not given:
        yield "given"
    elif "Sequence[str]" in form:
        for index in range(len(values[0])):
            seen = (value[index] for value in values)
            yield from (f"{index} {word}" for word in _missing(given[0].words(name, index), seen))
    else:
        default = list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default
        others = {json.dumps(value) for value in values if required or value != default}
        if len(others) < 2:
            yield "with two values" if required else "with two values beside the default"
        if form.startswith("int | Sequence"):
            yield from _missing(("int", "list"), (type(value).__name__ for value in values))


def _missing(wanted: Iterable[Any], seen: Iterable[Any]) -> list[Any]:
    found = list(seen)
    return [item for item in dict.fromkeys(wanted) if item not in found]


def test_a_gap_is_named() -> None:
    rule, calls = RULES["pad"], uses()["pad"]
    assert list(gaps(rule, [use for use in calls if use.operands[use.given["input"]].dtype != "uint32"])) == [
        "input of uint32",
        "input of uint32, 0",
        "input of uint32, 4294967295",
    ]
    assert list(gaps(rule, [use for use in calls if use.given.get("mode") != "edge"])) == ["mode edge"]
    assert list(gaps(rule, [])) == ["any case"]
    rule, calls = RULES["gemm"], uses()["gemm"]
    assert "a call without c" in list(gaps(rule, [use for use in calls if "c" in use.given]))


def test_the_house_cases_cover_the_tables_of_every_operator() -> None:
    found = [f"{name}: {gap}" for name, rule in RULES.items() for gap in gaps(rule, uses()[name])]
    assert [gap for gap in found if not any(fnmatch(gap, pattern) for pattern in EXCLUDED)] == []
    assert [pattern for pattern in EXCLUDED if not any(fnmatch(gap, pattern) for gap in found)] == []
