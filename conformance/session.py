"""What one run of cases amounts to: collects every report, shows the summary, writes snapshots and the report file.

It lives in the process that sees all reports, of which there is one, also with xdist.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import AnyCase, BrokenCase, Corpus, find_corpus, is_required, select
from conformance.plugin import TARGET, outcome_of, printable, root_of
from conformance.report.json import CaseResult, write_report
from conformance.runner import Outcome, Status, repeat_line
from conformance.snapshots import SnapshotStore

CRASHED = re.compile(r"crashed while running")


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
        self.store = SnapshotStore(root_of(config), self.target.name)
        self.corpus: Corpus = find_corpus(config.getoption("--wpt-corpus"), root_of(config))
        self.started, self.clock = datetime.now(UTC), time.perf_counter()
        self.results: dict[str, Outcome] = {}
        self._cases: dict[str, AnyCase] | None = None

    @property
    def cases(self) -> dict[str, AnyCase]:
        """The selected cases by the end of their node id: file name and case name. (Upstream's file and ours have one
        name, but no case has: ours begin with "house: ".)"""
        if self._cases is None:
            files = {Path(arg).resolve() for arg in self.config.args}
            found = select(self.corpus, text=self.config.getoption("--wpt-case"))
            operator = self.config.getoption("--wpt-op")
            self._cases = {
                _key(case): case
                for case in found
                if case.path.resolve() in files and (not operator or operator in case.ops)
            }
        return self._cases

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        plugins = self.config.pluginmanager
        distributed = plugins.getplugin("terminaldistreporter")
        if distributed is not None:
            plugins.unregister(distributed)  # its news of workers that start
        terminal = plugins.getplugin("terminalreporter")
        if terminal is not None:
            for line in self.header():
                terminal.write_line(line)

    # Collecting -----------------------------------------------------------------------------------------------------

    def header(self) -> list[str]:
        versions = ", ".join(f"{name} {version}" for name, version in self.target.versions().items())
        revision = f"WPT {self.corpus.revision[:10]}" if self.corpus.revision else "no revision"
        return [
            f"target {self.target.name} ({self.target.device}); {versions}",
            f"{len(self.cases)} cases, {revision}",
            *self.corpus.notes,
        ]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        path, _, name = report.nodeid.partition("::")
        key = f"{path.rsplit('/', 1)[-1]}::{name}"
        outcome = outcome_of(report)
        if outcome is not None:
            self.results[key] = outcome
        if report.failed and CRASHED.search(str(report.longrepr)):
            line = repeat_line(self.cases[key], self.target.name) if key in self.cases else ""
            self.results[key] = Outcome(Status.CRASH, None, f"{name}: the process ended while it ran\n{line}")

    # Judging --------------------------------------------------------------------------------------------------------

    def changes(self) -> list[Change]:
        found = []
        for key, outcome in sorted(self.results.items()):
            case = self.cases.get(key)
            if case is None:
                continue
            expected = self.store.entries(case.file).get(case.name)
            if expected != outcome.line:
                found.append(Change(case, expected, outcome.line))
        return found

    def stale(self) -> dict[str, list[str]]:
        """Entries without a case, by stem. Upstream's are judged only where upstream's corpus is at hand."""
        if self.corpus.own or self.config.getoption("--wpt-op"):
            return {}
        known: dict[str, set[str]] = {}
        for case in select(self.corpus):
            known.setdefault(case.file, set()).add(case.name)
        everything = len(self.config.args) >= sum(map(len, self.corpus.files.values()))
        stems = self.store.stems() if everything else {Path(arg).stem for arg in self.config.args}
        found = {}
        for stem in sorted(stems):
            names = [
                name
                for name in self.store.entries(stem)
                if name not in known.get(stem, ()) and (self.corpus.upstream or name.startswith("house: "))
            ]
            if names:
                found[stem] = names
        return found

    # Ending ---------------------------------------------------------------------------------------------------------

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.mode == "update":
            self._update(session)
        report = self.config.getoption("--wpt-report")
        if report:
            write_report(Path(report), self._head(), self._rows())

    def _update(self, session: pytest.Session) -> None:
        written: dict[str, dict[str, str]] = {}
        for key, outcome in self.results.items():
            case = self.cases.get(key)
            if case is not None and not isinstance(case, BrokenCase) and outcome.status is not Status.CRASH:
                written.setdefault(case.file, {})[case.name] = outcome.line
        for stem, lines in sorted(written.items()):
            if any(self.store.entries(stem).get(name) != line for name, line in lines.items()):
                self.store.update(stem, lines)
        if self.not_run() or any(outcome.status is Status.CRASH for outcome in self.results.values()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def not_run(self) -> list[AnyCase]:
        return [case for key, case in self.cases.items() if key not in self.results]

    def _rows(self) -> list[CaseResult]:
        minimum = self.corpus.minimum
        return [
            CaseResult(case, self.results[key], is_required(case, minimum))
            for key, case in self.cases.items()
            if key in self.results
        ]

    def _head(self) -> dict[str, Any]:
        return {
            "schema": 1,
            "target": self.target.name,
            "started": self.started.isoformat(timespec="seconds"),
            "seconds": round(time.perf_counter() - self.clock, 3),
            "versions": self.target.versions(),
            "device": self.target.device,
            "corpus": {"revision": self.corpus.revision, "cases": len(self.cases)},
        }

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        write = terminalreporter.write_line
        counts = Counter(outcome.line.split("(")[0] for outcome in self.results.values())
        order = [status for status in Status if counts[status]]
        terminalreporter.write_sep("=", f"{self.target.name}: {len(self.results)} of {len(self.cases)} cases")
        write("  " + (", ".join(f"{counts[status]} {status}" for status in order) or "nothing ran"))
        for case in self.not_run():
            write(f"  NOT RUN {case.id}", red=True)
        for key, outcome in sorted(self.results.items()):
            if outcome.status is Status.CRASH:
                write(f"  CRASH {key}", red=True)
        fragile = sorted(key for key, outcome in self.results.items() if outcome.fragile)
        if self.config.getoption("--wpt-accumulate") == "float32":
            write(f"  {len(fragile)} FRAGILE: they pass with exact accumulation only")
            for key in fragile:
                write(f"  FRAGILE {key}")
        if self.mode != "off":
            self._summarize_snapshots(write)

    def _summarize_snapshots(self, write: Any) -> None:
        target, changes = self.target.name, self.changes()
        if self.mode == "update":
            write(f"  snapshots/{target}: written; review with git diff snapshots/{target}")
            crashed = [
                self.cases[key] for key, o in self.results.items() if o.status is Status.CRASH and key in self.cases
            ]
            for case in [*crashed, *self.not_run()]:
                write(f"  kept their old snapshot: {case.id}", red=True)
            return
        groups = {
            "LOST": [c for c in changes if c.expected == "PASS"],
            "FIXED": [c for c in changes if c.expected not in (None, "PASS") and c.line == "PASS"],
            "CHANGED": [c for c in changes if c.expected not in (None, "PASS") and c.line != "PASS"],
            "NEW": [c for c in changes if c.expected is None],
        }
        for label, group in groups.items():
            if label == "NEW" and len(group) > 1 and all(change.line == "PASS" for change in group):
                write(f"  NEW {len(group)} cases without a snapshot, all PASS; {group[0].case.id!r} first")
                continue
            for change in group[:20]:
                was = f" (was {change.expected})" if change.expected else ""
                write(f"  {label} {change.case.id}: {change.line}{was}", red=label in ("LOST", "CHANGED"))
            if len(group) > 20:
                write(f"  {label} … and {len(group) - 20} more")
        for stem, names in self.stale().items():
            write(f"  STALE {stem}: {len(names)} entries without a case, {names[0]!r} first; make snapshots-prune")
        if changes:
            write(f"  accept what is right: make wpt-sync-{target} [OP=…], then review git diff snapshots/{target}")


def _key(case: AnyCase) -> str:
    return f"{case.path.name}::{printable(case.name)}"
