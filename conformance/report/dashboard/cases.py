"""What the page shows of a single case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from conformance.cases import AnyCase, Case, Corpus, load
from conformance.report.dashboard.columns import PASS, UNKNOWN, Column, Key
from conformance.report.dashboard.drawing import draw
from conformance.report.figures import REPEAT, limit, operators, reason, said_first
from conformance.report.json import Row
from conformance.runner import repeat_line

SEVERAL = "several operators"
"""Group of the cases that use more than one."""


@dataclass(frozen=True)
class Verdict:
    """What one column has to say in words."""

    title: str
    letter: str
    line: str
    facts: str
    message: str


@dataclass(frozen=True)
class Reason:
    """Cases that do not pass on one target with one outcome, for what reads as one reason."""

    title: str
    letter: str
    line: str
    what: str
    cases: tuple[CaseView, ...]


@dataclass(frozen=True)
class CaseView:
    number: int
    row: Row
    group: str
    letters: str
    """One a column, in their order."""
    verdicts: tuple[Verdict, ...]
    repeat: str
    """The command that runs it, where no message ends with one."""
    drawing: Markup

    @property
    def passed(self) -> bool:
        """On every target of ours that has run it."""
        return all(verdict.letter == PASS for verdict in self.verdicts if verdict.line)

    @property
    def clean(self) -> bool:
        """Nothing that is known of it is not a pass."""
        return set(self.letters) <= {PASS, UNKNOWN}

    @property
    def numbers(self) -> str:
        """The greatest distance and the allowed one, of the last column that compared numbers."""
        return next((v.facts.partition(",")[0] for v in reversed(self.verdicts) if v.facts.startswith("worst")), "")


def reasons(cases: Iterable[CaseView]) -> list[Reason]:
    """The most frequent first."""
    found: dict[tuple[str, str, tuple[str, str, str]], list[tuple[str, CaseView]]] = {}
    for case in cases:
        for verdict in case.verdicts:
            if verdict.line and verdict.letter != PASS:
                what = said_first(case.row, verdict.message)
                key = (verdict.title, verdict.letter, reason(case.row, verdict.line, what))
                found.setdefault(key, []).append((what, case))
    made = [
        Reason(title, letter, line, of[0][0], tuple(case for _, case in of))
        for (title, letter, (line, _, _)), of in found.items()
    ]
    return sorted(made, key=lambda one: -len(one.cases))


def group_of(row: Row) -> str:
    names = operators(row)
    return names[0] if len(names) == 1 else SEVERAL


def views(rows: Sequence[Row], columns: Sequence[Column], corpus: Corpus) -> list[CaseView]:
    """Of every case, in the order of the rows. One that is not in the corpus at hand has no drawing."""
    known: dict[Key, AnyCase] = {(c.file, c.name): c for paths in corpus.files.values() for p in paths for c in load(p)}
    return [_view(number, row, columns, known.get(row.key)) for number, row in enumerate(rows)]


def _view(number: int, row: Row, columns: Sequence[Column], case: AnyCase | None) -> CaseView:
    verdicts = tuple(_verdicts(row.key, columns))
    said = any(line.startswith(REPEAT) for verdict in verdicts for line in verdict.message.splitlines())
    targets = [column.report.target for column in columns if column.report and row.key in column.rows]
    repeat = repeat_line(case, targets[-1]) if case is not None and targets and not said else ""
    return CaseView(
        number=number,
        row=row,
        group=group_of(row),
        letters="".join(column.letter(row.key) for column in columns),
        verdicts=verdicts,
        repeat=repeat.removeprefix(REPEAT),
        drawing=_drawing(case),
    )


def _verdicts(key: Key, columns: Iterable[Column]) -> Iterable[Verdict]:
    for column in columns:
        row = column.rows.get(key)
        if row is not None:
            facts = [limit(row), f"{row.ms:.3g} ms" if row.ms else "", "fragile" if row.fragile else ""]
            yield Verdict(column.title, row.status[0], row.line, ", ".join(filter(None, facts)), row.message)
        elif key in column.messages:
            yield Verdict(column.title, column.letter(key), "", "", column.messages[key])


def _drawing(case: AnyCase | None) -> Markup:
    if not isinstance(case, Case):
        return Markup("")
    try:
        return draw(case.graph)
    except (KeyError, ValueError, TypeError, RecursionError):  # a graph that is wrong, of which the message speaks
        return Markup("")


def all_rows(columns: Iterable[Column]) -> list[Row]:
    """Every case that a report has, once: of the last step that has it, in the order of the reports."""
    rows: dict[Key, Row] = {}
    for column in columns:
        rows.update(column.rows)
    return list(rows.values())


def grouped(cases: Iterable[CaseView]) -> Mapping[str, list[CaseView]]:
    """By operator; in a group those first that do not pass on a target of ours."""
    groups: dict[str, list[CaseView]] = {}
    for view in sorted(cases, key=lambda view: view.passed):
        groups.setdefault(view.group, []).append(view)
    return dict(sorted(groups.items(), key=lambda item: (item[0] == SEVERAL, item[0].casefold())))


def compare_peer(ours: Column, peer: Column) -> Mapping[str, list[Any]]:
    """Cases that both know, by who passes them."""
    found: dict[str, list[Any]] = {"both": [], "ours": [], "theirs": [], "neither": []}
    for key, letter in peer.letters.items():
        if key in ours.letters:
            mine, other = ours.letters[key] == PASS, letter == PASS
            found["both" if mine and other else "ours" if mine else "theirs" if other else "neither"].append(key)
    return found
