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
    shown = found or cases
    several = len({case.path for case in shown}) > 1
    names = "".join(f"\n  {f'{place(case)} ' if several else ''}{case.name}" for case in shown[:SHOWN])
    more = f"\n  … and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
    unread = next((case for case in cases if isinstance(case, BrokenCase) and case.index is None), None)
    if unread and not found:
        raise UsageError(unread.message)
    if not found:
        raise UsageError(f"no case of {file} has {text!r} in its name; there are{names}{more}")
    if len(found) > 1:
        are = f"are {text}" if text.startswith("#") else f"have {text!r} in their names"
        choose = "; say more of the name, or a file and a number as they stand here" if several else ""
        raise UsageError(f"{len(found)} cases of {file} {are}{choose}{names}{more}")
    case = found[0]
    if isinstance(case, BrokenCase):
        raise UsageError(case.message)
    return case


def place(case: Case | BrokenCase) -> str:
    """house/relu.json#3: two folders may have a file of that name."""
    return f"{case.path.parent.name}/{case.path.name}#{case.index}"


def _cases(file: str, root: Path) -> list[Case | BrokenCase]:
    path = Path(file)
    if not path.is_file() and path.suffix == ".json" and (root / "wpt_data" / path).is_file():
        path = root / "wpt_data" / path  # as it is shown
    if path.suffix == ".json" or path.is_file():
        if not path.is_file():
            raise UsageError(f"{file}: there is no such file")
        return load(path)
    paths, operator = resolve(find_corpus(None, root), file)
    return [case for path in paths for case in load(path) if operator is None or operator in case.ops]
