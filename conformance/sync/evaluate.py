"""Evaluates upstream's files: the parent's side. A file that ends the engine's process, or takes too long, costs itself."""

from __future__ import annotations

import json
import selectors
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MEGABYTES, SECONDS = 512, 20.0
"""What one file may take."""

QUOTES = "'\"`"

GRACE = 10.0
"""Seconds beyond the engine's own limit, after which its process is ended: limits hold where the engine's do not."""

Scripts = Sequence[tuple[str, str]]
"""Name and text, in the order of evaluation; the test file is the last one."""


@dataclass(frozen=True)
class Problem:
    """A construct that cannot be evaluated. `line` counts from 1; None where it is not known."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


@dataclass
class Evaluated:
    """Cases of a file as lines of JSON by name, what upstream's function allows those that were asked for, and what could
    not be evaluated."""

    cases: dict[str, str] = field(default_factory=dict)
    allowed: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


class Evaluator:
    """A process with a JavaScript engine; a context manager. It is started again when a file has ended it."""

    def __init__(self, megabytes: int = MEGABYTES, seconds: float = SECONDS) -> None:
        self.megabytes, self.seconds = megabytes, seconds
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def evaluate(self, scripts: Scripts, allowed: Mapping[str, Mapping[str, Sequence[int]]] | None = None) -> Evaluated:
        """The cases of a test file. `allowed`: shapes of operands by case, where upstream's tolerance is wanted."""
        name, text = scripts[-1]
        answer = self._ask({"scripts": scripts, "allowed": allowed or {}})
        if answer is None:
            return Evaluated(problems=[Problem(name, None, self._why_not())])
        if "problem" in answer:
            return Evaluated(problems=[Problem(answer["script"], answer["line"], answer["problem"])])
        result = Evaluated(allowed=answer["allowed"])
        for line, case, problem in answer["cases"]:
            if problem or case in result.cases:
                message = problem or "another case of the file has this name"
                result.problems.append(
                    Problem(name, _line_of(text, *(q + case + q for q in QUOTES)), f"{case!r}: {message}")
                )
            else:
                result.cases[case] = line
        if not answer["cases"] and (line_number := _line_of(text, "webnn_conformance_test(")):
            message = "webnn_conformance_test is called later than when the file is evaluated, or with no case"
            result.problems.append(Problem(name, line_number, message))
        return result

    def _ask(self, job: Mapping[str, Any]) -> dict[str, Any] | None:
        if self._process is None:
            command = [sys.executable, "-m", "conformance.sync.engine", str(self.megabytes), str(self.seconds)]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            if not selector.select(self.seconds * len(job["scripts"]) + GRACE):
                self._process.kill()
                return None
        answer = self._process.stdout.readline()
        return json.loads(answer) if answer else None

    def _why_not(self) -> str:
        assert self._process is not None
        try:
            status = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            status = None
        self._end()
        return f"it ended the JavaScript engine (status {status}): too much memory or time, or a fault of the engine"

    def _end(self) -> None:
        if self._process is None:
            return
        with self._process:
            self._process.kill()
        self._process = None


def _line_of(text: str, *words: str) -> int | None:
    """The line on which one of the words first stands."""
    lines: Iterator[int] = (n for n, line in enumerate(text.splitlines(), 1) if any(word in line for word in words))
    return next(lines, None)
