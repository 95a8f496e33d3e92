"""Histograms and the history as SVG. Each is shown with its numbers as text too."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from conformance.report.dashboard.history import Run
from conformance.report.json import Row

HEIGHT, BAR, AXIS = 110, 46, 34


@dataclass(frozen=True)
class Bar:
    label: str
    passed: int
    other: int


ULPS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 1024, 2**20)
"""Upper ends of the bars of a histogram of distances."""

SHARES = (0, 0.1, 0.25, 0.5, 0.75, 0.99999, 1)
"""Upper ends of the bars of a histogram of how much of the allowed distance is used."""


def distances(rows: Iterable[Row]) -> list[Bar]:
    """Cases by their worst distance in ULP."""
    labels = [*(str(end) if end < 3 else f"–{end}" if end < 2**20 else "–2²⁰" for end in ULPS), "more"]
    rows = (row for row in rows if row.metric == "ULP" and row.worst is not None)
    return _bars(rows, lambda row: row.worst or 0, ULPS, labels)


def shares(rows: Iterable[Row]) -> list[Bar]:
    """Cases by the part of the allowed distance that they use, of those to which some is allowed."""
    labels = ["exact", "–10 %", "–25 %", "–50 %", "–75 %", "–99 %", "100 %", "over"]
    rows = (row for row in rows if row.worst is not None and row.allowed)
    return _bars(rows, lambda row: (row.worst or 0) / (row.allowed or 1), SHARES, labels)


def _bars(
    rows: Iterable[Row], value: Callable[[Row], float], ends: Sequence[float], labels: Sequence[str]
) -> list[Bar]:
    passed, other = [0] * len(labels), [0] * len(labels)
    for row in rows:
        place = next((position for position, end in enumerate(ends) if value(row) <= end), len(ends))
        (passed if row.status == "PASS" else other)[place] += 1
    return [Bar(*bar) for bar in zip(labels, passed, other, strict=True)]


def histogram(bars: Sequence[Bar], title: str) -> Markup:
    """Heights grow with the square root of the number, so that a few cases beside thousands are seen."""
    top = math.sqrt(max((bar.passed + bar.other for bar in bars), default=0) or 1)
    width = len(bars) * BAR
    said = ", ".join(f"{bar.label}: {bar.passed + bar.other}" for bar in bars)
    parts = [
        Markup('<svg class="h" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}">').format(
            width, HEIGHT + AXIS, f"{title}: {said}"
        )
    ]
    for position, bar in enumerate(bars):
        x, total = position * BAR + 4, bar.passed + bar.other
        full = math.sqrt(total) / top * (HEIGHT - 16)
        bad = full * bar.other / total if total else 0
        y = HEIGHT - full
        parts += [
            Markup('<rect class="p" x="{}" y="{:.1f}" width="{}" height="{:.1f}"/>').format(
                x, y + bad, BAR - 8, full - bad
            ),
            Markup('<rect class="f" x="{}" y="{:.1f}" width="{}" height="{:.1f}"/>').format(x, y, BAR - 8, bad),
            Markup('<text x="{}" y="{:.1f}">{}</text>').format(x + BAR / 2 - 4, y - 4, total or ""),
            Markup('<text x="{}" y="{}">{}</text>').format(x + BAR / 2 - 4, HEIGHT + 14, bar.label),
        ]
    return Markup("").join([*parts, Markup('<path d="M0 {0}H{1}"/></svg>').format(HEIGHT, width)])


def timeline(runs: Sequence[Run]) -> Markup:
    """Cases that do not pass, run by run, as bars from zero, and the share that passes above each."""
    shown = runs[-24:]
    bars = [Bar(_day(run), 0, len(run.report.rows) - run.report.counts["PASS"]) for run in shown]
    return histogram(bars, "cases that do not pass, by run")


def _day(run: Run) -> str:
    return run.report.started[5:10]
