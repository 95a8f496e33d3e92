"""What is wrong with the files of a corpus, case by case, without running one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.cases import BrokenCase, Case, load
from conformance.checking.schemas import problems
from conformance.demand import TooLarge
from conformance.runner import build, wrong_descriptor
from trtx_backend.errors import UnsupportedError


@dataclass(frozen=True)
class Finding:
    """What is wrong: `case` names the case or is empty where it is the file."""

    path: Path
    case: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {f'{self.case}: ' if self.case else ''}{self.message}"


def check_file(path: Path, memory: int) -> tuple[int, list[Finding]]:
    """The number of a file's cases, and what is wrong with it: its form, the rules that a schema cannot say, graphs that
    the builder refuses, and cases whose tensors are of more than `memory` bytes together (0: no limit)."""
    cases = load(path)
    whole = next((case for case in cases if isinstance(case, BrokenCase) and case.index is None), None)
    if whole is not None:
        return 0, [Finding(path, "", whole.message.removeprefix(f"{path.name}: "))]
    document = json.loads(path.read_text(encoding="utf-8-sig"))
    found = list(_form(path, document))
    said = {finding.case for finding in found}
    for case in cases:
        message = _wrong(case, memory)
        if message and _label(case.index, case.name) not in said:
            found.append(Finding(path, _label(case.index, case.name), message))
    return len(cases), found


def _form(path: Path, document: Any) -> Iterator[Finding]:
    for where, message in problems("corpus", document):
        case, inside = "", where
        if len(where) > 1 and where[0] == "tests":
            test = document["tests"][where[1]]
            name = test.get("name") if isinstance(test, dict) else None
            case, inside = _label(int(where[1]), name if isinstance(name, str) and name else ""), where[2:]
        at = "/".join(str(step) for step in inside)
        yield Finding(path, case, f"{at}: {message}" if at else message)


def _label(index: int | None, name: str) -> str:
    return f"case {index} {name!r}" if name and not name.startswith("(case ") else f"case {index}"


def _wrong(case: Case | BrokenCase, memory: int) -> str:
    """Why the case cannot be run, or "" where it can."""
    if isinstance(case, BrokenCase):
        return case.message.rpartition(f"{case.name!r}: ")[2]
    try:
        graph, _ = build(case, memory)
    except TooLarge as error:
        return f"asks for too much memory (--memory-limit): {error}"
    except UnsupportedError:
        return ""  # a right case that this implementation does not run
    except Exception as error:  # the builder's TypeError, or whatever an odd document leads to
        return str(error) or type(error).__name__
    wrong = wrong_descriptor(case, graph)
    return wrong.message if wrong else ""
