"""All cases, by family. A family is a module of this package that has CASES and REFUSED."""

from __future__ import annotations

from importlib import import_module

from tests.by_hand.form import Case

FAMILIES = (
    "binary",
    "logical",
    "unary",
    "activations",
    "movement",
    "conv",
    "matrix",
    "pooling",
    "indexing",
    "quantize",
    "recurrent",
    "graphs",
    "chains",
)


def valid() -> dict[str, list[Case]]:
    """The cases of every operator, by the operator's name."""
    found: dict[str, list[Case]] = {}
    for family in FAMILIES:
        for name, cases in import_module(f"tests.by_hand.{family}").CASES.items():
            found.setdefault(name, []).extend(cases)
    return found


def invalid() -> list[tuple[str, Case]]:
    """Graphs that must be refused, with their family."""
    return [(family, case) for family in FAMILIES for case in import_module(f"tests.by_hand.{family}").REFUSED]
