"""Case files and runs of the harness for the tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.snapshots import SnapshotStore

ROOT = Path(__file__).parents[2]


def copy_project(folder: Path, *files: str) -> None:
    """Copy the packages, the house cases and the snapshots into a folder, and these files."""
    for name in ("conformance", "trtx_backend", "wpt_data/house", "snapshots"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)


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


def special(name: str, value: int = 13) -> dict[str, Any]:
    """A case that a `misbehaving` target knows by its first input."""
    data = {"data": [value, -2], "descriptor": {"shape": [2], "dataType": "float32"}}
    return case(name, inputs={"x": data})


def misbehaving(project: Path, action: str, *more: str) -> str:
    """A plugin that makes the target do `action` at a special case, and `more` at those of 14, 15, …; relu otherwise,
    without TensorRT, so that a worker starts sooner."""
    text = f"""
        import os, signal, time
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background ignores Ctrl-C
        from conformance import targets
        class Misbehaving(targets.Cpu):
            def run(self, graph, inputs):
                if inputs["x"][0] == 13:
                    {action}
                for number, action in enumerate({more!r}, 14):
                    if inputs["x"][0] == number:
                        exec(action)
                return {{name: inputs["x"].clip(0) for name in graph.outputs}}

        targets.TARGETS = {{**targets.TARGETS, "cpu": Misbehaving}}
        """
    (project / "misbehaving.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return "misbehaving"


def write(path: Path, *cases: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"source": "test", "revision": "abc", "tests": list(cases)}), encoding="utf-8")
    return path


ABS, RELU = {"a": "PASS", "wrong": "FAIL(MISMATCH)"}, {"a": "PASS", "b": "PASS", "c": "PASS"}
"""The snapshots of the project of the fixture."""


def snapshot(project: Path, stem: str) -> dict[str, str]:
    path = project / "snapshots" / "cpu" / f"{stem}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}  # type: ignore[no-any-return]


def accept(project: Path) -> None:
    """What `--update-snapshots` writes for the project of the fixture, without a run."""
    store = SnapshotStore(project, "cpu")
    store.update("abs", ABS)
    store.update("relu", RELU)


def run(*arguments: str, environ: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """`python -m conformance run …` in a process of its own."""
    command = [sys.executable, "-m", "conformance", "run", *arguments]
    environ = {**os.environ, "COLUMNS": "120", **(environ or {})}
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=120, check=False)


def environment(project: Path, plugins: Sequence[str] = ()) -> dict[str, str]:
    """So that modules of the project, `plugins` among them, are found, and the machine's corpus is not."""
    return {
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(project)]),
        "PYTEST_PLUGINS": ",".join(plugins),
        "WPT_DATA": "",
    }


def run_project(
    project: Path,
    *options: str,
    workers: int = 0,
    plugins: Sequence[str] = (),
    environ: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """The command on a project folder with its own wpt_data and snapshots."""
    where = [] if any(option.startswith("--tx") for option in options) else [f"-n{workers}"]
    arguments = [f"--root={project}", *where, *options]
    return run(*arguments, environ={**environment(project, plugins), **(environ or {})})
