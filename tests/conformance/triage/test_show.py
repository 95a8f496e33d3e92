"""What is shown of a case."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.cases import Case, UsageError, load
from conformance.targets import Cpu
from conformance.triage.find import find_case
from conformance.triage.show import show
from conformance.triage.text import array_lines, call_text, cut, distance_map, table
from tests.conformance.make import ROOT, case, write
from tests.conformance.triage.cases import chain
from trtx_backend.dtypes import Array
from trtx_backend.graph import Graph
from trtx_backend.lowering import registry
from trtx_backend.lowering.common.axes import permutation

HOUSE = ROOT / "wpt_data/house"


class OffByTwo(Cpu):
    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None:
        outputs = dict(super().run(graph, inputs) or {})
        for name, array in outputs.items():
            array = array.copy()
            array.reshape(-1)[3] = np.nextafter(np.nextafter(array.reshape(-1)[3], np.float32(9)), np.float32(9))
            outputs[name] = array
        return outputs


def test_everything_that_helps_is_shown() -> None:
    small = chain([2, 3])
    lines = list(show(replace(small, tolerance={"metricType": "ULP", "value": 1}), OffByTwo()))
    assert lines[0] == "made: chain"
    assert "  input  x  float32[2, 3]" in lines
    assert "  1  clamped = clamp(positive, minValue=0.25, maxValue=2, label=some)" in lines
    assert "  7  activation   4.0 tanh activation     6      float[2, 3]  = y" in lines
    assert "  FAIL(MISMATCH), worst 2 of ULP <= 1" in lines
    assert any(line.endswith("elements outside ULP <= 1 (worst 2)") for line in lines)
    at = lines.index("  ULP map (ULP <= 1 allowed)")
    assert lines[at + 1].split() == ["·", "·", "·"]
    assert lines[at + 2].split()[:2] == ["2*", "·"]  # the third is off by itself: it is the end of a cancellation


@pytest.mark.parametrize("path", sorted(HOUSE.glob("*.json"))[::4], ids=lambda path: path.stem)
def test_nothing_is_wider_than_the_terminal(path: Path) -> None:
    last = load(path)[-1]
    assert isinstance(last, Case)
    lines = list(show(last, Cpu()))
    assert max(map(len, lines)) <= 100
    assert any("TensorRT network" in line for line in lines)
    assert any(line.strip() == "actual" for line in lines)


def test_what_fails_early_is_shown_as_far_as_it_gets(tmp_path: Path) -> None:
    wrong = chain([2])
    graph = json.loads(json.dumps(wrong.graph))
    graph["operators"][0]["arguments"][0]["input"] = "nothing"
    lines = list(show(replace(wrong, graph=graph), Cpu()))
    assert any("not a graph" in line for line in lines)
    assert lines[-1].strip().startswith("relu: input is 'nothing'")


def test_a_process_that_ends_has_shown_what_came_before(tmp_path: Path) -> None:
    write(tmp_path / "made.json", case("first"), case("second"))
    (tmp_path / "mine.py").write_text(
        "from conformance import targets\nimport os\n"
        "class Bad(targets.Cpu):\n    def run(self, graph, inputs):\n        os.write(2, b'gone wrong\\n'); os.abort()\n"
        "targets.TARGETS = {**targets.TARGETS, 'cpu': Bad}\n"
        "from conformance.cli import main\nimport sys\nsys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, str(tmp_path / "mine.py"), "show", str(tmp_path / "made.json"), "second"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}
    made = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert made.returncode == 1
    assert "y = relu(x)" in made.stdout
    assert "here the process ended: Aborted, in run (mine.py:5)\n  gone wrong" in made.stderr


def test_a_case_is_found_by_path_operator_name_part_or_number(tmp_path: Path) -> None:
    path = str(write(tmp_path / "made.json", case("one"), case("One more"), case("two"), {"name": "broken"}))
    assert find_case(path, "one", ROOT).name == "one"  # the whole name, before parts of names
    assert find_case(path, "MORE", ROOT).name == "One more"
    assert find_case(path, "#2", ROOT).name == "two"
    with pytest.raises(UsageError, match=r"2 cases of .* have 'ne' in their names\n  one\n  One more"):
        find_case(path, "ne", ROOT)
    with pytest.raises(UsageError, match=r"no case of .* has 'x' in its name; there are\n  one"):
        find_case(path, "x", ROOT)
    with pytest.raises(UsageError, match="case 3 'broken': a case must have an object"):
        find_case(path, "broken", ROOT)
    (tmp_path / "torn.json").write_text("{")
    with pytest.raises(UsageError, match=r"torn.json: not JSON: .* at line 1, column 2"):
        find_case(str(tmp_path / "torn.json"), "x", ROOT)
    with pytest.raises(UsageError, match="there is no such file"):
        find_case("no.json", "x", ROOT)
    with pytest.raises(UsageError, match="there is no operator 'con'"):
        find_case("con", "x", ROOT)
    assert find_case("reduceL1", "house: all axes", ROOT).file == "reduce_l1"


def test_a_number_that_two_files_have_is_said_with_both(tmp_path: Path) -> None:
    write(tmp_path / "wpt_data/upstream/relu.json", case("one"))
    house = write(tmp_path / "wpt_data/house/relu.json", case("house: one"))
    with pytest.raises(
        UsageError,
        match=r"2 cases of relu are #0; say more of the name, or a file and a number.*\n  upstream/relu.json#0 one\n  house/",
    ):
        find_case("relu", "#0", tmp_path)
    assert list(show(find_case(str(house), "#0", tmp_path), Cpu()))[1].startswith("house/relu.json#0, target cpu")
    assert find_case("house/relu.json", "#0", tmp_path).name == "house: one"  # as it is shown


def test_an_exception_is_shown_with_the_places_that_it_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(w: object, input: object) -> None:
        permutation("abcd", "nchw")

    monkeypatch.setitem(registry._ENTRIES, "relu", replace(registry.entry("relu"), function=broken))
    made = case("one")
    lines = list(show(Case("relu", Path("relu.json"), 0, "one", made["graph"], made["tolerance"]), Cpu()))
    at = [line.strip() for line in lines if line.strip().startswith("at ")]
    assert len(at) > 4  # where there is no network, and with the outcome
    assert any(re.fullmatch(r"at trtx_backend/lowering/common/axes\.py:\d+ in \S+", line) for line in at)
    assert any(re.fullmatch(r"at trtx_backend/lowering/lower\.py:\d+ in lower", line) for line in at)
    assert "  FAIL(NETWORK)" in lines
    assert any(line.startswith("  ValueError: ") for line in lines)


def test_a_table_is_cut_where_it_is_widest() -> None:
    lines = table([("a" * 150, "1"), ("b", "22")], right=(1,))
    assert [len(line) for line in lines] == [100, 100]
    assert lines[0].endswith("a   1")
    assert "…" in lines[0]
    assert lines[1].endswith(" 22")
    assert cut("abcdefgh", 5) == "ab…gh"


def test_calls_arrays_and_maps() -> None:
    call: dict[str, Any] = {
        "name": "concat", "arguments": [{"inputs": ["a", "b"]}, {"axis": 1}, {"options": {"label": "x", "sizes": [1, 2]}}]
    }  # fmt: skip
    assert call_text(call) == 'concat(["a", "b"], axis=1, label=x, sizes=[1, 2])'
    assert all(
        len(line) <= 100 for line in array_lines(np.random.default_rng(1).normal(size=(3, 40)).astype(np.float32))
    )
    assert [line.split() for line in distance_map(np.array([[0.0, 1], [2, np.inf]]), 1)] == [["·", "1"], ["2*", "N*"]]
    wide = np.zeros((40, 40))
    wide[20, 3], wide[0, 0], wide[0, 1], wide[39, 39] = 5, 1, np.inf, 9
    lines = distance_map(wide, 2)
    assert lines[0].endswith("     0 -N" + "·" * 38)
    assert "    … 8 rows left out, with 1 elements outside" in lines
    assert lines[-2].endswith("#")
    assert max(map(len, distance_map(np.ones((2, 3000)), 0))) <= 100
    assert distance_map(np.array(3.0), 2)[0].split() == ["3*"]
