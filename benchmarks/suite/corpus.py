"""The whole corpus on `cpu`: how long a run takes, and what its processor time goes into."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from benchmarks.suite.rows import ROOT, Row, command, least

AIM = 5.0
STAGES = (
    ("graphs", "conformance.runner.build"),
    ("inputs", "conformance.runner.inputs_of"),
    ("lowering", "trtx_backend.runtime.cpu.lower"),
    ("reading the network", "trtx_backend.runtime.cpu.read"),
    ("executor", "trtx_backend.runtime.cpu.execute"),
    ("comparison", "conformance.runner._compared"),
)
"""What a case goes through, and the function that does it."""


def run_of(target: str, shard: str, *more: str) -> list[str]:
    """The words of a run with two workers."""
    part = [] if shard == "1/1" else [f"--shard={shard}"]
    return ["-m", "conformance", "run", f"--target={target}", "-n2", *part, *more]


def measure(rounds: int, shard: str) -> Iterator[Row]:
    command(*run_of("cpu", shard))
    run = least(lambda: command(*run_of("cpu", shard)), rounds)
    yield Row("corpus", "a run on cpu, two workers, warm", run.wall, "s", run.cpu, aim=AIM)
    words = [sys.executable, "-m", "benchmarks.suite.corpus", shard]
    stages = json.loads(subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    for name, seconds in stages.items():
        yield Row("corpus", f"… of it {name}", seconds, "s", seconds, "the processor time", seconds / run.cpu)
    rest = max(run.cpu - sum(stages.values()), 0)
    name = "… the rest: processes that start, pytest, xdist"
    yield Row("corpus", name, rest, "s", rest, "the processor time", rest / run.cpu)


def stages(shard: str) -> dict[str, float]:
    """Processor seconds by stage of running all cases in this process."""
    from conformance.cases import find_corpus, load
    from conformance.report.json import Row as Line
    from conformance.runner import run_case
    from conformance.shards import shard_of
    from conformance.targets import Cpu

    seconds: Counter[str] = Counter()
    part = shard_of(shard)
    with _clock(seconds, "collection"):
        paths = [path for paths in find_corpus(None, ROOT).files.values() for path in paths]
        cases = [case for path in paths for case in load(path) if case.id in part]
    run_case(cases[0], Cpu())  # what is loaded when it is first needed is not of this case
    with ExitStack() as stack:
        for name, function in STAGES:
            module, _, attribute = function.rpartition(".")
            original = getattr(sys.modules[module], attribute)
            stack.enter_context(patch(function, _clocked(seconds, name, original)))
        with _clock(seconds, "all"):
            outcomes = [run_case(case, Cpu()) for case in cases]
    seconds["the runner itself"] = seconds.pop("all") - sum(seconds[name] for name, _ in STAGES)
    with _clock(seconds, "reporting"):
        for case, outcome in zip(cases, outcomes, strict=True):
            row = Line(case.file, case.name, case.ops, case.dtypes, False, str(outcome.status), ms=outcome.ms)
            json.dumps(row.to_json())
    return dict(seconds)


def _clocked(seconds: Counter[str], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def clocked(*arguments: Any, **options: Any) -> Any:
        with _clock(seconds, name):
            return function(*arguments, **options)

    return clocked


@contextmanager
def _clock(seconds: Counter[str], name: str) -> Iterator[None]:
    started = time.process_time()
    try:
        yield
    finally:
        seconds[name] += time.process_time() - started  # type: ignore[assignment]


if __name__ == "__main__":
    print(json.dumps(stages(sys.argv[1])))
