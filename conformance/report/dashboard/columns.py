"""What stands side by side for every case: the five steps that judge it, and what other implementations made of it.

A report answers more than its own step: a case that compiles has a valid graph and lowers to a network. So `graph` and
`network` are drawn from every report there is; `engine`, `cpu` and `gpu` have the status of their own report as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from conformance.cases import UsageError
from conformance.report.json import Report, Row
from conformance.runner import Cause, Status

Key = tuple[str, str]
"""File and name of a case."""

PASS, FAIL, UNSUPPORTED, CRASH, TIMEOUT, SKIP, UNKNOWN = "PFUCTS-"
LETTERS: Mapping[str, str] = {
    PASS: "pass",
    FAIL: "fail",
    UNSUPPORTED: "unsupported",
    CRASH: "crash",
    TIMEOUT: "timeout",
    SKIP: "did not run",
    UNKNOWN: "not known",
}
"""By how much they say: where cases come together, the worst one is shown."""

WORST = (CRASH, TIMEOUT, FAIL, UNSUPPORTED, SKIP, UNKNOWN, PASS)

STEPS = ("graph", "network", "engine", "cpu", "gpu")
QUESTIONS: Mapping[str, str] = {
    "graph": "Is the WebNN graph valid, with the shapes and types that the case expects?",
    "network": "Does it lower to a network that TensorRT accepts?",
    "engine": "Does TensorRT for RTX compile the network, ahead of time, for each GPU generation?",
    "cpu": "Are the network’s numbers right? (its layers, computed by the numpy executor)",
    "gpu": "Are the engine’s numbers right on a GPU?",
}
STEP_OF: Mapping[str, str] = {"trtx": "gpu"}
"""Of a report's target, where they are not called the same."""


@dataclass(frozen=True)
class Column:
    """Letter by case. `report` is the one that it is of; None for what is drawn from several, or from elsewhere."""

    step: str
    title: str
    about: str
    letters: Mapping[Key, str]
    report: Report | None = None
    rows: Mapping[Key, Row] = field(default_factory=dict, repr=False)
    messages: Mapping[Key, str] = field(default_factory=dict, repr=False)
    """What another implementation says of a case."""

    @property
    def empty(self) -> bool:
        return not self.letters

    def letter(self, key: Key) -> str:
        return self.letters.get(key, UNKNOWN)


def columns_of(reports: Sequence[Report]) -> list[Column]:
    """The steps in their order, with one column a report; a step without a report has an empty one. UsageError if two
    reports are of one target and device: which of them would be shown?"""
    own: dict[str, list[Column]] = {}
    for report in reports:
        step = STEP_OF.get(report.target, report.target)
        if any(column.report and column.report.device == report.device for column in own.get(step, ())):
            raise UsageError(
                f"two reports are of target {report.target} on {report.device!r}; --baseline takes the older"
            )
        rows = {row.key: row for row in report.rows}
        letters = {key: row.status[0] for key, row in rows.items()}
        own.setdefault(step, []).append(Column(step, step, report.device, letters, report, rows))
    for step, columns in own.items():
        if len(columns) > 1:
            own[step] = [_titled(column, position) for position, column in enumerate(columns, 1)]
    drawn = [Column(step, step, QUESTIONS[step], _drawn(reports, step)) for step in ("graph", "network")]
    missing = [Column(step, step, "no run", {}) for step in ("engine", "cpu", "gpu") if step not in own]
    found = [*drawn, *missing, *(column for columns in own.values() for column in columns)]
    order = {step: position for position, step in enumerate(STEPS)}
    return sorted(found, key=lambda column: order.get(column.step, len(order)))


def _titled(column: Column, position: int) -> Column:
    """One of several of a step, by the end of its device's name, as in `ahead of time: SM86`, if that is short."""
    name = column.about.rpartition(": ")[2]
    title = f"{column.step} {name if 0 < len(name) <= 24 else position}"
    return replace(column, title=title)


def _drawn(reports: Sequence[Report], step: str) -> dict[Key, str]:
    letters: dict[Key, str] = {}
    for report in reports:
        for row in report.rows:
            letter = earlier(row)[0 if step == "graph" else 1]
            letters[row.key] = min(letter, letters.get(row.key, letter), key=(FAIL, UNSUPPORTED, PASS, UNKNOWN).index)
    return letters


def earlier(row: Row) -> tuple[str, str]:
    """What a row says of the steps `graph` and `network`."""
    if row.status == Status.PASS or row.cause in (Cause.ENGINE, Cause.MISMATCH):
        return PASS, PASS
    if row.status == Status.UNSUPPORTED:
        return PASS, UNSUPPORTED
    if row.cause in (Cause.SHAPE, Cause.DTYPE):
        # Without numbers to compare it is the graph's own inference that differs from the case.
        return (FAIL, UNKNOWN) if row.metric is None else (PASS, PASS)
    if row.status == Status.FAIL:
        graph = FAIL if row.cause == Cause.GRAPH else PASS
        return graph, FAIL if row.cause == Cause.NETWORK else UNKNOWN
    return UNKNOWN, UNKNOWN


def worst(letters: Sequence[str]) -> str:
    return min(letters, key=WORST.index, default=UNKNOWN)
