"""Conformance cases: which files there are, what is in them, which ones an operator's name means.

A file is {"source", "revision", "tests": [case, …]}. A case is read and checked here without making arrays of it; one that
is wrong becomes a BrokenCase, whose message is one line, and the others are not disturbed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from conformance.schema import CaseError, check_case

HOUSE_PREFIX = "house: "
"""Begins the name of every case of our own, so that it cannot be taken for one of upstream's."""

NOT_CASES = ("minimum_datatype_set.json", "manifest.json")


class UsageError(Exception):
    """What was asked for cannot be meant. The message is one line."""


class UnknownOperator(UsageError):
    """No file and no operator has this name."""


@dataclass(frozen=True)
class Case:
    """One graph with its data and expected outputs. `graph` and `tolerance` are the JSON objects of the file."""

    file: str
    path: Path
    index: int
    name: str
    graph: Mapping[str, Any]
    tolerance: Mapping[str, Any] | None

    @property
    def id(self) -> str:
        return f"{self.file}: {self.name}"

    @property
    def house(self) -> bool:
        return self.name.startswith(HOUSE_PREFIX)

    @property
    def ops(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(operator["name"] for operator in self.graph["operators"]))

    @property
    def dtypes(self) -> tuple[str, ...]:
        resources = (*self.graph["inputs"].values(), *self.graph["expectedOutputs"].values())
        return tuple(dict.fromkeys(resource["descriptor"]["dataType"] for resource in resources))


@dataclass(frozen=True)
class BrokenCase:
    """A file or a case that cannot be read; `message` names both and the rule, in one line."""

    file: str
    path: Path
    index: int | None
    name: str
    message: str

    @property
    def id(self) -> str:
        return f"{self.file}: {self.name}"

    ops: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()


AnyCase = Case | BrokenCase


@dataclass(frozen=True)
class Corpus:
    """Files by stem. One stem may have two: upstream's and ours."""

    files: Mapping[str, tuple[Path, ...]]
    upstream: Path | None
    """The directory of the corpus; None when there are only the house cases."""
    own: bool = False
    """A directory that the caller named: other cases than those that the snapshots are of."""
    notes: tuple[str, ...] = ()

    @property
    def minimum(self) -> Mapping[str, Any]:
        """Upstream's list of what every backend must support; empty where the corpus has none."""
        return _minimum(self.upstream)[0]

    @property
    def revision(self) -> str | None:
        """Upstream's commit, as the files say it."""
        for path in (path for paths in self.files.values() for path in paths if path.parent == self.upstream):
            try:
                revision = json.loads(path.read_text(encoding="utf-8")).get("revision")
            except (OSError, ValueError, AttributeError, RecursionError):
                continue
            return str(revision) if revision else None
        return None


def find_corpus(directory: str | Path | None, root: Path, environ: Mapping[str, str] = os.environ) -> Corpus:
    """The corpus: the directory that is named, else $WPT_DATA, else wpt_data/upstream below `root`; and the house cases,
    unless a directory was named. UsageError if the directory that the caller or $WPT_DATA asks for has no cases."""
    if directory is not None:
        named = Path(directory)
        return Corpus(_given("--corpus", named), named, own=True, notes=(*_minimum(named)[1], *_deeper(named)))
    house = root / "wpt_data" / "house"
    upstream = root / "wpt_data" / "upstream"
    if environ.get("WPT_DATA"):
        upstream = Path(environ["WPT_DATA"])
        _given("WPT_DATA:", upstream)
    if upstream.is_dir() and _files([upstream]):
        return Corpus(_files([upstream, house]), upstream, notes=_minimum(upstream)[1])
    note = "no corpus in wpt_data/upstream: only the house cases run; --corpus DIR or $WPT_DATA name one"
    return Corpus(_files([house]), None, notes=(note,))


def _given(what: str, directory: Path) -> dict[str, tuple[Path, ...]]:
    """The files of a directory that was asked for: it must have some, or a slip would pass for a short, clean run."""
    if not directory.is_dir():
        raise UsageError(f"{what} {directory}: there is no such directory")
    files = _files([directory])
    if not files:
        raise UsageError(f"{what} {directory}: there is no case file (*.json) in it")
    return files


def _deeper(directory: Path) -> tuple[str, ...]:
    """A note on folders inside that have case files, which are not looked for there."""
    folders = sorted({path.parent.relative_to(directory).as_posix() for path in directory.glob("*/*.json")})
    return (
        f"not looked into: {', '.join(folders[:5])}{' …' * (len(folders) > 5)}, below --corpus {directory}",
    ) * bool(folders)


def _minimum(directory: Path | None) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Upstream's minimum, and a note if the file is there and cannot be used."""
    path = directory / NOT_CASES[0] if directory else None
    if path is None or not path.is_file():
        return {}, ()
    try:
        minimum = json.loads(path.read_text(encoding="utf-8"))
        problem = "" if isinstance(minimum, dict) else "it must be an object"
    except (OSError, ValueError, RecursionError) as error:
        problem = str(error)
    return ({}, (f"no case counts as required: {path.name}: {problem}",)) if problem else (minimum, ())


def _files(directories: Iterable[Path]) -> dict[str, tuple[Path, ...]]:
    found: dict[str, tuple[Path, ...]] = {}
    for directory in directories:
        for path in sorted(directory.glob("*.json")):
            if path.name not in NOT_CASES:
                found[path.stem] = (*found.get(path.stem, ()), path)
    return dict(sorted(found.items()))


def load(path: Path) -> list[AnyCase]:
    """The cases of a file, in its order."""
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        return [_broken_file(path, f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}")]
    except RecursionError:
        return [_broken_file(path, "cannot be read: it is nested too deep")]
    except (OSError, ValueError) as error:  # also a number of more digits than Python reads
        return [_broken_file(path, f"cannot be read: {error}")]
    tests = document.get("tests") if isinstance(document, dict) else None
    if not isinstance(tests, list):
        return [_broken_file(path, 'must be an object with a list "tests"')]
    return list(cases_from(path, tests))


def _broken_file(path: Path, message: str) -> BrokenCase:
    return BrokenCase(path.stem, path, None, "(the file)", f"{path.name}: {message}")


def cases_from(path: Path, tests: Iterable[Any]) -> Iterator[AnyCase]:
    """The cases that the tests of a file are."""
    seen: set[str] = set()
    for index, test in enumerate(tests):
        name = test.get("name") if isinstance(test, dict) else None
        label = name if isinstance(name, str) and name else f"(case {index})"
        try:
            check_case(test)
            _check_tolerance(test.get("tolerance"))
            if label in seen:
                raise CaseError("another case of the file has this name")
            yield Case(path.stem, path, index, label, test["graph"], test.get("tolerance"))
        except CaseError as error:
            label = f"{label} ({index})" if label in seen else label
            message = f"{path.name}: {path.stem}: case {index} {label!r}: {error}"
            yield BrokenCase(path.stem, path, index, label, message)
        seen.add(label)


def _check_tolerance(tolerance: Mapping[str, Any] | None) -> None:
    """CaseError unless it is a rule that `tolerance_of` knows: one that it does not know must not let a case pass."""
    if not tolerance:
        return
    metric, value = tolerance.get("metricType", "ULP"), tolerance.get("value")
    if metric not in ("ULP", "ATOL"):
        raise CaseError(f"tolerance: metricType {metric!r} must be ULP or ATOL")
    if value is None:
        if not tolerance.get("needsShapes") and not tolerance.get("undefinedUpstream"):
            raise CaseError("tolerance must have a value, or say needsShapes or undefinedUpstream")
    elif type(value) not in (int, float) or not 0 <= value <= sys.float_info.max:
        raise CaseError(f"tolerance: the value {value!r} must be a finite number, 0 or greater")


def select(corpus: Corpus, op: str | None = None, text: str | None = None) -> list[AnyCase]:
    """The cases of an operator (all, if None) whose name contains `text`, whatever its case, in a fixed order."""
    paths, operator = resolve(corpus, op) if op is not None else (_all_paths(corpus), None)
    cases: Iterator[AnyCase] = (case for path in paths for case in load(path))
    wanted = (text or "").casefold()
    return [case for case in cases if wanted in case.name.casefold() and (operator is None or operator in case.ops)]


def resolve(corpus: Corpus, op: str) -> tuple[tuple[Path, ...], str | None]:
    """What a name means: a file's stem, in any spelling, or else an operator that cases of other files use. Gives the
    files, and the operator that their cases must use (None: all cases)."""
    named = tuple(path for stem, paths in corpus.files.items() if _plain(stem) == _plain(op) for path in paths)
    if named:
        return named, None
    stems = {_plain(stem): stem for stem in corpus.files}
    used = {_plain(name): name for path in _all_paths(corpus) for case in load(path) for name in case.ops}
    if _plain(op) in used:
        return _all_paths(corpus), used[_plain(op)]
    near = get_close_matches(_plain(op), [*stems, *used], n=8, cutoff=0.5)
    near = [*(key for key in {**stems, **used} if op and key.startswith(_plain(op))), *near]
    names = list(dict.fromkeys(stems.get(key) or used[key] for key in near))[:8]
    raise UnknownOperator(f"there is no operator {op!r}" + (f"; near it: {', '.join(names)}" if names else ""))


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


def _all_paths(corpus: Corpus) -> tuple[Path, ...]:
    return tuple(path for paths in corpus.files.values() for path in paths)


def is_required(case: AnyCase, minimum: Mapping[str, Any]) -> bool:
    """Whether every backend must support the case: each operand that is a graph input or an expected output has a type
    and a rank within upstream's minimum (its isMinimumTest)."""
    if not minimum or isinstance(case, BrokenCase):
        return False
    inputs, outputs = case.graph["inputs"], case.graph["expectedOutputs"]
    for operator in case.graph["operators"]:
        limits = minimum.get(operator["name"], {})
        for argument in operator["arguments"]:
            for key, value in argument.items():
                for name in value if isinstance(value, list) else [value]:
                    operand = inputs.get(name) if key != "options" and isinstance(name, str) else None
                    if operand is not None and not _within(operand, limits.get(key)):
                        return False
        names = operator["outputs"] if isinstance(operator["outputs"], list) else [operator["outputs"]]
        for position, name in enumerate(names):
            limit = limits.get("outputs") or limits.get("output") or limits.get(f"output{position}")
            if name in outputs and not _within(outputs[name], limit):
                return False
    return True


def _within(resource: Mapping[str, Any], limit: Mapping[str, Any] | None) -> bool:
    if limit is None:
        return False
    descriptor, ranks = resource["descriptor"], limit["rankRange"]
    return descriptor["dataType"] in limit["dataTypes"] and ranks["min"] <= len(descriptor["shape"]) <= ranks["max"]
