"""Reviewed outcomes: `snapshots/<target>/<stem>.json`, one line a case: `"name": "PASS"`, or the status with its cause.
Whoever accepts a failure says why behind it, `"FAIL(MISMATCH) # wrong upstream: …"`; an update keeps the reason for as
long as the outcome stays.

A snapshot is a syrupy extension, so that reading, writing and locking are those of a snapshot library. syrupy's own
session does not write here: under xdist it loses what a crashed worker had queued, and deletes what did not run. One
process, the one that sees the reports of all workers, is the only writer; it changes the entries of cases that ran, and
removes none. Removing is `prune`, which says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from syrupy.data import Snapshot, SnapshotCollection
from syrupy.extensions.base import AbstractSyrupyExtension
from syrupy.utils import exclusive_file_lock

from conformance.cases import HOUSE_PREFIX, BrokenCase, Corpus
from conformance.files import write_whole
from conformance.index import cases_of
from conformance.runner import Cause

REASON = " # "
"""Between an outcome and the reason for accepting it."""


OUTCOMES = re.compile(rf"PASS|FAIL\(({'|'.join(Cause)})\)|UNSUPPORTED(\(.*)?", re.DOTALL)


def outcome_of(entry: str) -> str:
    """An entry without its reason."""
    return entry.partition(REASON)[0]


class SnapshotError(Exception):
    """A snapshot file cannot be read. The message names it."""


class CaseSnapshots(AbstractSyrupyExtension):
    """A snapshot file as a sorted JSON object from case name to outcome."""

    file_extension = "json"

    def serialize(self, data: Any, **_: Any) -> str:
        return str(data)

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        collection = SnapshotCollection(location=snapshot_location)
        for name, outcome in read(Path(snapshot_location)).items():
            collection.add(Snapshot(name=name, data=outcome))
        return collection

    def read_snapshot_data_from_location(
        self, *, snapshot_location: str, snapshot_name: str, session_id: str
    ) -> str | None:
        return read(Path(snapshot_location)).get(snapshot_name)

    @classmethod
    def write_snapshot_collection(
        cls, *, snapshot_collection: SnapshotCollection, name_order: dict[str, int] | None = None
    ) -> None:
        """Add the collection's entries to the file; entries that it does not name stay."""
        path = Path(snapshot_collection.location)
        path.parent.mkdir(parents=True, exist_ok=True)
        with exclusive_file_lock(path):
            entries = read(path)
            for snapshot in snapshot_collection:
                if outcome_of(entries.get(snapshot.name, "")) != snapshot.data:
                    entries[snapshot.name] = str(snapshot.data)
            _write(path, entries)

    def delete_snapshots(self, *, snapshot_location: str, snapshot_names: set[str]) -> None:
        path = Path(snapshot_location)
        with exclusive_file_lock(path):
            _write(path, {name: outcome for name, outcome in read(path).items() if name not in snapshot_names})


class SnapshotStore:
    """The snapshots of one target."""

    def __init__(self, root: Path, target: str) -> None:
        self.directory = root / "snapshots" / target
        self._read: dict[str, Mapping[str, str]] = {}

    def path(self, stem: str) -> Path:
        return self.directory / f"{stem}.json"

    def entries(self, stem: str) -> Mapping[str, str]:
        """Outcome by case name, as the file was when first read."""
        if stem not in self._read:
            self._read[stem] = {name: outcome_of(entry) for name, entry in read(self.path(stem)).items()}
        return self._read[stem]

    def update(self, stem: str, outcomes: Mapping[str, str]) -> None:
        """Set the entries of these cases; all others stay as they are on disk."""
        collection = SnapshotCollection(location=str(self.path(stem)))
        for name, outcome in outcomes.items():
            collection.add(Snapshot(name=name, data=outcome))
        CaseSnapshots.write_snapshot_collection(snapshot_collection=collection)
        self._read.pop(stem, None)

    def prune(self, stem: str, names: Iterable[str]) -> None:
        """Remove entries, and the file with the last one."""
        CaseSnapshots().delete_snapshots(snapshot_location=str(self.path(stem)), snapshot_names=set(names))
        if not read(self.path(stem)):
            self.path(stem).unlink(missing_ok=True)
        self._read.pop(stem, None)

    def stems(self) -> list[str]:
        return sorted(path.stem for path in self.directory.glob("*.json"))


def stale_entries(store: SnapshotStore, corpus: Corpus, stems: Iterable[str]) -> dict[str, list[str]]:
    """Entries without a case, by stem. Upstream's are judged only where upstream's corpus is at hand, and those of a
    file that cannot be read not at all."""
    found = {}
    for stem in sorted(stems):
        cases = [case for path in corpus.files.get(stem, ()) for case in cases_of(path)]
        if any(isinstance(case, BrokenCase) for case in cases):
            continue
        known = {case.name for case in cases}
        judged = [name for name in store.entries(stem) if corpus.upstream or name.startswith(HOUSE_PREFIX)]
        names = [name for name in judged if name not in known]
        if names:
            found[stem] = names
    return found


def read(path: Path) -> dict[str, str]:
    """The entries of a file, none if there is no file. SnapshotError if it is not a snapshot file."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    return entries_of(text, path.name)


def entries_of(text: str, name: str) -> dict[str, str]:
    """The entries in the text of the file of that name. SnapshotError if there are none to be had."""
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as error:
        raise SnapshotError(f"snapshot {name} is not JSON (line {error.lineno}): {error.msg}") from None
    if not isinstance(entries, dict) or not all(isinstance(outcome, str) for outcome in entries.values()):
        raise SnapshotError(f"snapshot {name} must be an object from case names to outcomes")
    for case, entry in entries.items():
        if not OUTCOMES.fullmatch(outcome_of(entry)):
            raise SnapshotError(f"snapshot {name}: {case}: {entry!r} is no outcome, like PASS or FAIL(MISMATCH)")
    return entries


def _write(path: Path, entries: Mapping[str, str]) -> None:
    lines = ",\n".join(f"  {_quoted(name)}: {_quoted(entry)}" for name, entry in sorted(entries.items()))
    write_whole(path, f"{{\n{lines}\n}}\n" if entries else "{}\n")


def _quoted(text: str) -> str:
    """As it reads; half of a surrogate pair, which a JSON file can hold and a UTF-8 file cannot, as its escape."""
    return json.dumps(text, ensure_ascii=any("\ud800" <= character <= "\udfff" for character in text))
