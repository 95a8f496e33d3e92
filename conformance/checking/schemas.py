"""The JSON schemas that this project publishes: of a corpus's files and of a run's report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

SCHEMAS = ("corpus", "report")


def schema_text(name: str) -> str:
    """The schema of a corpus's files or of a report, as it is published."""
    return (files("conformance") / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")


def problems(name: str, document: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Where a document is not of the form, as the path from its root, and what is wrong there, in one line."""
    from jsonschema.exceptions import best_match

    for error in _validator(name).iter_errors(document):
        deepest = best_match([error])
        yield tuple(deepest.absolute_path), _shortened(deepest.message)


@cache
def _validator(name: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema_text(name)))


def _shortened(message: str) -> str:
    """A message begins with the value at fault, which may be a whole file."""
    line = " ".join(message.split())
    return line if len(line) <= 200 else f"{line[:80]} … {line[-110:]}"
