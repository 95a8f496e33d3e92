"""What is done with each case: judge it; record its layers; change each type's results and see whether it is noticed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.executor_check.children import quiet

Mutations = dict[tuple[str, str, str], list[int]]
"""By layer type, mode and perturbation: how many were noticed, missed, without effect on any output."""

NOTICED, MISSED, NO_EFFECT = range(3)

SMALL = 12
"""Layers of a network in which parameters are misread, too: in greater ones that takes long, and says less."""

NOISE = 2
"""Steps of an output's type."""


@dataclass
class Result:
    kind: str
    detail: str = ""
    layers: set[tuple[str, str, str]] = field(default_factory=set)
    mutations: Mutations = field(default_factory=dict)
    misread: Mutations = field(default_factory=dict)
    """Likewise by layer type, parameter and what it was taken for."""
    missed: list[str] = field(default_factory=list)
    """In words, for the one who looks for a better test."""

    def add(self, mutant: Any, outcome: int, where: str) -> None:
        misreading = mutant.misreading
        if misreading is None:
            key, table = (mutant.kind, mutant.mode, mutant.perturbation), self.mutations
        else:
            key, table = (mutant.kind, misreading.name, misreading.what), self.misread
        table.setdefault(key, [0, 0, 0])[outcome] += 1
        if outcome == MISSED:
            self.missed.append(f"{key[0]} {key[1]}: {key[2]} {mutant.output}: {where}")


def judge(case: Any) -> Result:
    return _judge(case, mutate=False)


def judge_and_mutate(case: Any) -> Result:
    return _judge(case, mutate=True)


def _judge(case: Any, mutate: bool) -> Result:
    # TensorRT is loaded in the child only
    quiet()
    from tests.executor_check import mutation, one

    network = one.parse(case)
    if network is None:
        return Result("refused")
    with mutation.observed(misreads=mutate) as subject:
        verdict = one.outcome(case, network)
        result = Result(verdict.kind, verdict.detail, set(subject.layers))
        if mutate and verdict.kind in ("pass", "dtype"):
            _mutate(case, network, subject, result)
    return result


def _mutate(case: Any, network: Any, subject: Any, result: Result) -> None:
    from tests.executor_check import misreading, mutation, one
    from trtx_backend.executor import execute, read

    program, feeds = read(network), one.feeds(case, network)
    right = execute(program, feeds)
    small = len(program.steps) <= SMALL
    for mutant in mutation.mutants(subject.layers, subject.misreadings if small else set()):
        subject.mutant = mutant
        try:
            wrong = execute(program, feeds)
        except misreading.NotRead:
            continue
        except Exception:  # a shape or an index that cannot be
            result.add(mutant, NOTICED, case.key)
            continue
        passes = one.compare(case, network, wrong).kind in ("pass", "dtype")
        result.add(mutant, judged(passes, wrong, right), case.key)
    subject.mutant = None


def judged(passes: bool, wrong: dict[str, Any] | None, right: dict[str, Any]) -> int:
    """Without effect are changes that no output shows, or none by more than what rounding may do to it: a softmax, for
    instance, subtracts the greatest element first, and any number near it would do."""
    if not passes:
        return NO_EFFECT if wrong is not None and _same(wrong, right, 0) else NOTICED
    return NO_EFFECT if wrong is not None and _same(wrong, right, NOISE) else MISSED


def _same(one: dict[str, Any], other: dict[str, Any], steps: int) -> bool:
    """Up to so many of their type's steps; NaN is NaN, and zeros have their signs."""
    for name, expected in other.items():
        actual = one[name]
        if expected.dtype.kind != "f" or actual.shape != expected.shape:
            if not np.array_equal(actual, expected):
                return False
            continue
        with np.errstate(invalid="ignore"):
            off = np.abs(actual.astype(np.float64) - expected) > steps * np.abs(np.spacing(expected).astype(np.float64))
        numbers = ~np.isnan(expected) & np.isfinite(actual) & np.isfinite(expected)
        wrong = np.where(numbers, off, ~((actual == expected) | (np.isnan(actual) & np.isnan(expected))))
        if wrong.any() or (np.signbit(actual) != np.signbit(expected)).any():
            return False
    return True
