"""What a run says on the terminal: a head, how far it is, what differs from the snapshots and how to accept that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from conformance.plugin import encodable
from conformance.report.terminal import summary_lines
from conformance.report.writing import Writer
from conformance.runner import Status
from conformance.session import Change, Session
from conformance.targets import snapshots_of

SHOWN = 20
"""Lines of one kind; the rest is counted."""

Write = Callable[..., None]


class Terminal:
    """A pytest plugin object."""

    def __init__(self, session: Session, writer: Writer) -> None:
        self.session, self.writer = session, writer
        self._seen = self._tenths = self._unexpected = 0

    def pytest_sessionstart(self) -> None:
        plugins = self.session.config.pluginmanager
        xdist, news = plugins.getplugin("dsession"), plugins.getplugin("terminaldistreporter")
        if xdist is not None and news is not None:  # of workers that start and end
            plugins.unregister(news)
            xdist.terminal = None
        terminal = plugins.getplugin("terminalreporter")
        for line in self.head() if terminal is not None else ():
            terminal.write_line(line)

    def head(self) -> list[str]:
        target, corpus = self.session.target, self.session.corpus
        versions = ", ".join(f"{name} {version}" for name, version in target.versions().items())
        revision = f"WPT {corpus.revision[:10]}" if corpus.revision else "no revision"
        head = f"target {target.name} ({target.device}); {versions}"
        return [head, f"{len(self.session.cases)} cases, {revision}", *corpus.notes]

    # While it runs --------------------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """No letter a case: there are thousands, and nearly all of them are dots."""
        if report.nodeid not in self.session.cases or report.when in ("setup", "teardown"):
            return None
        return report.outcome, "", ""

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.nodeid not in self.session.cases or report.when in ("setup", "teardown"):
            return
        self._seen += 1
        self._unexpected += report.failed
        total = len(self.session.cases)
        tenths = 10 * self._seen // total
        terminal = self.session.config.pluginmanager.getplugin("terminalreporter")
        if tenths > self._tenths and total >= 100 and terminal is not None:
            failed = f" ({self._unexpected} unexpected)" if self._unexpected else ""
            terminal.write(f"{tenths * 10}%{failed}" + ("\n" if tenths == 10 else " "), flush=True)
        self._tenths = tenths

    # At the end -----------------------------------------------------------------------------------------------------

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        session, write = self.session, terminalreporter.write_line
        counts = Counter(outcome.status for outcome in session.results.values())
        terminalreporter.write_sep("=", f"{session.target.name}: {len(session.results)} of {len(session.cases)} cases")
        write("  " + (", ".join(f"{counts[status]} {status}" for status in Status if counts[status]) or "nothing ran"))
        kept = Counter(outcome.kept for outcome in session.results.values())
        if kept[True]:
            write(
                f"  {kept[True]} compiled in earlier runs and unchanged since, {kept[False]} now; --fresh compiles all"
            )
        for status in (Status.CRASH, Status.TIMEOUT):
            ended = [session.cases[key] for key, o in sorted(session.results.items()) if o.status is status]
            _listed(write, str(status), [case.id for case in ended], red=True)
        _listed(write, "NOT RUN", [case.id for case in session.lost()], red=True)
        if session.config.getoption("--wpt-accumulate") == "float32":
            fragile = sorted(session.cases[key].id for key, outcome in session.results.items() if outcome.fragile)
            write(f"  {len(fragile)} FRAGILE: they pass with exact accumulation only")
            for case in fragile:
                write(f"  FRAGILE {case}")
        if session.results:
            for line in summary_lines(self.writer.report):
                write(line)
        if session.mode == "update":
            self._updated(write)
        elif session.mode == "check":
            self._checked(write)
        for problem in (*session.problems, *self.writer.problems):
            write(f"  {problem}", red=True)

    def _updated(self, write: Write) -> None:
        session, target = self.session, self.session.target.name
        kept = [*session.ended(), *session.lost()]
        groups = _grouped(session.accepted)
        for label, group in groups.items():
            _listed(
                write, f"accepted {label}", [_changed(change) for change in group], red=label in ("LOST", "CHANGED")
            )
        if session.accepted:
            counts = ", ".join(f"{len(group)} {label.lower()}" for label, group in groups.items() if group)
            write(f"  snapshots/{target}: {counts}; review with make snapshots-diff")
        else:
            write(f"  snapshots/{target}: as they were")
        _listed(write, "kept their old snapshot:", [case.id for case in kept], red=True)
        if kept:
            write("  the update is not complete: repeat it")

    def _checked(self, write: Write) -> None:
        session, target = self.session, self.session.target.name
        changes = session.changes()
        for label, group in _grouped(changes).items():
            if label == "NEW" and len(group) > 1 and all(change.line == "PASS" for change in group):
                write(f"  NEW {len(group)} cases without a snapshot, all PASS; {encodable(group[0].case.id)!r} first")
                continue
            _listed(write, label, [_changed(change) for change in group], red=label in ("LOST", "CHANGED"))
        for stem, names in session.stale().items():
            write(f"  STALE {stem}: {len(names)} entries without a case, {names[0]!r} first; make snapshots-prune")
        if changes:
            kept = snapshots_of(target)
            write(f"  accept what is right: make wpt-sync-{kept} [OP=…], then make snapshots-diff shows it")


def _grouped(changes: Iterable[Change]) -> dict[str, list[Change]]:
    groups: dict[str, list[Change]] = {"LOST": [], "FIXED": [], "CHANGED": [], "NEW": []}
    for change in changes:
        groups[_label(change)].append(change)
    return groups


def _changed(change: Change) -> str:
    return f"{change.case.id}: {change.line}" + (f" (was {change.expected})" if change.expected else "")


def _label(change: Change) -> str:
    if change.expected is None:
        return "NEW"
    if change.expected == "PASS":
        return "LOST"
    return "FIXED" if change.line == "PASS" else "CHANGED"


def _listed(write: Write, label: str, lines: Iterable[str], **markup: bool) -> None:
    """The first lines of a kind, and how many more there are."""
    lines = [encodable(line) for line in lines]
    for line in lines[:SHOWN]:
        write(f"  {label} {line}", **markup)
    if len(lines) > SHOWN:
        write(f"  {label} … and {len(lines) - SHOWN} more", **markup)
