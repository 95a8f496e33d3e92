"""Verdicts of the compiler that are kept from run to run: which networks are known to compile, by key.

One file, a line a verdict, the last used first. Only a PASS is kept, and only when the whole run has ended: a process that
dies behind a case takes that case's PASS back. What the file holds that this module did not write is not there for it.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

import platformdirs

from conformance.files import write_whole
from conformance.project import is_checkout, project_root

NAME = "engine-verdicts"
HEAD = "engine verdicts 1\n"
LIMIT = 50_000
"""Lines; some 4 MB."""


def default_path(root: Path) -> Path:
    """Of a checkout, in its .cache; elsewhere, in the user's directory for caches."""
    ours = (root / "wpt_data").is_dir() and (is_checkout() or root != project_root())
    home = root / ".cache" if ours else platformdirs.user_cache_path("trtx-webnn")
    return home / NAME


class KeptVerdicts:
    """The verdicts in a file, which need not be there."""

    def __init__(self, path: Path, limit: int = LIMIT) -> None:
        self.path, self.limit = path, limit

    def keys(self) -> frozenset[str]:
        """Of the networks that are known to compile. Empty if the file cannot be used."""
        return frozenset(key for key, _ in self._read())

    def update(self, passed: Mapping[str, str], others: Iterable[str]) -> None:
        """Keep what a run came to: `passed` are the keys of networks that compiled, by case id, `others` the cases that
        ended otherwise, of which nothing stays, not even what an earlier run found. OSError, TimeoutError."""
        from syrupy.utils import exclusive_file_lock  # with it comes pytest, which takes a while

        self.path.parent.mkdir(parents=True, exist_ok=True)
        with exclusive_file_lock(self.path):
            before = self._read()
            found = dict.fromkeys((key, _digest(case)) for case, key in passed.items())
            entries = {**found, **dict.fromkeys(before)}
            gone = {_digest(case) for case in others}
            dropped = {key for key, case in entries if case in gone}
            kept = [entry for entry in entries if entry[0] not in dropped][: self.limit]
            if kept != before:
                write_whole(self.path, [HEAD, *(f"{key} {case} {_check(key, case)}\n" for key, case in kept)])

    def _read(self) -> list[tuple[str, str]]:
        """Keys and digests of the cases that they are from."""
        try:
            status = self.path.lstat()
            if not stat.S_ISREG(status.st_mode) or (hasattr(os, "geteuid") and status.st_uid != os.geteuid()):
                return []
            head, *lines = self.path.read_text(encoding="ascii", errors="replace").splitlines(keepends=True)
        except (OSError, ValueError):
            return []
        if head != HEAD:
            return []
        words = (line.removesuffix("\n").split(" ") for line in lines if line.endswith("\n"))
        return [(word[0], word[1]) for word in words if len(word) == 3 and _check(word[0], word[1]) == word[2]]


def _digest(case: str) -> str:
    return hashlib.blake2b(case.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _check(key: str, case: str) -> str:
    """Ends a line: one that was cut, changed or made up for something else does not have it."""
    return hashlib.blake2b(f"{key} {case}".encode(), digest_size=8, person=b"engine verdict").hexdigest()
