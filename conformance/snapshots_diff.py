"""What changed in the snapshots since a revision, operator by operator, for whoever reviews the change.

The old side comes out of git, the new one from the working tree, so that it is of use before a commit as well.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path

from conformance.cases import Corpus, UsageError
from conformance.plugin import printable
from conformance.snapshots import SnapshotStore, entries_of, outcome_of, read, stale_entries

FOLDER = "snapshots"


class Kind(StrEnum):
    """What became of an entry, worst first."""

    LOST = "lost"
    CHANGED = "cause changed"
    FIXED = "fixed"
    REASON = "new reason"
    NEW = "new"
    REMOVED = "removed"
    STALE = "stale"


@dataclass(frozen=True)
class Difference:
    """Of one case. `stem` is its file, `old` and `new` whole entries, with their reasons; None where there is none."""

    target: str
    stem: str
    name: str
    kind: Kind
    old: str | None
    new: str | None

    @property
    def line(self) -> str:
        was = f" (was {self.old})" if self.old is not None and self.old != self.new else ""
        return f"{self.stem}: {printable(self.name)}: {self.new or 'no entry'}{was}"


def differences(root: Path, base: str, corpus: Corpus) -> list[Difference]:
    """Between the snapshots at a revision and those in the working tree, and the entries that have no case now.
    UsageError if there is no git repository or no such revision, SnapshotError for a file that is not a snapshot."""
    old, new = _at(root, base), _now(root)
    found = []
    for target, stem in sorted(old.keys() | new.keys()):
        before, after = old.get((target, stem), {}), new.get((target, stem), {})
        for name in sorted(before.keys() | after.keys()):
            kind = _kind(before.get(name), after.get(name))
            if kind:
                found.append(Difference(target, stem, name, kind, before.get(name), after.get(name)))
    for target in sorted({target for target, _ in new}):
        store = SnapshotStore(root, target)
        for stem, names in stale_entries(store, corpus, store.stems()).items():
            entries = new[target, stem]
            found += [Difference(target, stem, name, Kind.STALE, entries[name], entries[name]) for name in names]
    return found


def _kind(old: str | None, new: str | None) -> Kind | None:
    if old == new:
        return None
    if old is None or new is None:
        return Kind.NEW if old is None else Kind.REMOVED
    before, after = outcome_of(old), outcome_of(new)
    if before == after:
        return Kind.REASON
    if before == "PASS":
        return Kind.LOST
    return Kind.FIXED if after == "PASS" else Kind.CHANGED


Snapshots = Mapping[tuple[str, str], Mapping[str, str]]
"""Entries by target and stem."""


def _now(root: Path) -> Snapshots:
    return {(path.parent.name, path.stem): read(path) for path in sorted(root.glob(f"{FOLDER}/*/*.json"))}


def _at(root: Path, base: str) -> Snapshots:
    if _git(root, "rev-parse", "--is-inside-work-tree") is None:
        raise UsageError(f"{root}: is not in a git repository, so there is nothing to compare with")
    commit = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}")
    if commit is None:
        raise UsageError(f"--base {base}: git knows no such revision here")
    revision = commit.decode().strip()
    listed = (_git(root, "ls-tree", "-r", "-z", "--name-only", revision, "--", f"{FOLDER}/") or b"").decode()
    paths = [Path(name) for name in listed.split("\0") if name.count("/") == 2 and name.endswith(".json")]
    contents = _blobs(root, [f"{revision}:./{path.as_posix()}" for path in paths])
    return {
        (path.parent.name, path.stem): entries_of(text, f"{path.as_posix()} at {base}")
        for path, text in zip(paths, contents, strict=True)
    }


def _blobs(root: Path, names: Sequence[str]) -> Iterator[str]:
    """The contents of these files, from one process: there are hundreds."""
    output = _git(root, "cat-file", "--batch", given="".join(f"{name}\n" for name in names)) or b""
    at = 0
    for _ in names:
        end = output.index(b"\n", at)
        size = int(output[at:end].rsplit(b" ", 1)[1])
        yield output[end + 1 : end + 1 + size].decode("utf-8")
        at = end + 1 + size + 1


def _git(root: Path, *arguments: str, given: str = "") -> bytes | None:
    """What git prints, or None if it says no."""
    command = ["git", "-C", str(root), *arguments]
    try:
        made = subprocess.run(command, input=given.encode(), capture_output=True, check=False)
    except OSError as error:
        raise UsageError(f"git cannot be run: {error.strerror}") from None
    return made.stdout if made.returncode == 0 else None


# Showing --------------------------------------------------------------------------------------------------------------

COLUMNS = tuple(Kind)


def as_text(found: Sequence[Difference], base: str, note: str = "") -> str:
    """A table an operator, then every difference but the new passes, which are only counted."""
    lines = [_headline(found, base), *([note] if note else [])]
    for target, group in _by_target(found):
        rows = [("", *COLUMNS), *_table(group)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines += ["", target]
        for name, *cells in rows:
            right = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
            lines.append(f"  {name.ljust(widths[0])}  {right}")
        lines += [f"  {d.kind.upper()} {d.line}" for d in _listed(group)]
    return "\n".join(lines) + "\n"


def as_markdown(found: Sequence[Difference], base: str, note: str = "") -> str:
    """The same for a pull request."""
    lines = [f"### {_escaped(_headline(found, base))}", *(["", _escaped(note)] if note else [])]
    for target, group in _by_target(found):
        lines += ["", f"**{_escaped(target)}**", "", f"| operator | {' | '.join(COLUMNS)} |"]
        lines.append("|---|" + "---:|" * len(COLUMNS))
        lines += [f"| {' | '.join(map(_escaped, row))} |" for row in _table(group)]
        listed = _listed(group)
        if listed:
            opened = " open" if any(d.kind is Kind.LOST for d in listed) else ""
            lines += ["", f"<details{opened}><summary>{len(listed)} entries</summary>", ""]
            lines += [f"- **{d.kind}** {_escaped(d.line)}" for d in listed]
            lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def _headline(found: Sequence[Difference], base: str) -> str:
    counts = Counter(difference.kind for difference in found)
    what = ", ".join(f"{counts[kind]} {kind}" for kind in COLUMNS if counts[kind]) or "no difference"
    return f"Snapshots against {base}: {what}"


def _by_target(found: Iterable[Difference]) -> Iterator[tuple[str, list[Difference]]]:
    for target, group in groupby(sorted(found, key=lambda d: (d.target, d.stem)), lambda d: d.target):
        yield target, list(group)


def _table(group: Sequence[Difference]) -> list[tuple[str, ...]]:
    counts: dict[str, Counter[Kind]] = {}
    for difference in group:
        counts.setdefault(difference.stem, Counter())[difference.kind] += 1
    if len(counts) > 1:
        counts["total"] = sum(counts.values(), Counter())
    return [(stem, *(str(count[kind] or "·") for kind in COLUMNS)) for stem, count in counts.items()]


def _listed(group: Sequence[Difference]) -> list[Difference]:
    order = {kind: position for position, kind in enumerate(COLUMNS)}
    shown = [d for d in group if not (d.kind is Kind.NEW and d.new == "PASS")]
    return sorted(shown, key=lambda d: (order[d.kind], d.stem, d.name))


def _escaped(text: str) -> str:
    """Names and reasons are data: none of it may become markup."""
    entities = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{character}" if character in "\\`*_{}[]()#|!~@" else character for character in entities)
