"""A corpus from upstream's files: every file evaluated, checked as any corpus is, and put in place as a whole."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.cases import NOT_CASES, BrokenCase, Case, UsageError, load
from conformance.files import write_whole
from conformance.sync.evaluate import Evaluator, Problem
from conformance.sync.upstream import MINIMUM, Checkout
from conformance.tolerance import tolerance_of
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.serial import replay

_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)


@dataclass
class Synced:
    """`files`: cases by stem, as JSON objects. `without`: stems of files that have no cases."""

    files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    without: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def cases(self) -> int:
        return sum(len(cases) for cases in self.files.values())


def write_cases(
    checkout: Checkout, revision: str, folder: Path, evaluator: Evaluator, told: Callable[[str], None] = lambda _: None
) -> Synced:
    """Evaluate every test file of a checkout, and write case files into `folder`; `told` is called with each stem."""
    synced = Synced()
    for stem, path in checkout.files():
        told(stem)
        try:
            scripts = checkout.scripts(path)
        except UsageError as error:
            synced.problems.append(Problem(path, None, str(error)))
            continue
        evaluated = evaluator.evaluate(scripts)
        synced.problems += evaluated.problems
        if not evaluated.cases:
            synced.without += [] if evaluated.problems else [stem]
            continue
        head = f'{{"source": {json.dumps(path)}, "revision": {json.dumps(revision)}, "tests": [\n'
        write_whole(folder / f"{stem}.json", [head, ",\n".join(evaluated.cases.values()), "\n]}\n"])
        synced.files[stem] = [json.loads(line) for line in evaluated.cases.values()]
        asked = {}
        for case in load(folder / f"{stem}.json"):
            if isinstance(case, BrokenCase):
                synced.problems.append(Problem(path, None, case.message))
            elif (case.tolerance or {}).get("needsShapes"):
                asked[case.name] = case
        if asked:
            synced.problems += _against_upstream(evaluator, path, scripts, asked)
    minimum = json.loads(_COMMENT.sub("", checkout.read(MINIMUM)))
    write_whole(folder / NOT_CASES[0], json.dumps(minimum, indent=1) + "\n")
    return synced


def _against_upstream(evaluator: Evaluator, path: str, scripts: Any, cases: Mapping[str, Case]) -> list[Problem]:
    """Where a tolerance needs shapes: upstream's own function, given those that our builder infers, must allow what our
    table allows when the case is run."""
    problems, shapes = [], {}
    for name, case in cases.items():
        try:
            operands = replay(MLGraphBuilder(), case.graph)
            shapes[name] = {operand: list(value.shape) for operand, value in operands.items()}
        except Exception as error:  # whatever a case leads to: it is what is at fault, not the sync
            problems.append(Problem(path, None, f"{name!r}: its graph cannot be built: {error}"))
    allowed = evaluator.evaluate(scripts, shapes).allowed
    for name, inferred in shapes.items():
        ours = tolerance_of(cases[name], {operand: tuple(shape) for operand, shape in inferred.items()})
        theirs = allowed.get(name, {})
        value = 0 if theirs.get("value") == "NaN" else theirs.get("value")  # no distance is at most NaN
        if (ours.metric, ours.value) != (theirs.get("metricType"), value):
            problems.append(
                Problem(path, None, f"{name!r}: upstream allows {theirs}, the table in tolerance.py {ours}")
            )
    return problems


def put_in_place(made: Path, destination: Path) -> None:
    """`made` becomes `destination`, as a whole; what was there is removed after that."""
    old = Path(tempfile.mkdtemp(dir=destination.parent, prefix=f".{destination.name}."))
    had = destination.exists()
    if had:
        os.replace(destination, old / "corpus")
    try:
        os.replace(made, destination)
    except BaseException:
        if had:
            os.replace(old / "corpus", destination)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
