"""Runs cases in a process that may end: a case a line comes in, an outcome a line goes out.

`Attempts` is the side that asks; `python -m conformance.triage.attempt` the one that runs.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from conformance.cases import Case, UsageError
from conformance.lastwords import Recorder, last_words
from conformance.runner import Cause, Outcome, Status, run_case
from conformance.schema import CaseError, check_case
from conformance.targets import TARGETS, Target

NAME = "attempt"


class Attempts:
    """Outcomes of cases on a target, by its name in TARGETS or as `module:Class`. The process that runs them is started
    when there is none, and again when a case has ended it. Used in a `with` statement."""

    def __init__(self, target: str, seconds: float = 60, memory: int = 0) -> None:
        self._arguments = [target, str(seconds), str(memory)]
        self._folder = tempfile.TemporaryDirectory(prefix="wpt-")
        self._process: subprocess.Popen[str] | None = None
        self.count = 0

    def __enter__(self) -> Attempts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._folder.cleanup()

    def outcome(self, test: Mapping[str, Any]) -> Outcome:
        """Of a case as a file has it."""
        self.count += 1
        answer = ""
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(test) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            pass
        if answer:
            fields = json.loads(answer)
            fields.update(status=Status(fields["status"]), cause=fields["cause"] and Cause(fields["cause"]))
            outcome = Outcome(**fields)
            if outcome.context_lost:
                self._end()
            return outcome
        words = last_words(Path(self._folder.name), NAME, process.wait())
        self._end()
        if not words.what:
            raise UsageError(f"the process for attempts does not start: {words.text}")
        tail = f"\nstderr ends: {words.tail}" if words.tail else ""
        return Outcome(Status.TIMEOUT if words.timed_out else Status.CRASH, None, words.text + tail)

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", __name__, self._folder.name, *self._arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._process = None


def target_of(name: str) -> Target:
    """A target by its name, or by `module:Class`."""
    module, _, attribute = name.partition(":")
    if not attribute:
        return TARGETS[name]()
    made: Target = getattr(importlib.import_module(module), attribute)()
    return made


def _main(folder: str, name: str, seconds: str, memory: str) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    recorder = Recorder(Path(folder), NAME, float(seconds))
    target = target_of(name)
    for line in sys.stdin:
        test = json.loads(line)
        recorder.start(NAME)
        outcome = _outcome(test, target, int(memory))
        recorder.stop()
        answers.write(json.dumps(asdict(outcome)) + "\n")
        answers.flush()


def _outcome(test: Mapping[str, Any], target: Target, memory: int) -> Outcome:
    try:
        check_case(test)
    except CaseError as error:
        return Outcome(Status.FAIL, Cause.GRAPH, f"not a case: {error}")
    return run_case(Case(NAME, Path(f"{NAME}.json"), 0, NAME, test["graph"], test.get("tolerance")), target, memory)


if __name__ == "__main__":
    _main(*sys.argv[1:])
