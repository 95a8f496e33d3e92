"""Case files and runs of the harness for the tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def case(name: str = "one", **changes: Any) -> dict[str, Any]:
    """relu of [1, -2]; `changes` go into the graph."""
    graph = {
        "inputs": {"x": {"data": [1, -2], "descriptor": {"shape": [2], "dataType": "float32"}}},
        "operators": [{"name": "relu", "arguments": [{"input": "x"}], "outputs": "y"}],
        "expectedOutputs": {"y": {"data": [1, 0], "descriptor": {"shape": [2], "dataType": "float32"}}},
    }
    return {"name": name, "graph": {**graph, **changes}, "tolerance": {"metricType": "ULP", "value": 0}}


def failing(name: str) -> dict[str, Any]:
    return case(name, expectedOutputs={"y": {"data": [1, 3], "descriptor": {"shape": [2], "dataType": "float32"}}})


def write(path: Path, *cases: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"source": "test", "revision": "abc", "tests": list(cases)}), encoding="utf-8")
    return path


def run(*arguments: str, environ: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """`python -m conformance run …` in a process of its own."""
    command = [sys.executable, "-m", "conformance", "run", *arguments]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **(environ or {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def run_project(
    project: Path, *options: str, workers: int = 0, plugins: Sequence[str] = (), target: str = "cpu"
) -> subprocess.CompletedProcess[str]:
    """The plugin on a project folder with its own wpt_data and snapshots, as the command would call it."""
    files = [str(path) for path in sorted((project / "wpt_data" / "upstream").glob("*.json"))]
    arguments = ["-p", "conformance.plugin", *(x for p in plugins for x in ("-p", p)), "-p", "no:syrupy"]
    arguments += ["-p", "no:cacheprovider", "-c", os.devnull, f"--rootdir={project}", "-q", "-rN"]
    arguments += [f"--wpt-target={target}", f"--wpt-root={project}", *options]
    arguments += [f"-n{workers}", "--dist=load", "--max-worker-restart=10000"] if workers else []
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(project)])}
    environ.pop("WPT_DATA", None)
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments, *files],
        cwd=project, env=environ, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
