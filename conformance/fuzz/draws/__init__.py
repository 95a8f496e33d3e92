"""How a valid call of each operator is drawn: a function an operator or family, under its WebNN name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache

from conformance.fuzz.draft import Draft
from trtx_backend.graph.operator import RULES

Drawn = Callable[[Draft, str], None]

_DRAWS: dict[str, Drawn] = {}


def draws(*names: str) -> Callable[[Drawn], Drawn]:
    """Register a function that adds a call of the operator, which it is told, to a draft."""

    def register(function: Drawn) -> Drawn:
        _DRAWS.update(dict.fromkeys(names, function))
        return function

    return register


@cache
def by_name() -> Mapping[str, Drawn]:
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    return dict(sorted(_DRAWS.items()))


def allowed(operator: str, operand: str) -> tuple[str, ...]:
    """The data types of the operator's limits table."""
    rule = next(rule for rule in RULES.values() if rule.webnn_name == operator)
    return rule.limits[operand].dtypes
