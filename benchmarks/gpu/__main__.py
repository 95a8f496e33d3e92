"""make gpu-check: everything that only a GPU can show, into one file to attach to a pull request.

Exit status: 0 all is as it should be, 1 not, 3 there is no GPU here, or something else is missing.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
UNAVAILABLE = 3


def main(argv: list[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    from benchmarks.gpu import parts
    from conformance.targets import TARGETS

    name = "double" if arguments.double else "trtx"
    target = TARGETS[name]()
    reason = target.unavailable()
    if reason is not None:
        print(f"gpu-check: target {name} is not available: {reason}", file=sys.stderr)
        return UNAVAILABLE
    with ExitStack() as stack:
        if arguments.double:
            from trtx_backend.runtime.double import installed

            stack.enter_context(installed())
            parts.DISPATCHES = 10  # the executor takes its time
        report = check(name, arguments.op, arguments.layers)
    path = write(report, arguments.out)
    print(f"{path}: {'all is as it should be' if report['passed'] else 'NOT as it should be, see above'}")
    return 0 if report["passed"] else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gpu-check", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--double", action="store_true", help="on the double of a GPU, to prove this program")
    parser.add_argument("--op", metavar="NAME", help="the cases of one operator only")
    parser.add_argument("--layers", metavar="N", type=int, default=2, help="cases a file to compare layer by layer (2)")
    parser.add_argument("--out", metavar="DIR", type=Path, default=ROOT / "reports", help="where the report goes")
    return parser


def check(target: str, op: str | None, layers: int) -> dict[str, Any]:
    """The report. Each part has `passed`; one that raises has `error` instead of figures, and the others go on."""
    from benchmarks.gpu import layers as by_layer
    from benchmarks.gpu import parts

    report: dict[str, Any] = {"schema": 1, "started": datetime.now(UTC).isoformat(timespec="seconds")}
    report |= parts.machine()
    report["target"] = target
    steps: dict[str, Callable[[], dict[str, Any]]] = {
        "cache": parts.cache,
        "replay": parts.replay,
        "refit": parts.refit,
        "layers": lambda: by_layer.compare(op, layers),
        "assumptions": by_layer.assumptions,
        "suite": lambda: suite(target, op),
    }
    for name, step in steps.items():
        print(f"== {name}", flush=True)
        try:
            report[name] = step()
        except Exception as error:  # one part must not cost the others
            report[name] = {"passed": False, "error": f"{type(error).__name__}: {error}"}
        print(
            json.dumps({key: value for key, value in report[name].items() if key != "cases"}, indent=1, default=str)[
                :4000
            ]
        )
    report["passed"] = all(report[name]["passed"] for name in steps)
    return report


def suite(target: str, op: str | None) -> dict[str, Any]:
    """The conformance cases, all expected to PASS, and those that do not."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "report.json"
        command = [sys.executable, "-m", "conformance", "run", "--target", target, "--no-snapshots"]
        command += ["--report", str(file), *(["--op", op] if op else [])]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if not file.exists():
            raise RuntimeError(f"the run left no report: {run.stdout[-2000:]}{run.stderr[-2000:]}")
        report = json.loads(file.read_text(encoding="utf-8"))
    others = [case for case in report["cases"] if case["status"] != "PASS"]
    return {
        "passed": not [case for case in others if (case["file"], case["name"]) not in _wrong_upstream()],
        "summary": report["summary"],
        "seconds": report["seconds"],
        "cases": others,
    }


def _wrong_upstream() -> set[tuple[str, str]]:
    """Cases that the snapshots of cpu, with the reason, say are wrong upstream."""
    found = set()
    for file in (ROOT / "snapshots" / "cpu").glob("*.json"):
        for name, line in json.loads(file.read_text(encoding="utf-8")).items():
            if isinstance(line, str) and "wrong upstream" in line:
                found.add((file.stem, name))
    return found


def write(report: dict[str, Any], directory: Path) -> Path:
    """reports/gpu-<name>-<version of TensorRT>.json"""
    name = re.sub(r"[^A-Za-z0-9.]+", "-", f"{report['device']['name']}-{report['versions']['tensorrt']}").strip("-")
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"gpu-{name}.json"
    report["versions"]["python"] = platform.python_version()
    path.write_text(json.dumps(report, indent=1, default=str) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
