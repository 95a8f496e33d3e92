"""The case that FILE and CASE mean, on a command line."""

from __future__ import annotations

from pathlib import Path

from conformance.cases import BrokenCase, Case, UsageError, find_corpus, load, resolve

SHOWN = 8


def find_case(file: str, text: str, root: Path) -> Case:
    """The one case of a file, a path or an operator's name, that is called `text`, or else has it in its name, in any
    case; `#3` is the fourth of the file. UsageError names those there are if it is none or several."""
    cases = _cases(file, root)
    if text.startswith("#") and text[1:].isdigit():
        found = [case for case in cases if case.index == int(text[1:])]
    else:
        found = [case for case in cases if case.name == text]
        found = found or [case for case in cases if text.casefold() in case.name.casefold()]
    names = "".join(f"\n  {case.name}" for case in (found or cases)[:SHOWN])
    more = f"\n  … and {len(found or cases) - SHOWN} more" if len(found or cases) > SHOWN else ""
    if not found:
        raise UsageError(f"no case of {file} has {text!r} in its name; there are{names}{more}")
    if len(found) > 1:
        raise UsageError(f"{len(found)} cases of {file} have {text!r} in their names{names}{more}")
    case = found[0]
    if isinstance(case, BrokenCase):
        raise UsageError(case.message)
    return case


def _cases(file: str, root: Path) -> list[Case | BrokenCase]:
    path = Path(file)
    if path.suffix == ".json" or path.is_file():
        if not path.is_file():
            raise UsageError(f"{file}: there is no such file")
        return load(path)
    paths, operator = resolve(find_corpus(None, root), file)
    return [case for path in paths for case in load(path) if operator is None or operator in case.ops]
