"""Upstream's files: a folder that the caller has, or a sparse checkout of one revision."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from conformance.cases import UsageError
from conformance.sync.evaluate import Scripts

REPOSITORY = "https://github.com/web-platform-tests/wpt"
TESTS, SUFFIX = "webnn/conformance_tests", ".https.any.js"
MINIMUM = "webnn/resources/minimum_datatype_set.json"

_SCRIPT = re.compile(r"^// META: script=(?P<path>\S+)\s*$", re.MULTILINE)
_REVISION = re.compile(r"[0-9a-f]{40}")


class Checkout:
    """A folder laid out as web-platform-tests. Nothing outside of it is read, whatever its files ask for or link to."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        if not (self.root / TESTS).is_dir():
            raise UsageError(f"{root}: there is no {TESTS} in it; a checkout of web-platform-tests has that")

    def files(self) -> Iterator[tuple[str, str]]:
        """Stem and path from the root, of every test file, in order."""
        for path in sorted((self.root / TESTS).glob(f"*{SUFFIX}"), key=lambda path: path.name):
            yield path.name.removesuffix(SUFFIX), f"{TESTS}/{path.name}"

    def read(self, path: str) -> str:
        """UsageError if it is not there, is not text or lies elsewhere."""
        place = (self.root / path).resolve()
        if not place.is_relative_to(self.root):
            raise UsageError(f"{path}: lies outside of the checkout")
        try:
            return place.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{path}: cannot be read: {error}") from None

    def scripts(self, path: str) -> Scripts:
        """The scripts that a test file asks for, and the file itself."""
        text = self.read(path)
        needed = [found["path"] for found in _SCRIPT.finditer(text)]
        places = [place[1:] if place.startswith("/") else f"{Path(path).parent}/{place}" for place in needed]
        return [*((os.path.normpath(place), self.read(place)) for place in places), (path, text)]

    def revision(self) -> str | None:
        """The commit of the checkout; None where git does not know one."""
        made = _git(self.root, "rev-parse", "HEAD", check=False)
        return made.stdout.strip() if made.returncode == 0 else None


def check_out(folder: Path, revision: str, repository: str = REPOSITORY) -> Checkout:
    """webnn/ alone, at a commit or a branch, in an empty folder. UsageError with git's words."""
    _git(folder, "init", "-q")
    _git(folder, "config", "core.hooksPath", os.devnull)
    _git(folder, "sparse-checkout", "set", "--no-cone", "/webnn/")
    _git(folder, "fetch", "-q", "--depth=1", "--filter=blob:none", repository, revision)
    _git(folder, "config", "remote.origin.url", repository)
    _git(folder, "config", "remote.origin.promisor", "true")
    _git(folder, "config", "remote.origin.partialclonefilter", "blob:none")
    _git(folder, "checkout", "-q", "FETCH_HEAD")
    return Checkout(folder)


def is_revision(text: str) -> bool:
    return bool(_REVISION.fullmatch(text))


def _git(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    try:
        made = subprocess.run(
            ["git", *arguments], cwd=folder, env=environ, capture_output=True, text=True, check=False, timeout=600
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"git {arguments[0]}: {error}") from None
    if check and made.returncode:
        reason = " ".join(made.stderr.split()) or f"status {made.returncode}"
        raise UsageError(f"git {arguments[0]}: {reason}")
    return made
