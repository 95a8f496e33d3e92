"""Renders the page from the reports."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from conformance.cases import HOUSE_PREFIX, Corpus
from conformance.report.dashboard.cases import CaseView, all_rows, compare_peer, grouped, reasons, views
from conformance.report.dashboard.changes import KINDS, Comparison
from conformance.report.dashboard.charts import Bar, distances, histogram, shares, timeline
from conformance.report.dashboard.columns import LETTERS, QUESTIONS, Column, columns_of, worst
from conformance.report.dashboard.grid import Line, data_types, grid, tally
from conformance.report.dashboard.history import History
from conformance.report.json import Report, Row
from conformance.report.text import one_line, visible

TEMPLATES = Path(__file__).parent / "templates"
UPSTREAM = "https://github.com/web-platform-tests/wpt/blob/{revision}/webnn/conformance_tests/{file}.https.any.js"


@dataclass(frozen=True)
class Content:
    """What the page is made of."""

    reports: Sequence[Report]
    corpus: Corpus
    peers: Sequence[Column] = ()
    comparisons: Sequence[Comparison] = ()
    history: History | None = None
    notes: Sequence[str] = field(default_factory=list)


def render(content: Content) -> str:
    """The page, as HTML in ASCII and UTF-8 that any reader takes."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else one_line(str(value)),
    )
    environment.filters.update(text=_text, separate=_separate, day=lambda text: text[:16].replace("T", " "))
    return environment.get_template("page.html.jinja").render(_context(content))


def _text(value: str) -> Markup:
    """Of several lines; everything else on the page is one."""
    return escape(visible(value))


def _separate(names: Iterable[str]) -> Markup:
    """Names in an attribute, with what none of them can hold between them."""
    return Markup("&#10;").join(one_line(name) for name in names)


def _context(content: Content) -> dict[str, Any]:
    columns = [*columns_of(content.reports), *content.peers]
    rows = all_rows(columns)
    cases = views(rows, columns, content.corpus)
    groups = grouped(cases)
    script = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    return {
        "style": Markup((TEMPLATES / "page.css").read_text(encoding="utf-8")),
        "script": Markup(script),
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "content": content,
        "columns": columns,
        "live": [position for position, column in enumerate(columns) if not column.empty],
        "letters": LETTERS,
        "questions": QUESTIONS,
        "steps": [(column, _letter_counts(column)) for column in columns],
        "gpu": any(column.step == "gpu" and not column.empty for column in columns),
        "grid": grid(rows, columns),
        "data_types": data_types(rows),
        "cases": cases,
        "bad": [case for case in cases if not case.passed],
        "reasons": reasons(cases),
        "groups": groups,
        "group_tallies": {n: [tally((c.row.key for c in g), column) for column in columns] for n, g in groups.items()},
        "group_ids": {name: f"g{number}" for number, name in enumerate(groups)},
        "case_ids": {case.row.key: f"c{case.number}" for case in cases},
        "sources": {name: _sources(found, content.reports) for name, found in groups.items()},
        "histograms": list(_histograms(columns)),
        "kinds": KINDS,
        "peers": [(peer, compare_peer(ours, peer)) for peer in content.peers if (ours := _numbers(columns))],
        "ours": _numbers(columns),
        "timeline": timeline,
        "worst": worst,
        "tip": _tip,
    }


def _letter_counts(column: Column) -> dict[str, int]:
    values = list(column.letters.values())
    return {letter: values.count(letter) for letter in LETTERS if letter in values}


def _numbers(columns: Sequence[Column]) -> Column | None:
    """The column whose numbers are compared with other implementations': the GPU's or else the executor's."""
    for step in ("gpu", "cpu"):
        for column in columns:
            if column.step == step and not column.empty:
                return column
    return None


def _histograms(columns: Sequence[Column]) -> Iterator[dict[str, Any]]:
    """Of every column with numbers, by type."""
    for column in columns:
        by_type: dict[str, list[Row]] = {}
        for row in column.rows.values():
            if row.worst is not None:
                by_type.setdefault(arithmetic(row), []).append(row)
        for name, rows in sorted(by_type.items()):
            for title, bars in (("worst distance in ULP", distances(rows)), ("share of the limit", shares(rows))):
                if any(bar.passed + bar.other for bar in bars):
                    yield _histogram(f"{column.title}, {name}: {title}", bars)


def arithmetic(row: Row) -> str:
    """The first floating-point type that a case names: its rounding is what distances come from."""
    return next((name for name in row.dtypes if name.startswith("float")), "integers")


def _histogram(title: str, bars: Sequence[Bar]) -> dict[str, Any]:
    return {"title": title, "drawing": histogram(bars, title), "bars": bars}


def _sources(cases: Sequence[CaseView], reports: Sequence[Report]) -> list[tuple[str, str]]:
    """File and address of the upstream files that a group's cases come from."""
    revision = next((report.revision for report in reports if report.revision), None)
    files = dict.fromkeys(case.row.file for case in cases if not case.row.name.startswith(HOUSE_PREFIX))
    if revision is None:
        return []
    return [(file, UPSTREAM.format(revision=quote(revision), file=quote(file, errors="replace"))) for file in files]


def _tip(line: Line, dtype: str, columns: Sequence[Column]) -> str:
    tallies = zip(columns, line.cells[dtype], strict=True)
    told = [f"{column.title} {tally.text} {LETTERS[tally.letter]}" for column, tally in tallies if tally.total]
    return f"{line.operator} {dtype}: {'; '.join(told)}"
