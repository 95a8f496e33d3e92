"""What one run of cases amounts to: collects every report and writes snapshots.

It lives in the process that sees all reports, of which there is one, also with xdist. It lists the selected cases on
its own, so that a case that gets lost on the way is missed: a run that did not see all of them is never a success.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import NOT_CASES, AnyCase, BrokenCase, Corpus, find_corpus
from conformance.index import CaseIndex
from conformance.kept import KeptVerdicts
from conformance.lastwords import DONE, LEAVING, last_words
from conformance.plugin import (
    TARGET,
    encodable,
    file_nodeid,
    lastwords_of,
    outcome_of,
    printable,
    root_of,
    wanted_cases,
)
from conformance.runner import Outcome, Status, repeat_line
from conformance.snapshots import SnapshotError, SnapshotStore, stale_entries
from conformance.targets import snapshots_of

ENDED = (Status.CRASH, Status.TIMEOUT)
"""The case took its process along."""

RECORDED = (Status.PASS, Status.FAIL, Status.UNSUPPORTED)
"""What a snapshot can hold. A crash is never accepted."""

PYTEST_FILTERS = ("keyword", "markexpr", "deselect", "collectonly")

EARLY_DEATHS = 3
"""Workers that may end before they have a case; xdist would start new ones for ever."""


@dataclass(frozen=True)
class Change:
    """A case whose outcome differs from its snapshot."""

    case: AnyCase
    expected: str | None
    line: str


class Session:
    """A pytest plugin object."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.target = config.stash[TARGET]
        self.mode: str = config.getoption("--wpt-snapshots")
        self.store = SnapshotStore(root_of(config), snapshots_of(self.target.name))
        self.corpus: Corpus = find_corpus(config.getoption("--wpt-corpus"), root_of(config))
        self.cases = CaseIndex(_selected(config))
        self.results: dict[str, Outcome] = {}
        self._workers: set[str] = set()
        self._again: set[str] = set()
        self._early_deaths = 0
        self.problems: list[str] = []
        self.accepted: list[Change] = []
        if self.mode != "off":
            self._read_snapshots()

    def _read_snapshots(self) -> None:
        try:
            for path in self.cases.paths():
                self.store.entries(path.stem)
        except SnapshotError as error:
            raise pytest.UsageError(str(error)) from None

    # Collecting -----------------------------------------------------------------------------------------------------

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome = outcome_of(report)
        if outcome is not None and report.nodeid in self.cases:
            self.results[report.nodeid] = outcome
            if report.passed:  # pytest keeps every report to the end, for what it counts
                report.user_properties, report.keywords, report.sections = [], {}, []

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        """A worker ended. xdist blames the first case that it had not finished: that is the one that it was running, or
        one that it had not begun, which then gets another chance."""
        words = last_words(lastwords_of(self.config), report.node.gateway.id, _exit_status(report.node))
        between = words.what in (DONE, LEAVING) and crashitem not in self._again
        guilty = words.case if between else crashitem
        if guilty in self.cases and not (between and words.what == LEAVING):
            case = self.cases[guilty]
            text = words if not between else replace(words, text=f"after its end: {words.text}")
            message = text.message(
                case.id, self.target.name, repeat_line(case, self.target.name, getattr(self.target, "options", ""))
            )
            self.results[guilty] = Outcome(Status.TIMEOUT if words.timed_out else Status.CRASH, None, message)
            report.longrepr = encodable(message)
        if between and crashitem not in self.results:
            self._again.add(crashitem)
            sched.mark_test_pending(crashitem)
        if between:
            report.outcome, report.when = "rerun" if words.what == LEAVING else "failed", "teardown"

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any) -> None:
        self._workers.add(node.gateway.id)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        if error and node.gateway.id not in self._workers:
            self._early_deaths += 1
            if self._early_deaths >= EARLY_DEATHS:
                words = last_words(lastwords_of(self.config), node.gateway.id).text
                pytest.exit(f"worker processes end before they have a case: {words}", pytest.ExitCode.INTERNAL_ERROR)

    # Judging --------------------------------------------------------------------------------------------------------

    def changes(self) -> list[Change]:
        """Of the cases that came to an outcome that a snapshot can hold."""
        found = []
        for key, outcome in sorted(self.results.items()):
            if outcome.status not in RECORDED:
                continue
            case = self.cases[key]
            expected = self.store.entries(case.file).get(case.name)
            if expected != outcome.line:
                found.append(Change(case, expected, outcome.line))
        return found

    def stale(self) -> dict[str, list[str]]:
        """Entries without a case in the files that ran, or anywhere, when all files did."""
        if self.corpus.own or self.config.getoption("--wpt-op"):
            return {}
        files = self.cases.paths()
        everything = {path for paths in self.corpus.files.values() for path in paths} <= files
        return stale_entries(self.store, self.corpus, self.store.stems() if everything else {f.stem for f in files})

    def ended(self) -> list[AnyCase]:
        """The cases whose process ended."""
        return [self.cases[key] for key, outcome in sorted(self.results.items()) if outcome.status in ENDED]

    def lost(self) -> list[AnyCase]:
        """The cases that should have run and did not: none may be missing, unless pytest was told to leave some out."""
        filtered = any(getattr(self.config.option, name, None) for name in PYTEST_FILTERS)
        return [] if filtered else [self.cases[key] for key in self.cases if key not in self.results]

    # Ending ---------------------------------------------------------------------------------------------------------

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.config.option.collectonly:
            return
        if self.mode == "update":
            self._update()
            if self.problems:
                session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED
        self._keep()
        if self.lost() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _update(self) -> None:
        written: dict[str, dict[str, str]] = {}
        for key, outcome in self.results.items():
            case = self.cases[key]
            if outcome.status in RECORDED and not isinstance(case, BrokenCase):
                written.setdefault(case.file, {})[case.name] = outcome.line
        self.accepted = self.changes()
        for stem, lines in sorted(written.items()):
            if any(self.store.entries(stem).get(name) != line for name, line in lines.items()):
                try:
                    self.store.update(stem, lines)
                except OSError as error:
                    self.problems.append(f"{self.store.path(stem)}: cannot be written: {error.strerror}")
                    self.accepted = [change for change in self.accepted if change.case.file != stem]

    def _keep(self) -> None:
        """Keep what compiled for the next run."""
        file = self.config.getoption("--wpt-kept")
        if not file or self.target.name != "engine":
            return
        passed, others = {}, []
        for key, outcome in self.results.items():
            if outcome.status is not Status.PASS:
                others.append(self.cases[key].id)
            elif outcome.key:
                passed[self.cases[key].id] = outcome.key
        try:
            KeptVerdicts(Path(file)).update(passed, others)
        except (OSError, TimeoutError) as error:
            self.problems.append(f"verdicts are not kept: {error}")


def _exit_status(node: Any) -> int | None:
    """Of a worker process on this machine. execnet has it, and does not say so in its API."""
    process = getattr(getattr(node.gateway, "_io", None), "popen", None)
    try:
        return None if process is None else int(process.wait(timeout=5))
    except subprocess.TimeoutExpired:
        return None


def _selected(config: pytest.Config) -> Iterator[tuple[str, Path, int]]:
    """The cases that the command line asks for: node id, file and position in it."""
    for argument in config.args:
        name, _, wanted = argument.partition("::")
        for path in _case_files(Path(os.path.abspath(config.invocation_params.dir / name))):
            file = file_nodeid(config, path)
            for position, name in wanted_cases(config, path):
                if not wanted or wanted == printable(name):
                    yield f"{file}::{printable(name)}", path, position


def _case_files(path: Path) -> Sequence[Path]:
    paths = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    return [path for path in paths if path.suffix == ".json" and path.name not in NOT_CASES]
