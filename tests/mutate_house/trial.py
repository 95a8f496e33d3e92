"""Mutations tried, one at a time, in a copy of the project."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.make import copy_project

FOLDERS = {"oracle": "conformance/oracle", "lowering": "trtx_backend/lowering/ops"}


@dataclass(frozen=True)
class Mutation:
    """One constant of a file changed. `file` is relative to the folder of the kind, `oracle` or `lowering`; `old` is in
    it once; `operators`: WebNN names, of which some house case must fail."""

    kind: str
    file: str
    old: str
    new: str
    operators: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"{FOLDERS[self.kind]}/{self.file}"

    def __str__(self) -> str:
        return f"{self.kind} {self.file}: {_short(self.old)} → {_short(self.new)} [{', '.join(self.operators)}]"

    def applied(self, text: str) -> str:
        """The file's text with the mutation. ValueError unless `old` is in it exactly once."""
        if text.count(self.old) != 1:
            raise ValueError(f"{self.path}: {self.old!r} is there {text.count(self.old)} times")
        return text.replace(self.old, self.new)


def _short(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True)
class Trial:
    """`failed`: of the `cases` that use the operators, how many fail, besides those that fail without the mutation.
    `ended`: how the process ended, where that was not as it should."""

    mutation: Mutation
    cases: int
    failed: int
    ended: str = ""

    @property
    def caught(self) -> bool:
        return bool(self.failed or self.ended)

    def __str__(self) -> str:
        if not self.caught:
            return f"NOT CAUGHT by {self.cases} cases: {self.mutation}"
        return f"caught by {self.ended or f'{self.failed} of {self.cases} cases'}: {self.mutation}"


class Copy:
    """A copy of the project in a folder of its own."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self.folder, self.seconds = folder, seconds
        copy_project(folder)
        shutil.copy(Path(__file__).with_name("child.py"), folder)

    def run(self, kind: str, operators: Sequence[str]) -> tuple[int, set[str], str]:
        """How many house cases use the operators, which fail, and how the process ended if not well."""
        # no bytecode: two versions of a file of the same size and second would be taken for each other
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "WPT_DATA")}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        command = [sys.executable, "child.py", kind, *operators]
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=self.seconds, check=False
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return 0, set(), f"a run of more than {self.seconds:g} s"
        if done.returncode:
            return 0, set(), f"the end of the process: {(done.stderr.strip() or str(done.returncode)).splitlines()[-1]}"
        answer = json.loads(done.stdout.splitlines()[-1])
        return answer["cases"], set(answer["failed"]), ""

    @contextmanager
    def mutated(self, mutation: Mutation) -> Iterator[None]:
        path = self.folder / mutation.path
        text = path.read_text(encoding="utf-8")
        path.write_text(mutation.applied(text), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(text, encoding="utf-8")


class Unusable(Exception):
    """Without a mutation the house cases do not run, so that nothing can be said."""


def tried(mutations: Sequence[Mutation], seconds: float = 120) -> Iterator[Trial]:
    """Each mutation's trial, in their order. Unusable where no case uses the operators, or the copy does not run as it
    is."""
    with tempfile.TemporaryDirectory(prefix="mutate-house-") as folder:
        copy = Copy(Path(folder), seconds)
        known: dict[str, set[str]] = {}
        for kind in dict.fromkeys(mutation.kind for mutation in mutations):
            names = {name for mutation in mutations if mutation.kind == kind for name in mutation.operators}
            _, known[kind], ended = copy.run(kind, sorted(names))
            if ended:
                raise Unusable(f"{kind}, without a mutation: {ended}")
        for mutation in mutations:
            with copy.mutated(mutation):
                cases, failed, ended = copy.run(mutation.kind, mutation.operators)
            if not cases and not ended:
                raise Unusable(f"no house case uses {', '.join(mutation.operators)}")
            yield Trial(mutation, cases, len(failed - known[mutation.kind]), ended)
