"""make bench on tiny sizes: every section runs and its rows have their fields; and what is counted, not timed."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from benchmarks.suite import __main__ as suite
from benchmarks.suite import engine, startup
from benchmarks.suite.dispatch import counted
from benchmarks.suite.models import Onnx, WebNN, Weights, resnet50, transformer
from benchmarks.suite.rows import Cost, Row, median_ratio, significant, table
from conformance.cli import _parser

FIELDS = {"section", "name", "value", "unit", "cpu", "against", "ratio", "aim", "met"}


def bench(out: Path, *options: str) -> dict[str, Any]:
    words = ["--rounds=1", "--shard=1/500", "--sizes=5,10", "--small", f"--out={out}", *options]
    assert suite.main(words) == 0
    document: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return document


def test_every_section_has_rows_with_their_fields(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs: list[tuple[str, ...]] = []

    def command(*words: str) -> Cost:
        runs.append(words)
        return Cost(2.0, 1.0)

    for module in (engine, startup):  # corpus runs them
        monkeypatch.setattr(module, "command", command)
    monkeypatch.setattr(startup, "memory_of", lambda target, part: 1.0)
    document = bench(tmp_path / "new" / "bench.json")
    assert document.keys() == {"schema", "started", "machine", "versions", "shard", "rounds", "rows"}
    rows = document["rows"]
    assert list(dict.fromkeys(row["section"] for row in rows)) == list(suite.NAMES)
    for row in rows:
        assert row.keys() == FIELDS
        assert math.isfinite(row["value"]) and row["value"] >= 0, row
        assert (row["ratio"] is None) == (row["against"] is None), row
        measured = row["value"] if row["ratio"] is None else row["ratio"]
        assert row["met"] == (None if row["aim"] is None else measured <= row["aim"]), row
    names = [(row["section"], row["name"]) for row in rows]
    assert len(set(names)) == len(names)
    for words in runs:
        if words[:3] == ("-m", "conformance", "run"):
            _parser().parse_args(words[2:])
        else:
            compile(words[1], "a program", "exec")
    printed = capsys.readouterr().out
    assert all(f"| {row['name']} " in printed for row in rows)


def test_some_sections_may_be_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert {row["section"] for row in bench(tmp_path / "b.json", "--only", "dispatch")["rows"]} == {"dispatch"}
    with pytest.raises(SystemExit):
        bench(tmp_path / "b.json", "--only", "nothing")
    assert "invalid choice: 'nothing'" in capsys.readouterr().err


def test_a_dispatch_allocates_nothing_and_a_replay_is_one_launch() -> None:
    found = counted()
    assert [found[kind]["device allocations"] for kind in ("plain", "captured", "replayed")] == [0, 0, 0]
    assert found["replayed"]["driver calls"] == 3  # the context pushed, the graph launched, the context popped
    assert found["replayed"]["Python functions"] <= 80
    assert found["replayed"]["blocks that stay"] < 0.5


def test_both_ways_write_the_same_network() -> None:
    pytest.importorskip("onnx")
    import onnx

    for model, sizes, weights in (
        (resnet50, {"width": 2, "image": 32}, 53 * 2 + 2),
        (transformer, {"layers": 1, "hidden": 12, "tokens": 4, "heads": 2}, 16 + 2),
    ):
        shared = Weights()
        graph = model(WebNN(shared), **sizes)  # type: ignore[operator]
        parsed = onnx.load_from_string(model(Onnx(shared), **sizes))  # type: ignore[operator]
        assert len(parsed.graph.node) == len(graph.operators)
        floats = [each for each in parsed.graph.initializer if each.data_type == onnx.TensorProto.FLOAT]
        assert len(floats) == len(graph.constants) == weights
        onnx.checker.check_model(parsed, full_check=True)


@pytest.mark.parametrize(
    ("value", "expected"), [(0, 0), (1234.56, 1235), (0.00123456, 0.001235), (-99.999, -100), (5, 5)]
)
def test_figures_have_four_digits(value: float, expected: float) -> None:
    assert significant(value) == expected


def test_rows_and_their_table() -> None:
    plain, good = Row("a", "x", 1.5, "s"), Row("a", "y", 3, "s", 4.0, "x", 2.0, 2.5)
    assert (plain.met, good.met, Row("a", "z", 9, "s", aim=8).met) == (None, True, False)
    lines = table([plain, good])
    assert len({len(line) for line in lines}) == 1
    assert "2.00 of x" in lines[3] and "≤ 2.5" in lines[3] and "met" in lines[3]


def test_ratios_are_of_processor_time_round_by_round() -> None:
    these = [Cost(9, 2), Cost(9, 9), Cost(9, 4)]
    those = [Cost(1, 1), Cost(1, 3), Cost(1, 2)]
    assert median_ratio(these, those) == 2
