"""The trtx command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.conformance.make import case, write
from trtx_backend.cli import main


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(case()["graph"]))
    return path


def test_run_prints_the_outputs(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(graph)]) == 0
    assert capsys.readouterr().out == "y float32[2]\n[1. 0.]\n"


def test_run_takes_inputs_from_files_and_writes_outputs_to_one(graph: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([-3, 7], np.float32))
    out = tmp_path / "out.npz"
    assert main(["run", str(graph), "--device", "cpu", "--input", f"x={tmp_path / 'x.npy'}", "--output", str(out)]) == 0
    assert np.load(out)["y"].tolist() == [0, 7]


def test_run_chooses_a_case_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "relu.json", case("one"), case("two"))
    assert main(["run", str(path), "--case", "two"]) == 0
    assert main(["run", str(path)]) == 2
    assert "holds 2 cases; choose one with --case" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["nowhere.json"], 2, "No such file"),
        (["{graph}", "--device", "cuda:0"], 3, "cannot be had"),
        (["{graph}", "--device", "npu"], 2, "must be auto, cpu or cuda:N"),
        (["{graph}", "--input", "x"], 2, "must be NAME=FILE.npy"),
        (["{graph}", "--input", "z=z.npy"], 2, "the graph has the inputs x"),
        (["{broken}"], 2, "not JSON"),
        (["{list}"], 2, "a graph is an object with inputs, operators and expectedOutputs"),
        (["{wrong}"], 2, "reluu': WebNN has no operator of this name"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], status: int, message: str
) -> None:
    files = {"graph": graph, "broken": tmp_path / "b.json", "list": tmp_path / "l.json", "wrong": tmp_path / "w.json"}
    files["broken"].write_text("{")
    files["list"].write_text("[]")
    files["wrong"].write_text(graph.read_text().replace("relu", "reluu"))
    assert main(["run", *(argument.format(**files) for argument in arguments)]) == status
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("trtx: ")
    assert error.count("\n") == 1


def test_devices(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices"]) == 0
    assert "trtx    not available: " in capsys.readouterr().out
