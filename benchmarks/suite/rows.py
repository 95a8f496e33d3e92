"""What is measured, as rows: for JSON, and as a table to read."""

from __future__ import annotations

import math
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Row:
    """One figure. `cpu`: processor seconds where `value` is wall time. `against` and `ratio`: what it was compared with in
    the same run, and how many times that it is; `aim`: the greatest ratio that is wanted, or value where there is none."""

    section: str
    name: str
    value: float
    unit: str
    cpu: float | None = None
    against: str | None = None
    ratio: float | None = None
    aim: float | None = None

    @property
    def met(self) -> bool | None:
        return None if self.aim is None else (self.value if self.ratio is None else self.ratio) <= self.aim

    def to_json(self) -> dict[str, Any]:
        numbers = {"value": self.value, "cpu": self.cpu, "ratio": self.ratio}
        rounded = {name: None if number is None else significant(number) for name, number in numbers.items()}
        return {**asdict(self), **rounded, "met": self.met}


def significant(number: float, digits: int = 4) -> float:
    return 0.0 if number == 0 else round(number, digits - 1 - math.floor(math.log10(abs(number))))


def table(rows: Sequence[Row]) -> list[str]:
    """Markdown, with columns of equal width."""
    head = ["", "what", "figure", "processor", "times", "aim", ""]
    cells = [head, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    lines = ["| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in cells]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]


def _cells(row: Row) -> list[str]:
    times = "" if row.ratio is None else f"{row.ratio:.2f} of {row.against}"
    met = {None: "", True: "met", False: "not met"}[row.met]
    figure = f"{significant(row.value, 3):g} {row.unit}"
    aim = "" if row.aim is None else f"≤ {row.aim:g}"
    return [row.section, row.name, figure, "" if row.cpu is None else f"{row.cpu:.1f} s", times, aim, met]


@dataclass(frozen=True)
class Cost:
    """Seconds."""

    wall: float
    cpu: float


def cost_of(function: Callable[[], Any]) -> Cost:
    """Of a call in this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    function()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def least(function: Callable[[], Cost], rounds: int) -> Cost:
    """The least wall time and the least processor time of several rounds."""
    costs = [function() for _ in range(rounds)]
    return Cost(min(cost.wall for cost in costs), min(cost.cpu for cost in costs))


def in_turns(rounds: int, functions: Mapping[str, Callable[[], Any]]) -> tuple[dict[str, Cost], dict[str, list[Cost]]]:
    """The least cost of each of several calls that take turns, and all costs: what else the machine does meets all."""
    costs: dict[str, list[Cost]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            costs[name].append(cost_of(function))
    best = {name: Cost(min(c.wall for c in each), min(c.cpu for c in each)) for name, each in costs.items()}
    return best, costs


def median_ratio(these: Sequence[Cost], those: Sequence[Cost]) -> float:
    """Of processor time, round by round."""
    return statistics.median(a.cpu / b.cpu for a, b in zip(these, those, strict=True))


def command(*words: str, environ: dict[str, str] | None = None) -> Cost:
    """The cost of a Python command with all its processes. RuntimeError with its output if it fails."""
    before, started = _children(), time.perf_counter()
    made = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, **(environ or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    cost = Cost(time.perf_counter() - started, _children() - before)
    if made.returncode:
        raise RuntimeError(f"{' '.join(words)}: status {made.returncode}\n{made.stdout[-2000:]}{made.stderr[-2000:]}")
    return cost


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
