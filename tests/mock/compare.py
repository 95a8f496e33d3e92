"""The mock of TensorRT against TensorRT itself: `python -m tests.mock.compare`, or `make test-mock`.

Two processes print what they say of every case of the corpus and of single layers; a third runs every case on the mock,
and its outcomes are compared with the snapshots of `cpu`. Exit status 1 where anything differs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.conformance.make import ROOT

SHOWN = 5


def said(flavor: str, *arguments: str) -> subprocess.Popen[str]:
    """A process that prints what a flavor says."""
    environment = {**os.environ, "TRTX_FLAVOR": flavor}
    command = [sys.executable, "-m", "tests.mock.dump", *arguments]
    return subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def both(*arguments: str) -> tuple[dict[str, Any], list[str]]:
    """What TensorRT says, by name, and what the mock says otherwise, a line each."""
    processes = [said(flavor, *arguments) for flavor in ("rtx", "mock")]
    answers = []
    for process in processes:
        text, _ = process.communicate()
        if process.returncode:
            raise RuntimeError(f"{process.args} ended with status {process.returncode}")
        pairs = [json.loads(line) for line in text.splitlines()]
        answers.append(dict(pairs))
        if len(answers[-1]) != len(pairs):
            raise RuntimeError("two answers have one name")
    real, mocked = answers
    names = [*real, *(name for name in mocked if name not in real)]
    differ = [
        f"{name}: {_difference(real.get(name), mocked.get(name))}"
        for name in names
        if real.get(name) != mocked.get(name)
    ]
    return real, differ


def _difference(real: Any, mocked: Any) -> str:
    if isinstance(real, dict) and isinstance(mocked, dict) and "layers" in real:
        pairs = list(zip(real["layers"], mocked["layers"], strict=False))
        real, mocked = next((pair for pair in pairs if pair[0] != pair[1]), (real.keys(), mocked.keys()))
    return f"TensorRT {str(real)[:300]}, the mock {str(mocked)[:300]}"


def outcomes() -> tuple[int, list[str]]:
    """How many cases were run on the mock, and which ended otherwise than on `cpu`."""
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "report.json"
        command = [sys.executable, "-m", "conformance", "run", "--target=mock", "--no-snapshots", f"--report={report}"]
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
        cases = json.loads(report.read_text(encoding="utf-8"))["cases"]
    differ = []
    for case in cases:
        line = f"{case['status']}({case['cause']})" if case["cause"] else case["status"]
        expected = _snapshot(case["file"]).get(case["name"], "").partition(" #")[0]
        if line != expected:
            differ.append(f"{case['file']}: {case['name']}: {line} on the mock, {expected or 'nothing'} on cpu")
    return len(cases), differ


def _snapshot(stem: str) -> dict[str, str]:
    path = ROOT / "snapshots" / "cpu" / f"{stem}.json"
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def main() -> int:
    failed = False
    for what in ("probes", "cases"):
        real, differ = both(what)
        print(f"{what}: {len(real)}, {len(differ)} differ")
        failed |= _show(differ) or not real
    count, differ = outcomes()
    print(f"cases run on the mock: {count}, {len(differ)} end otherwise than on cpu")
    return int(_show(differ) or failed or not count)


def _show(differ: list[str]) -> bool:
    for line in differ[:SHOWN]:
        print(f"  {line}")
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())
