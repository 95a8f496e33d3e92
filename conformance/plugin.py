"""The pytest plugin: one item a case, with the case file as its path.

Active only with --wpt-target. Items run in pytest's process or in xdist's workers; what a worker finds travels with
its report to the process that shows, records and writes it, which is `conformance.session.Session` there. So a worker
that dies takes along the one case that it was running, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conformance.cases import AnyCase
    from conformance.runner import Outcome

OUTCOME = "wpt_outcome"
"""Name of the report's user property that holds the outcome, as JSON."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("wpt", "WebNN conformance cases; `python -m conformance run` sets these")
    group.addoption("--wpt-target", metavar="NAME", help="run case files (*.json) on this target")
    group.addoption("--wpt-op", metavar="NAME", help="only cases that use this operator")
    group.addoption("--wpt-case", metavar="TEXT", help="only cases whose name contains this")
    group.addoption("--wpt-corpus", metavar="DIR", help="where the cases come from, if not from the default places")
    group.addoption("--wpt-snapshots", choices=("check", "update", "off"), default="check")
    group.addoption("--wpt-accumulate", choices=("exact", "float32"), default="exact")
    group.addoption("--wpt-report", metavar="FILE", help="write a JSON report")
    group.addoption("--wpt-root", metavar="DIR", help="where snapshots/ and wpt_data/ are")


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--wpt-target"):
        return
    config.stash[TARGET] = _target(config)
    if not hasattr(config, "workerinput"):
        from conformance.session import Session

        config.pluginmanager.register(Session(config), "wpt-session")


TARGET: pytest.StashKey[Any] = pytest.StashKey()


def _target(config: pytest.Config) -> Any:
    from conformance.targets import TARGETS

    return TARGETS[config.getoption("--wpt-target")]()


def root_of(config: pytest.Config) -> Path:
    return Path(config.getoption("--wpt-root") or Path(__file__).parents[1])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix == ".json" and parent.config.getoption("--wpt-target"):
        root = parent.config.rootpath
        inside = file_path.is_relative_to(root)  # pytest leaves the path of any other file out of the node id
        nodeid = (file_path.relative_to(root) if inside else file_path).as_posix()
        return CaseFile.from_parent(parent, path=file_path, nodeid=nodeid)
    return None


class CaseFile(pytest.File):
    """A file of cases."""

    def collect(self) -> Iterable[pytest.Item]:
        from conformance.cases import load

        text = (self.config.getoption("--wpt-case") or "").casefold()
        operator = self.config.getoption("--wpt-op")
        for case in load(self.path):
            if text in case.name.casefold() and (not operator or operator in case.ops):
                yield CaseItem.from_parent(self, name=printable(case.name), case=case)


class CaseItem(pytest.Item):
    """A case. It passes when its outcome is the one that its snapshot holds; without snapshots, when it is PASS."""

    def __init__(self, *, case: AnyCase, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.case = case

    def runtest(self) -> None:
        from conformance.runner import run_case, with_fragility

        outcome = run_case(self.case, self.config.stash[TARGET])
        if self.config.getoption("--wpt-accumulate") == "float32":
            outcome = with_fragility(outcome, self.case)
        self.user_properties.append((OUTCOME, json.dumps(asdict(outcome))))  # xdist passes on plain types only
        problem = self._problem(outcome)
        if problem:
            raise Unexpected(problem)

    def _problem(self, outcome: Outcome) -> str:
        """What is not as expected, if anything."""
        from conformance.cases import BrokenCase

        mode = self.config.getoption("--wpt-snapshots")
        if mode == "update":
            return outcome.message if isinstance(self.case, BrokenCase) else ""
        if mode == "off":
            return "" if outcome.line == "PASS" else outcome.message or outcome.line
        expected = _expected(self.config, self.case)
        if expected is None or expected == outcome.line:
            return ""
        accept = f"accept: make wpt-sync-{self.config.getoption('--wpt-target')} OP={self.case.file}"
        if outcome.line == "PASS":
            return f"{self.case.id}: unexpected PASS: the snapshot says {expected}\n{accept}"
        return f"{outcome.message or outcome.line}\nthe snapshot says {expected}, this run {outcome.line}; {accept}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, Unexpected):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.index or 0, f"{self.case.file}: {self.name}"


class Unexpected(Exception):
    """A case whose outcome is not the expected one; the message is all there is to show."""


def _expected(config: pytest.Config, case: AnyCase) -> str | None:
    from conformance.snapshots import SnapshotStore

    if STORE not in config.stash:
        config.stash[STORE] = SnapshotStore(root_of(config), config.getoption("--wpt-target"))
    expected: str | None = config.stash[STORE].entries(case.file).get(case.name)
    return expected


STORE: pytest.StashKey[Any] = pytest.StashKey()


def printable(name: str) -> str:
    """A case's name as part of a node id: one line, and valid UTF-8."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)
    return text.encode("utf-8", "backslashreplace").decode()


def outcome_of(report: pytest.TestReport) -> Outcome | None:
    """The outcome that a report carries, if it carries one."""
    from conformance.runner import Cause, Outcome, Status

    for name, value in report.user_properties if report.when == "call" else ():
        if name == OUTCOME:
            fields = json.loads(str(value))
            fields.update(status=Status(fields["status"]), cause=fields["cause"] and Cause(fields["cause"]))
            return Outcome(**fields)
    return None
