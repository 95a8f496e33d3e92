"""Writes what a run came to into the files that were asked for: the rows as they come in, the rest at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import pytest

from conformance.cases import AnyCase, is_required
from conformance.index import cases_of
from conformance.report.json import Journal, Report, Row, write_report
from conformance.report.junit import write_junit
from conformance.report.markdown import write_markdown
from conformance.report.wptreport import write_wptreport
from conformance.runner import Outcome, Status
from conformance.session import Session

WRITERS: Mapping[str, Callable[[Path, Report], None]] = {
    "report": write_report,
    "junit": write_junit,
    "wptreport": write_wptreport,
    "markdown": write_markdown,
}
"""By the option that names the file."""

NOT_RUN = Outcome(Status.SKIP, None, "did not run: the run ended before it, or left it out")


class Writer:
    """A pytest plugin object, of the process that sees all results."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.clock = time.perf_counter()
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self.minimum = session.corpus.minimum
        options = {name: session.config.getoption(f"--wpt-{name}") for name in WRITERS}
        self.paths = {name: Path(path) for name, path in options.items() if path}
        self.journal: Journal | None = None
        self.problems: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        if "report" in self.paths and not self.session.config.option.collectonly:
            try:
                self.journal = Journal(self.paths["report"], self._head, len(self.session.cases))
            except OSError as error:
                self._give_up(error)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """After the session has taken the outcome of it."""
        outcome = self.session.results.get(report.nodeid)
        if self.journal and outcome is not None and report.when not in ("setup", "teardown"):
            try:
                self.journal.add(self._row(self.session.cases[report.nodeid], outcome))
            except OSError as error:
                self._give_up(error)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.session.config.option.collectonly or not self.paths:
            return
        report = self.report
        for name, path in self.paths.items():
            try:
                WRITERS[name](path, report)
            except OSError as error:  # the others are worth having
                self.problems.append(f"--{name} {path}: cannot be written: {error.strerror}")
        if self.journal:
            self.journal.close() if self.problems else self.journal.remove()
        if self.problems:
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def _give_up(self, error: OSError) -> None:
        """On what there is while the run goes on; whether the report itself can be written shows at the end."""
        self.journal = None
        self.problems.append(
            f"--report {self.paths['report']}: cannot be written while the run goes on: {error.strerror}"
        )

    @cached_property
    def report(self) -> Report:
        """Of a run that ended. With a row for every selected case, so that the sum is right whatever happened."""
        results = self.session.results
        rows = (self._row(case, results.get(key, NOT_RUN)) for key, case in self.session.cases.items())
        return replace(self._head, seconds=time.perf_counter() - self.clock, rows=tuple(rows))

    @cached_property
    def _head(self) -> Report:
        target, corpus = self.session.target, self.session.corpus
        return Report(
            target=target.name,
            device=target.device,
            started=self.started,
            seconds=0,
            versions=target.versions(),
            shard=self.session.config.getoption("--wpt-shard"),
            revision=corpus.revision,
            known=sum(len(cases_of(path)) for paths in corpus.files.values() for path in paths),
        )

    def _row(self, case: AnyCase, outcome: Outcome) -> Row:
        return Row(
            file=case.file,
            name=case.name,
            ops=case.ops,
            dtypes=case.dtypes,
            required=is_required(case, self.minimum),
            status=str(outcome.status),
            cause=str(outcome.cause) if outcome.cause else None,
            message=outcome.message,
            metric=outcome.metric,
            allowed=outcome.allowed,
            worst=outcome.worst,
            ms=outcome.ms,
            fragile=outcome.fragile,
            kept=outcome.kept,
        )
