"""The pytest plugin: one item a case, with the case file as its path.

Active with --wpt-target, or when pytest is given a case file. Items run in pytest's process or in xdist's workers; what
a worker finds travels with its report to the process that shows, records and writes it, which is
`conformance.session.Session` there. So a worker that dies takes along the one case that it was running, and nothing else.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.lastwords import LEAVING
from conformance.project import is_checkout, project_root

if TYPE_CHECKING:
    from conformance.cases import AnyCase
    from conformance.runner import Outcome
    from conformance.targets import Engine

OUTCOME = "wpt_outcome"
"""Name of the report's user property that holds the outcome, as JSON."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("wpt", "WebNN conformance cases; `python -m conformance run` sets these")
    group.addoption("--wpt-target", metavar="NAME", help="run case files (*.json) on this target")
    group.addoption("--wpt-sm", metavar="NAME", help="engine: compile for this generation of GPUs only")
    group.addoption("--wpt-op", metavar="NAME", help="only cases that use this operator")
    group.addoption("--wpt-case", metavar="TEXT", help="only cases whose name contains this")
    group.addoption("--wpt-shard", metavar="I/N", help="only the cases of part I of N")
    group.addoption("--wpt-corpus", metavar="DIR", help="where the cases come from, if not from the default places")
    group.addoption("--wpt-snapshots", choices=("check", "update", "off"), default="check")
    group.addoption("--wpt-accumulate", choices=("exact", "float32"), default="exact")
    group.addoption("--wpt-report", metavar="FILE", help="write a JSON report")
    group.addoption("--wpt-junit", metavar="FILE", help="write a JUnit report")
    group.addoption("--wpt-wptreport", metavar="FILE", help="write a report for wpt.fyi")
    group.addoption("--wpt-markdown", metavar="FILE", help="write a short summary")
    group.addoption("--wpt-root", metavar="DIR", help="where snapshots/ and wpt_data/ are")
    group.addoption("--wpt-timeout", metavar="SECONDS", type=float, default=60, help="for one case")
    group.addoption("--wpt-memory", metavar="BYTES", type=int, default=0, help="for one case; 0: no limit")
    group.addoption("--wpt-lastwords", metavar="DIR", help="where processes that end during a case leave word")
    group.addoption("--wpt-kept", metavar="FILE", help="engine: verdicts that are kept from run to run")
    group.addoption("--wpt-fresh", action="store_true", help="engine: compile what has a kept verdict too")


TARGET: pytest.StashKey[Any] = pytest.StashKey()
RECORDER: pytest.StashKey[Any] = pytest.StashKey()
STORE: pytest.StashKey[Any] = pytest.StashKey()
LEAVE: pytest.StashKey[bool] = pytest.StashKey()
"""Set when this process can run no other case."""


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--wpt-target") and any(a.partition("::")[0].endswith(".json") for a in config.args):
        config.option.wpt_target = "cpu"  # pytest wpt_data/house/relu.json
    if not config.getoption("--wpt-target"):
        return
    from conformance.targets import TARGETS, Engine

    generation = config.getoption("--wpt-sm")
    target = Engine(generation) if generation else TARGETS[config.getoption("--wpt-target")]()
    if isinstance(target, Engine):
        _set_up(target, config)
    config.stash[TARGET] = target
    worker = getattr(config, "workerinput", None)
    directory = lastwords_of(config)
    if directory and (worker or not getattr(config.option, "tx", None)):
        from conformance.lastwords import Recorder

        seconds = config.getoption("--wpt-timeout")
        config.stash[RECORDER] = Recorder(directory, worker["workerid"] if worker else "main", seconds)
    if worker is None:
        from conformance.report.writing import Writer
        from conformance.session import Session
        from conformance.summary import Terminal

        session = Session(config)
        config.pluginmanager.register(session, "wpt-session")
        writer = Writer(session)
        config.pluginmanager.register(Terminal(session, writer), "wpt-terminal")
        config.pluginmanager.register(writer, "wpt-writer")


def _set_up(target: Engine, config: pytest.Config) -> None:
    """Give the target the verdicts that it need not find again, and its process what makes compiling cheaper."""
    from conformance.kept import KeptVerdicts
    from conformance.memory import reuse_freed

    file = config.getoption("--wpt-kept")
    if file:
        target.kept = frozenset() if config.getoption("--wpt-fresh") else KeptVerdicts(Path(file)).keys()
    reuse_freed()


def root_of(config: pytest.Config) -> Path:
    return Path(config.getoption("--wpt-root") or project_root())


def lastwords_of(config: pytest.Config) -> Path | None:
    directory = config.getoption("--wpt-lastwords")
    return Path(directory) if directory else None


def file_nodeid(config: pytest.Config, path: Path) -> str:
    """The path from the root; of a file outside, the whole path, which pytest would leave out."""
    return (path.relative_to(config.rootpath) if path.is_relative_to(config.rootpath) else path).as_posix()


def wanted_cases(config: pytest.Config, path: Path) -> list[tuple[int, str]]:
    """Position and name of the cases of a file that --wpt-op, --wpt-case and --wpt-shard leave."""
    from conformance.index import cases_of
    from conformance.shards import shard_of

    text = (config.getoption("--wpt-case") or "").casefold()
    operator = config.getoption("--wpt-op")
    part = config.getoption("--wpt-shard")
    shard = shard_of(part) if part else None
    return [
        (position, case.name)
        for position, case in enumerate(cases_of(path))
        if text in case.name.casefold()
        and (not operator or operator in case.ops)
        and (shard is None or case.id in shard)
    ]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    from conformance.cases import NOT_CASES

    if file_path.suffix != ".json" or not parent.config.getoption("--wpt-target") or file_path.name in NOT_CASES:
        return None
    return CaseFile.from_parent(parent, path=file_path, nodeid=file_nodeid(parent.config, file_path))


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    return CaseFolder.from_parent(parent, path=path) if parent.config.getoption("--wpt-target") else None


class CaseFolder(pytest.Directory):
    """A folder, which is looked through once, and not once for each file in it that pytest is given."""

    _found: Sequence[pytest.Item | pytest.Collector] | None = None

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        if self._found is None:
            self._found = list(self._look())
        return self._found

    def _look(self) -> Iterable[pytest.Item | pytest.Collector]:
        for path in sorted(self.path.iterdir()):
            if self.ihook.pytest_ignore_collect(collection_path=path, config=self.config):
                continue
            if path.is_dir():
                folder = self.ihook.pytest_collect_directory(path=path, parent=self)
                yield from [folder] if folder is not None else []
            else:
                yield from self.ihook.pytest_collect_file(file_path=path, parent=self)


class CaseFile(pytest.File):
    """A file of cases."""

    def collect(self) -> Iterable[pytest.Item]:
        for position, name in wanted_cases(self.config, self.path):
            yield CaseItem.from_parent(self, name=printable(name), position=position)


class CaseItem(pytest.Item):
    """A case. It passes when its outcome is the one that its snapshot holds; without snapshots, when it is PASS."""

    def __init__(self, *, position: int, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.position = position

    @property
    def case(self) -> AnyCase:
        from conformance.index import cases_of

        return cases_of(self.path)[self.position]

    def runtest(self) -> None:
        recorder = self.config.stash.get(RECORDER, None)
        if recorder:
            recorder.start(self.nodeid)
        try:
            outcome = self._outcome()
        finally:
            if recorder:
                recorder.stop()
        if outcome.context_lost and recorder:
            recorder.say(LEAVING)
            self.config.stash[LEAVE] = True
        plain = {field.name: getattr(outcome, field.name) for field in fields(outcome)}
        self.user_properties.append((OUTCOME, json.dumps(plain)))  # xdist passes on plain types only
        problem = self._problem(outcome)
        if problem:
            raise Unexpected(encodable(problem))

    def _outcome(self) -> Outcome:
        from conformance.runner import run_case, with_fragility

        memory = self.config.getoption("--wpt-memory")
        outcome = run_case(self.case, self.config.stash[TARGET], memory)
        repeated = self.config.getoption("--wpt-accumulate") == "float32"
        return with_fragility(outcome, self.case, memory) if repeated else outcome

    def _problem(self, outcome: Outcome) -> str:
        """What is not as expected, if anything. A case that cannot be read never is."""
        from conformance.cases import BrokenCase
        from conformance.targets import snapshots_of

        mode = self.config.getoption("--wpt-snapshots")
        if isinstance(self.case, BrokenCase):
            return self.case.message
        if outcome.status == "CRASH":
            return outcome.message  # it is never as expected
        if mode == "update":
            return ""
        if mode == "off":
            return "" if outcome.line == "PASS" else outcome.message or outcome.line
        expected = _expected(self.config, self.case)
        if expected is None or expected == outcome.line:
            return ""
        accept = f"accept: make wpt-sync-{snapshots_of(self.config.getoption('--wpt-target'))} OP={self.case.file}"
        accept = accept if is_checkout() else "in a checkout it can be accepted"
        if outcome.line == "PASS":
            return f"{self.case.id}: unexpected PASS: the snapshot says {expected}\n{accept}"
        return f"{outcome.message or outcome.line}\nthe snapshot says {expected}, this run {outcome.line}; {accept}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, Unexpected):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.position, f"{self.path.stem}: {self.name}"


def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """A case has nothing to set up or to tear down, so that one report is all there is of it: pytest's own three take
    longer than most cases. What is to be said of it has been said then, and a process that has lost its device ends; a
    new one goes on with the next case."""
    if not isinstance(item, CaseItem):
        return None
    ended = (KeyboardInterrupt, pytest.exit.Exception)
    call = pytest.CallInfo.from_call(item.runtest, when="call", reraise=ended)
    item.ihook.pytest_runtest_logreport(report=pytest.TestReport.from_item_and_call(item, call))
    if item.config.stash.get(LEAVE, False):
        sys.stdout.flush()
        os._exit(1)
    return True


class Unexpected(Exception):
    """A case whose outcome is not the expected one; the message is all there is to show."""


def _expected(config: pytest.Config, case: AnyCase) -> str | None:
    from conformance.snapshots import SnapshotStore
    from conformance.targets import snapshots_of

    if STORE not in config.stash:
        config.stash[STORE] = SnapshotStore(root_of(config), snapshots_of(config.getoption("--wpt-target")))
    expected: str | None = config.stash[STORE].entries(case.file).get(case.name)
    return expected


def printable(name: str) -> str:
    """A case's name as part of a node id: one line, and valid UTF-8."""
    if name.isprintable():
        return encodable(name)
    return encodable("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name))


def encodable(text: str) -> str:
    """JSON may hold halves of surrogate pairs, which neither a terminal nor xdist takes."""
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
