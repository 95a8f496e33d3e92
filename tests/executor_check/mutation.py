"""Other results of the layers of one type and mode, put in from outside, and a record of the layers that a network has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.executor_check.misreading import Misreading, misread, misreadings
from tests.executor_check.modes import Kind, kind_of
from tests.executor_check.perturbations import PERTURBATIONS
from trtx_backend.executor import loops, reader
from trtx_backend.executor.layers import kernel as real_kernel

real_part, real_result, real_run_step = loops.read_part, loops._result, loops.run_step
real_count = loops.count

OUTPUTS = {"TOPK": 2, "NMS": 2}
TRIP_LIMITS = {"COUNT": "a turn fewer", "WHILE": "the opposite"}
"""These have no result of their own."""

MANY, MOST_TURNS = 10_000, 50
"""A loop whose condition a change may keep from ending ends after MOST_TURNS turns, unless it is to make fewer than MANY."""


@dataclass(frozen=True)
class Mutant:
    """What to change: the results of all layers of a type and mode, or the one of several results."""

    kind: str
    mode: str
    perturbation: str
    output: int = 0
    misreading: Misreading | None = None
    """Then this instead, of all layers of the type."""


MISREAD = "misread"


def mutants(layers: set[Kind], misreadings: set[Misreading]) -> list[Mutant]:
    """All that can be done to the layers."""
    order = sorted(misreadings, key=lambda m: (m.kind, m.name, m.what))
    found = [Mutant(m.kind, "", MISREAD, misreading=m) for m in order]
    for kind, mode in sorted({layer[:2] for layer in layers}):
        if kind == "TRIP_LIMIT":
            found.append(Mutant(kind, mode, TRIP_LIMITS[mode]))
            continue
        found += [Mutant(kind, mode, name, i) for name in PERTURBATIONS for i in range(OUTPUTS.get(kind, 1))]
    return found


@dataclass
class Subject:
    """Networks that are read and run under observation. While `mutant` is set they compute what it says."""

    layers: set[Kind] = field(default_factory=set)
    mutant: Mutant | None = None
    misreads: bool = False
    """Whether misreadings are looked for."""
    misreadings: set[Misreading] = field(default_factory=set)
    parts: dict[str, tuple[Kind, str]] = field(default_factory=dict)
    """Kind and data type of parts of loops, by the name of their output; a trip limit by that of its input."""

    def kernel(self, layer: Any) -> Any:
        function, how = real_kernel(layer)
        kind = kind_of(layer)
        self.layers.add(kind)
        types = [layer.get_output(i).dtype.name for i in range(layer.num_outputs)]
        others = misreadings(layer) if self.misreads else {}
        self.misreadings.update(others)

        def observed(*given: Any, **named: Any) -> Any:
            misreading = self.mutant.misreading if self.mutant else None
            if misreading in others:
                return misread(layer, misreading, others[misreading])(*given, **named)
            found = function(*given, **named)
            if not self._is(kind):
                return found
            results = list(found) if isinstance(found, tuple) else [found]
            output = self.mutant.output if self.mutant else 0
            results[output] = self._changed(results[output], types[output])
            return tuple(results) if isinstance(found, tuple) else results[0]

        return observed, {**how, "pointwise": False}  # a change needs the whole result

    def part(self, layer: Any, inputs: Any, outputs: Any) -> Any:
        part = real_part(layer, inputs, outputs)
        mode = part.mode.name if part.mode is not None else "reverse" if part.backward else ""
        dtype = part.outputs[0].dtype.name if part.outputs else "BOOL" if mode == "WHILE" else "INT32"
        kind = (part.kind.name, mode, dtype)
        self.layers.add(kind)
        self.parts[part.outputs[0].name if part.outputs else part.inputs[0]] = kind, dtype
        return part

    def result(self, part: Any, *given: Any) -> Any:
        kind, dtype = self.parts[part.output.name]
        found = real_result(part, *given)
        return self._changed(found, dtype) if self._is(kind) else found

    def run_step(self, step: Any, tensors: dict[str, Any], accumulate: Any) -> None:
        """What iterators and recurrences give to a turn is changed before its first step, the condition after it."""
        for name, (kind, dtype) in self.parts.items():
            if kind[0] in ("ITERATOR", "RECURRENCE") and self._is(kind) and name in tensors:
                mark = f"changed {name}"
                if mark not in tensors:
                    tensors[mark] = None
                    tensors[name] = self._changed(tensors[name], dtype)
        real_run_step(step, tensors, accumulate)
        for info in step.outputs:
            kind, _ = self.parts.get(info.name, (None, ""))
            if kind is not None and kind[0] == "TRIP_LIMIT" and self._is(kind):
                tensors[info.name] = ~tensors[info.name]

    def turns(self, number: int) -> range:
        fewer = self._is(("TRIP_LIMIT", "COUNT", ""))
        number = (number - 1 if number else 1) if fewer else number
        return range(number if self.mutant is None or number < MANY else MOST_TURNS)

    def count(self) -> Any:
        return real_count() if self.mutant is None else range(MOST_TURNS)

    def _is(self, kind: Kind) -> bool:
        mutant = self.mutant
        return mutant is not None and mutant.misreading is None and (mutant.kind, mutant.mode) == kind[:2]

    def _changed(self, x: Any, dtype: str) -> Any:
        assert self.mutant is not None
        return PERTURBATIONS[self.mutant.perturbation](np.asarray(x), dtype)


@contextmanager
def observed(misreads: bool = False) -> Iterator[Subject]:
    """Networks that are read inside belong to the subject, and are run inside only."""
    subject = Subject(misreads=misreads)
    reader.kernel, reader.read_part = subject.kernel, subject.part  # type: ignore[attr-defined, assignment]
    loops._result, loops.run_step = subject.result, subject.run_step
    loops.range, loops.count = subject.turns, subject.count  # type: ignore[attr-defined, misc, assignment]
    try:
        yield subject
    finally:
        reader.kernel, reader.read_part = real_kernel, real_part  # type: ignore[attr-defined]
        loops._result, loops.run_step, loops.count = real_result, real_run_step, real_count
        del loops.range  # type: ignore[attr-defined]


@contextmanager
def recorded() -> Iterator[set[Kind]]:
    """Fills the set with the layers that are read inside."""
    with observed() as subject:
        yield subject.layers
