"""The tests of single layers with values by hand, as evidence: which layers they run, and what they notice if the results of
one are changed. Each network of each test is changed alone."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.executor import build
from tests.executor_check import mutation
from tests.executor_check.misreading import Misreading, NotRead
from tests.executor_check.modes import Kind
from tests.executor_check.work import Result, judged

ROOT = Path(__file__).parents[2]
TESTS = ("tests/executor/layers", "tests/executor/test_loops.py")
TABLES = ("mutations", "misread")
real_read, real_execute = build.read, build.execute


class Networks:
    """Stands in for `read` and `execute` of tests/executor/build.py while a test runs: records its networks, or changes one."""

    def __init__(self, changed: int = -1, mutant: mutation.Mutant | None = None, misreads: bool = False) -> None:
        self.changed, self.mutant = changed, mutant
        self.misreads = misreads or (mutant is not None and mutant.misreading is not None)
        self.misreadings: list[set[Misreading]] = []
        self.layers: list[set[Kind]] = []
        self.outputs: list[Any] = []
        self.not_read = False

    def run(self, test: Any) -> bool:
        """Whether the test passes."""
        with mutation.observed() as subject:

            def read(network: Any) -> Any:
                subject.misreads = self.misreads and self.changed in (-1, len(self.layers))
                subject.mutant, subject.layers, subject.misreadings = None, set(), set()
                self.layers.append(subject.layers)
                self.misreadings.append(subject.misreadings)
                self.outputs.append(None)
                return real_read(network)

            def execute(program: Any, feeds: Any) -> Any:
                subject.mutant = self.mutant if len(self.outputs) - 1 == self.changed else None
                try:
                    self.outputs[-1] = real_execute(program, feeds)
                except NotRead:
                    self.not_read = True
                    raise
                return self.outputs[-1]

            build.read, build.execute = read, execute  # type: ignore[assignment]
            try:
                test()
            except (Exception, pytest.fail.Exception):
                return False
            finally:
                build.read, build.execute = real_read, real_execute
        return True


class Plugin:
    """Runs each test as often as there are changes to its layers."""

    def __init__(self, mutate: bool) -> None:
        self.mutate, self.results = mutate, dict[str, Result]()

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> bool:
        given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}

        def test() -> None:
            pyfuncitem.obj(**given)

        right = Networks(misreads=self.mutate)
        if not right.run(test):
            self.results[pyfuncitem.nodeid] = Result("error", f"{pyfuncitem.nodeid} fails as it is")
            return True
        computed = [layers for layers, outputs in zip(right.layers, right.outputs, strict=True) if outputs is not None]
        result = Result("pass", layers=set().union(*computed))
        for index, layers in enumerate(right.layers if self.mutate else ()):
            if right.outputs[index] is None:  # it is meant to be refused
                continue
            for mutant in mutation.mutants(layers, right.misreadings[index]):
                outcome = _noticed(test, right.outputs[index], index, mutant)
                if outcome is not None:
                    result.add(mutant, outcome, f"{pyfuncitem.nodeid} network {index}")
        self.results[pyfuncitem.nodeid] = result
        return True


def _noticed(test: Any, right: Any, index: int, mutant: mutation.Mutant) -> int | None:
    networks = Networks(index, mutant)
    passes = networks.run(test)
    if networks.not_read:
        return None
    return judged(passes, networks.outputs[index], right)


def observe(mutate: bool, tests: tuple[str, ...] = TESTS) -> list[Result]:
    """In a process of its own, since a pytest runs in here as a rule."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "found.json"
        command = [sys.executable, "-m", "tests.executor_check.by_hand", str(out), "mutate" if mutate else "", *tests]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"the tests by hand do not pass: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return [_from_json(found) for found in json.loads(out.read_text())]


def _from_json(found: dict[str, Any]) -> Result:
    layers = {(a, b, c) for a, b, c in found["layers"]}
    tables = [{(a, b, c): list(counts) for (a, b, c), counts in found[name]} for name in TABLES]
    return Result(found["kind"], found["detail"], layers, *tables, found["missed"])


def _main(out: str, mutate: str, *tests: str) -> int:
    logging.disable()
    plugin = Plugin(bool(mutate))
    status = pytest.main(["-q", "-p", "no:syrupy", "-p", "no:cacheprovider", *tests], plugins=[plugin])
    wrong = [result.detail for result in plugin.results.values() if result.kind == "error"]
    print("\n".join(wrong))
    found = [
        {**vars(r), "layers": sorted(r.layers)} | {name: sorted(getattr(r, name).items()) for name in TABLES}
        for r in plugin.results.values()
    ]
    Path(out).write_text(json.dumps(found))
    return 1 if wrong or status else 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
