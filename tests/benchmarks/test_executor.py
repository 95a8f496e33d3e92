"""make bench-executor on one small layer: what it compares, and what it counts as memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from benchmarks import executor
from trtx_backend.executor import shares


def small() -> bytes:
    return executor.pool("AveragePool", 2, 8, 3, 1, 1)


def test_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(executor, "REPORT", tmp_path / "new" / "speed.json")
    monkeypatch.setattr(executor, "LAYERS", {"small": small, "other": small})
    monkeypatch.setattr(executor, "products", dict)
    monkeypatch.setattr("sys.argv", ["executor", "--seconds", "0", "--only", "small"])
    assert executor.main() == 0
    (row,) = json.loads(executor.REPORT.read_text())["rows"]
    assert row["name"] == "small" and row["difference"] < 1e-5
    assert row["ratio_one_thread"] == pytest.approx(
        row["executor_one_thread_ms"] / row["onnxruntime_one_thread_ms"], rel=0.1
    )
    assert "| small |" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["executor", "--seconds", "0", "--only", "small", "--at-most", "0.001"])
    assert executor.main() == 1


def test_other_results_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = executor.Pair(small())
    right = pair.session_run()
    monkeypatch.setattr(pair, "execute", lambda: [right[0] * np.float32(1.001)])
    with pytest.raises(AssertionError, match="small: the results differ"):
        executor.row("small", pair, 0)


def test_one_thread_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = executor.Pair(small())
    seen = set()
    execute = pair.execute

    def watched() -> Any:
        seen.add(shares.processors())
        return execute()

    before = shares.processors()
    monkeypatch.setattr(pair, "execute", watched)
    pair.processor_times(0)
    assert seen == {1} and shares.processors() == before


def test_memory_is_that_of_the_greatest_step() -> None:
    """Input and output of the one layer, 2 x 8 x 8 floats each; used is more, since the sums are in float64."""
    live, used = executor.Pair(small()).memory()
    assert live == pytest.approx(2 * 512 / 1e6)
    assert used > live + 1024 / 1e6
