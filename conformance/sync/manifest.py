"""wpt_data/manifest.json: which cases a revision of upstream has, each by a digest of its values, so that a sync can say
what is new, changed or gone. It holds names and digests, nothing of the cases themselves."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.cases import UsageError
from conformance.files import write_whole

SCHEMA = 1
DIGITS = 12
"""Of a case's SHA-256; a file's is whole."""


@dataclass(frozen=True)
class Manifest:
    """`files`: by stem, the digest of each case by name."""

    revision: str
    files: Mapping[str, Mapping[str, str]]

    @property
    def cases(self) -> int:
        return sum(len(cases) for cases in self.files.values())

    def keys(self) -> dict[tuple[str, str], str]:
        return {(stem, name): digest for stem, cases in self.files.items() for name, digest in cases.items()}


@dataclass(frozen=True)
class Difference:
    """Cases by stem and name."""

    new: list[tuple[str, str]]
    changed: list[tuple[str, str]]
    removed: list[tuple[str, str]]

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.removed)


def make_manifest(revision: str, files: Mapping[str, Iterable[Mapping[str, Any]]]) -> Manifest:
    return Manifest(revision, {stem: {test["name"]: digest(test) for test in tests} for stem, tests in files.items()})


def difference(old: Manifest | None, new: Manifest) -> Difference:
    before, after = old.keys() if old else {}, new.keys()
    changed = [key for key in after if key in before and before[key] != after[key]]
    return Difference([key for key in after if key not in before], changed, [key for key in before if key not in after])


def digest(value: Any) -> str:
    """Of values, not of how they are written: 1.0 and 1 are the same number, -0.0 and 0 are not."""
    text = json.dumps(_plain(value), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    if isinstance(value, float) and value.is_integer() and (value != 0 or math.copysign(1, value) > 0):
        return int(value)
    return value


def read_manifest(path: Path) -> Manifest | None:
    """None if there is none. UsageError if it cannot be used."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["schema"] != SCHEMA:
            raise UsageError(f"{path.name}: schema {document['schema']!r} is not {SCHEMA}")
        files = {stem: {str(n): str(d) for n, d in row["cases"].items()} for stem, row in document["files"].items()}
        return Manifest(str(document["revision"]), files)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"{path.name}: is not a manifest: {error!r}") from None


def write_manifest(path: Path, manifest: Manifest) -> None:
    """One line a case, so that a change of upstream is a small diff."""

    def row(stem: str, cases: Mapping[str, str]) -> str:
        lines = ",\n".join(f"    {_quoted(name)}: {json.dumps(cases[name])}" for name in cases)
        whole = hashlib.sha256(lines.encode()).hexdigest()
        return f'  {json.dumps(stem)}: {{"sha256": "{whole}", "count": {len(cases)}, "cases": {{\n{lines}\n  }}}}'

    head = f'"schema": {SCHEMA}, "revision": {json.dumps(manifest.revision)}, "cases": {manifest.cases}'
    rows = ",\n".join(row(stem, cases) for stem, cases in sorted(manifest.files.items()))
    write_whole(path, f'{{{head}, "files": {{\n{rows}\n}}}}\n')


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=not name.isprintable())  # halves of surrogate pairs are not
