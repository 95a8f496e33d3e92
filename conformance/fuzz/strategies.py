"""Hypothesis strategies: valid graphs of 1 to 8 operators, and graphs in which one thing is wrong."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from conformance.fuzz.draft import Draft
from conformance.fuzz.draws import by_name

MAX_OPERATORS = 8


@st.composite
def drafts(draw: st.DrawFn, operators: Sequence[str] = ()) -> Draft:
    """A valid graph that uses one of `operators` (any, if none is named) last, and others before it."""
    draft = Draft(draw)
    functions = by_name()
    count = draft.integer(1, MAX_OPERATORS if draft.chance(3) else 3)
    for _ in range(count - 1):
        name = draft.pick(tuple(functions))
        functions[name](draft, name)
    name = draft.pick(tuple(operators) or tuple(functions))
    functions[name](draft, name)
    return draft
