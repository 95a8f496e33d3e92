"""`wpt shrink`: a failing case becomes a smaller one that fails in the same way.

What a smaller graph should compute is the oracle's word, so a wrong number can be shrunk for as long as it is a wrong
number by the specification; a graph that only disagrees with its case's data cannot, and that is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from conformance.cases import Case, UsageError
from conformance.oracle import Undefined, evaluate
from conformance.runner import Outcome, Status
from conformance.triage.attempt import Attempts
from conformance.triage.graphs import Json, data_of, descriptors_of
from conformance.triage.reductions import PASSES, Candidate, measure

Test = dict[str, Any]


@dataclass(frozen=True)
class Shrunk:
    """The smaller case as a file has it, and how it fails."""

    test: Test
    way: str
    attempts: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    finished: bool
    """Whether nothing smaller was found, and not merely the number of attempts reached."""


def way_of(outcome: Outcome) -> str:
    """How a case fails, without what depends on its size and names: status, cause, and the kind of the message."""
    if outcome.cause in ("MISMATCH", "SHAPE", "DTYPE") or outcome.status is Status.TIMEOUT:
        return outcome.line.partition("(")[0] + (f"({outcome.cause})" if outcome.cause else "")
    if outcome.status is Status.PASS:
        return "PASS"
    text = outcome.message.partition(f"{outcome.cause or outcome.status}: ")[2] or outcome.message
    first = text.partition("\n")[0]
    kind = re.sub(r"\[[^\]]*\]|'[^']*'|\"[^\"]*\"|0x[0-9a-f]+|\d+(?:\.\d+)?", "…", first)
    return f"{outcome.status}{f'({outcome.cause})' if outcome.cause else ''}: {kind}"


def shrink(case: Case, attempts: Attempts, limit: int, say: Callable[[str], None] = lambda _: None) -> Shrunk:
    """The smallest case found in at most `limit` attempts. UsageError if the case does not fail, or only by its data."""
    original = {"name": case.name, "graph": case.graph, "tolerance": case.tolerance}
    outcome = attempts.outcome(original)
    if outcome.status is Status.PASS:
        raise UsageError(f"{case.id}: passes: there is nothing to shrink")
    way = way_of(outcome)
    say(f"{case.id}: {way}")
    search = _Search(case, way, attempts, limit, say)
    best = search.expectations(dict(case.graph))
    again = None if best is None else attempts.outcome(best)
    if best is None or again is None or way_of(again) != way:
        raise UsageError(
            f"{case.id}: fails by the data that it expects only: {way}; with what the oracle expects it is "
            f"{'not defined' if again is None else way_of(again)}"
        )
    smallest = search.run(best)
    after = measure(smallest["graph"])
    return Shrunk(smallest, way, attempts.count, measure(case.graph), after, attempts.count < limit)


class _Search:
    """For the smallest case that fails in a way."""

    def __init__(self, case: Case, way: str, attempts: Attempts, limit: int, say: Callable[[str], None]) -> None:
        self.case, self.way, self.attempts, self.limit, self.say = case, way, attempts, limit, say
        self._tried: set[str] = set()

    def run(self, best: Test) -> Test:
        """Each pass for as long as it finds something, and all again until none does."""
        found = True
        while found:
            found = False
            for reduction in PASSES:
                while (smaller := self._smaller(best, reduction)) is not None:
                    best, found = smaller, True
                    self.say(f"  {size_text(measure(best['graph']))}, after {self.attempts.count} attempts")
        return best

    def _smaller(self, best: Test, reduction: Callable[[Json], Iterator[Candidate]]) -> Test | None:
        size = measure(best["graph"])
        for graph in _candidates(reduction, best["graph"]):
            key = json.dumps(graph, sort_keys=True)
            if self.attempts.count >= self.limit:
                return None
            if measure(graph) >= size or key in self._tried:
                continue
            self._tried.add(key)
            test = self.expectations(graph)
            if test is not None and way_of(self.attempts.outcome(test)) == self.way:
                return test
        return None

    def expectations(self, graph: Candidate) -> Test | None:
        """A case of the graph, which expects what the builder infers and the oracle computes. None where the failure is
        one of numbers and there is no saying which are right. Where it is not, any will do; and if the builder refuses
        the graph, that may be the failure."""
        test = {"name": f"shrunk: {self.case.name}", "graph": graph, "tolerance": self.case.tolerance}
        try:
            descriptors = descriptors_of(graph)
        except Exception:
            return test
        outputs: dict[str, Any] = {}
        for name in graph["expectedOutputs"]:
            dtype, shape = descriptors[name]
            outputs[name] = {"data": 0, "descriptor": {"shape": list(shape), "dataType": dtype}}
        whole = {**graph, "expectedOutputs": outputs}
        try:
            for name, array in evaluate(whole).items():
                outputs[name] = {**outputs[name], "data": data_of(array)}
        except Exception:
            if self.way.startswith("FAIL(MISMATCH)"):
                return None
        return {**test, "graph": whole}


def size_text(size: tuple[int, ...]) -> str:
    return f"{size[0]} operators, {size[2]} options, {size[3]} elements"


def _candidates(reduction: Callable[[Json], Iterator[Candidate]], graph: Json) -> Iterator[Candidate]:
    """Those of a reduction, as far as it gets: the oracle or the builder may refuse on the way."""
    try:
        yield from reduction(graph)
    except (Undefined, TypeError, ValueError, KeyError, IndexError):
        return
