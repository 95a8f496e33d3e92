"""Reads a JSON report, or the journal of a run that did not end. Strict: what a report says is believed by whoever reads
it, so one that is damaged, or does not add up, is an error that names the file, the case and the field.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.cases import UsageError
from conformance.report.json import INFINITE, VERSION, Report, Row, journal_of
from conformance.runner import Cause, Status

TEXT, NUMBER, TRUTH, OBJECT, LIST = "text", "a number, 0 or greater", "true or false", "an object", "a list"
TEXTS, DISTANCE = "a list of texts", f'a number, 0 or greater, or "{INFINITE}"'

HEAD: Mapping[str, tuple[str, bool]] = {
    "schema": (NUMBER, False),
    "target": (TEXT, False),
    "started": (TEXT, False),
    "seconds": (NUMBER, False),
    "versions": (OBJECT, False),
    "device": (TEXT, True),
    "corpus": (OBJECT, False),
}
"""Field to its kind, and whether it may be null."""

CORPUS: Mapping[str, tuple[str, bool]] = {"revision": (TEXT, True), "cases": (NUMBER, False)}

CASE: Mapping[str, tuple[str, bool]] = {
    "file": (TEXT, False),
    "name": (TEXT, False),
    "ops": (TEXTS, False),
    "dtypes": (TEXTS, False),
    "required": (TRUTH, False),
    "status": (TEXT, False),
    "cause": (TEXT, True),
    "message": (TEXT, False),
    "metric": (TEXT, True),
    "allowed": (NUMBER, True),
    "worst": (DISTANCE, True),
    "ms": (NUMBER, False),
}

WHOLE_FILE = "(the file)"
"""Name of the case that stands for a file that cannot be read; there may be two of them by that file name."""


class ReportError(UsageError):
    """A report cannot be used. The message is one line."""


def read_report(path: Path) -> Report:
    """The report in a file. ReportError if it cannot be read, is not of this version, or contradicts itself. Fields
    that version 1 does not know are left alone."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        journal = journal_of(path)
        hint = f"; its run did not end, but left {journal.name}, which can be read too" if journal.is_file() else ""
        raise ReportError(f"{path}: there is no such file{hint}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ReportError(f"{path}: cannot be read: {error}") from None
    try:
        return _report(*_parts(text))
    except _Wrong as error:
        raise ReportError(f"{path}: {error}") from None


class _Wrong(Exception):
    pass


def _parts(text: str) -> tuple[dict[str, Any], list[Any]]:
    """Head and rows of a report or of a journal."""
    lines = text.split("\n")
    first = _parsed_or_none(lines[0])
    if isinstance(first, dict) and "planned" in first:
        return first, list(_journal_rows(lines[1:]))
    try:
        document = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise _Wrong(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise _Wrong(f"not JSON: {error}") from None
    if not isinstance(document, dict):
        raise _Wrong("a report must be an object")
    _check("", document, {"cases": (LIST, False), "summary": (OBJECT, False)})
    rows = document["cases"]
    statuses = [row.get("status") for row in rows if isinstance(row, dict)]
    for status, count in {"cases": len(rows), **{str(s): statuses.count(str(s)) for s in Status}}.items():
        if document["summary"].get(status) != count:
            said = document["summary"].get(status)
            raise _Wrong(f'summary "{status}" is {said!r}, but there are {count} in "cases"')
    return document, rows


def _journal_rows(lines: list[str]) -> Iterator[Any]:
    """All but the line that was being written when the run was killed."""
    for position, line in enumerate(lines):
        row = _parsed_or_none(line)
        if row is None:
            if any(line.strip() for line in lines[position + 1 :]):
                raise _Wrong(f"line {position + 2} of the journal is damaged")
            return
        yield row


def _parsed_or_none(line: str) -> Any:
    try:
        return json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _report(head: Mapping[str, Any], rows: list[Any]) -> Report:
    version = head.get("schema")
    if version != VERSION:
        raise _Wrong(f'"schema" is {version!r}; this reads version {VERSION}')
    _check("", head, HEAD)
    _check("corpus ", head["corpus"], CORPUS)
    if "shard" in head:
        _check("", head, {"shard": (TEXT, False)})
    if not all(isinstance(value, str) for value in head["versions"].values()):
        raise _Wrong('"versions" must be an object of texts')
    read = tuple(_row(position, row) for position, row in enumerate(rows))
    seen = set()
    for row in read:
        if row.key in seen and row.name != WHOLE_FILE:
            raise _Wrong(f"case {row.file!r} {row.name!r} is there twice")
        seen.add(row.key)
    return Report(
        target=head["target"],
        device=head["device"] or "",
        started=head["started"],
        seconds=head["seconds"],
        versions=head["versions"],
        revision=head["corpus"]["revision"],
        known=head["corpus"]["cases"],
        rows=read,
        planned=head.get("planned"),
        shard=head.get("shard"),
    )


def _row(position: int, row: Any) -> Row:
    where = f"cases[{position}] "
    if not isinstance(row, dict):
        raise _Wrong(f"{where}must be an object")
    _check(where, row, CASE)
    where = f"cases[{position}] ({row['file']}: {row['name']}) "
    if row["status"] not in tuple(Status):
        raise _Wrong(f'{where}"status": there is no status {row["status"]!r}')
    if row["cause"] is not None and row["cause"] not in tuple(Cause):
        raise _Wrong(f'{where}"cause": there is no cause {row["cause"]!r}')
    values = {key: row[key] for key in CASE}
    values.update(ops=tuple(row["ops"]), dtypes=tuple(row["dtypes"]))
    values["worst"] = math.inf if row["worst"] == INFINITE else row["worst"]
    return Row(**values, fragile=row.get("fragile"), kept=row.get("kept"))


def _check(where: str, value: Mapping[str, Any], kinds: Mapping[str, tuple[str, bool]]) -> None:
    for key, (kind, nullable) in kinds.items():
        if key not in value:
            raise _Wrong(f'{where}has no "{key}"')
        if not (nullable and value[key] is None) and not _is(value[key], kind):
            raise _Wrong(f'{where}"{key}" must be {kind}{" or null" if nullable else ""}, not {_short(value[key])}')


def _is(value: Any, kind: str) -> bool:
    if kind == TEXTS:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if kind in (NUMBER, DISTANCE):
        number = type(value) in (int, float) and 0 <= value < math.inf
        return number or (kind == DISTANCE and value == INFINITE)
    return isinstance(value, {TEXT: str, TRUTH: bool, OBJECT: dict, LIST: list}[kind])


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
