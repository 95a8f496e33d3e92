"""What the README shows works."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.conformance.make import ROOT


def test_the_python_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"{4.0 * 3 * (6 * 3 + 2 * 2) ** 2}\n"  # channels, and windows that padding cuts at both ends


def test_make_help_lists_every_target() -> None:
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    listed = set(re.findall(r"^  make ([a-z-]+) ", done.stdout, re.MULTILINE))
    assert listed == targets
    assert {"test-wpt-op", "test", "wpt-sync-cpu", "snapshots-prune"} <= listed


def test_make_says_what_is_missing() -> None:
    done = subprocess.run(["make", "test-wpt-op"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "which operator? for example: make test-wpt-op OP=conv2d" in done.stderr
