"""A run of the fuzzer: pieces of some hundred graphs, each a Hypothesis run with a seed of its own."""

from __future__ import annotations

import contextlib
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import FlakyFailure

from conformance.fuzz.draft import Draft
from conformance.fuzz.invalid import broken
from conformance.fuzz.judge import Difference, judge
from conformance.fuzz.strategies import drafts
from conformance.fuzz.worker import Worker
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.serial import replay

PIECE = 200
SHRINK_SECONDS = 30


class Found(Exception):
    """Tells Hypothesis that a graph fails."""


@dataclass
class Tally:
    """What a run did. `kinds`: how many graphs showed a kind of difference; shrinking is not counted."""

    valid: int = 0
    invalid: int = 0
    engines: int = 0
    crashes: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)


@dataclass(frozen=True)
class Finding:
    difference: Difference
    graph: Mapping[str, Any]
    seed: int


class Campaign:
    """`engine`: one in so many graphs is built as well (0: none)."""

    def __init__(self, worker: Worker, operators: Sequence[str], engine: int) -> None:
        self.worker, self.operators, self.engine = worker, operators, engine
        self.tally = Tally()
        self._smallest: Finding | None = None
        self._shrinking_since = 0.0

    def valid(self, count: int, number: int, report: Callable[[Finding], None]) -> None:
        """So many valid graphs. A piece ends with its first new kind of difference; another follows."""
        end = self.tally.valid + count
        while self.tally.valid < end:
            before = self.tally.valid
            self._piece(drafts(self.operators), self._try, min(PIECE, end - before), number)
            if self._smallest is not None:
                report(self._smallest)
            number += 1
            if self.tally.valid == before:
                return  # nothing more to draw

    def invalid(self, count: int, number: int, report: Callable[[Finding], None]) -> None:
        end = self.tally.invalid + count
        while self.tally.invalid < end:
            before = self.tally.invalid
            self._piece(broken(), self._refuse, min(PIECE, end - before), number)
            if self._smallest is not None:
                report(self._smallest)
            number += 1
            if self.tally.invalid == before:
                return

    def _piece(self, strategy: Any, test: Callable[[Any, int], None], count: int, number: int) -> None:
        self._smallest = None

        @seed(number)
        @settings(max_examples=count, database=None, deadline=None, suppress_health_check=list(HealthCheck),
                  phases=(Phase.generate, Phase.shrink), report_multiple_bugs=False, print_blob=False)  # fmt: skip
        @given(strategy)
        def run(drawn: Any) -> None:
            test(drawn, number)

        with contextlib.suppress(Found, FlakyFailure):
            run()

    def _try(self, draft: Draft, number: int) -> None:
        smallest = self._smallest
        if smallest is not None and time.monotonic() - self._shrinking_since > SHRINK_SECONDS:
            if json.dumps(draft.graph) == json.dumps(smallest.graph):
                raise Found  # Hypothesis asks once more for what it found
            return
        engine = bool(self.engine) and (
            smallest.difference.cause in ("ENGINE", "CRASH", "TIMEOUT")
            if smallest
            else self.tally.valid % self.engine == 0
        )
        answer = self.worker.run(draft.graph, engine)
        found, reasons = judge(draft.graph, draft.operands, answer)
        if smallest is None:
            self._count(draft, answer.status, engine, reasons, found)
        self._raise_if_new(found, draft.graph, number)

    def _count(
        self, draft: Draft, status: str, engine: bool, reasons: Sequence[str], found: Sequence[Difference]
    ) -> None:
        self.tally.valid += 1
        self.tally.engines += engine
        self.tally.crashes = self.worker.crashes
        self.tally.statuses[status] += 1
        self.tally.explained.update(reasons)
        self.tally.operators.update({call["name"] for call in draft.graph["operators"]})
        self.tally.kinds.update({difference.kind for difference in found} & self.tally.kinds.keys())

    def _raise_if_new(self, found: Sequence[Difference], graph: Mapping[str, Any], number: int) -> None:
        if self._smallest is not None:
            wanted = [difference for difference in found if difference.kind == self._smallest.difference.kind]
        else:
            wanted = [difference for difference in found if difference.kind not in self.tally.kinds]
        if not wanted:
            return
        if self._smallest is None:
            self._shrinking_since = time.monotonic()
            self.tally.kinds[wanted[0].kind] += 1
        self._smallest = Finding(wanted[0], graph, number)
        raise Found

    def _refuse(self, drawn: tuple[Mapping[str, Any], str], number: int) -> None:
        graph, what = drawn
        if self._smallest is None:
            self.tally.invalid += 1
        found = refused(graph, what)
        self._raise_if_new([found] if found else [], graph, number)


def refused(graph: Mapping[str, Any], what: str) -> Difference | None:
    """None if the builder refuses the graph as it must: with a TypeError that says something."""
    operator = what.partition(":")[0]
    try:
        replay(MLGraphBuilder(), graph)
    except TypeError as error:
        return None if str(error) else Difference(operator, "SILENT", what)
    except Exception as error:
        return Difference(operator, "ERROR", f"{what}: {type(error).__name__}: {error}")
    return Difference(operator, "ACCEPTED", what)
