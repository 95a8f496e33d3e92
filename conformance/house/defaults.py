"""Every option of every operator at its default, written out."""

from __future__ import annotations

from typing import Any

from conformance.house.calls import first_row, least, stem, tensor
from conformance.house.spec import case
from trtx_backend.graph.operator import RULES, OperatorRule

SHAPES = {0: (2, 3), 1: (2, 3), 2: (2, 3), 3: (2, 2, 2), 4: (1, 2, 2, 2)}
"""By the least rank."""

SPELLED = {"outputDtype": "outputDataType"}


def cases() -> dict[str, list[dict[str, Any]]]:
    made: dict[str, list[dict[str, Any]]] = {}
    for name, rule in RULES.items():
        options, row = defaults(rule), first_row(rule)
        if options:
            x = tensor(rule.webnn_name, row.dtypes[0], SHAPES[row.min_rank])
            label = f"{rule.webnn_name}, " if name.startswith("arg") else ""
            group = made.setdefault(stem(name), [])
            group.append(case(f"{label}defaults written out", least(rule.webnn_name, x, **options)))
    return made


def defaults(rule: OperatorRule[..., Any]) -> dict[str, Any]:
    """By WebNN names; without those that are not set by default."""
    found = {}
    for name, parameter in rule.signature.parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and name != "label" and parameter.default is not None:
            first, *rest = name.split("_")
            camel = first + "".join(word.capitalize() for word in rest)
            found[SPELLED.get(camel, camel)] = parameter.default
    return found
