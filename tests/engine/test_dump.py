"""TRTX_JSON_DUMP_PATH: one JSON file of layers for each thing that is built."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lowering.run import graph
from trtx_backend.engine import build
from trtx_backend.engine.dump import dump_engine
from trtx_backend.lowering import lower
from trtx_backend.runtime.cpu import CpuGraph
from trtx_backend.trt import Network

ONES = np.ones((2, 3), np.float32)


@pytest.fixture
def dumps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("TRTX_JSON_DUMP_PATH", str(tmp_path / "some" / "where"))
    return tmp_path / "some" / "where"


def network(kind: str = "relu") -> Network:
    return lower(graph(lambda b, x: getattr(b, kind)(b.add(x, b.constant(ONES))), ONES)).network


def read(dumps: Path) -> list[Any]:
    return [json.loads(path.read_text()) for path in sorted(dumps.iterdir())]


def test_a_built_network_is_dumped_with_its_layers(dumps: Path) -> None:
    build(network(), ["SM89"])
    (dump,) = read(dumps)
    assert [layer["type"] for layer in dump["layers"]] == ["CONSTANT", "ELEMENTWISE", "ACTIVATION"]
    constant, addition, activation = dump["layers"]
    assert constant["parameters"]["shape"] == [2, 3] and constant["parameters"]["weights"]["count"] == 6
    assert addition["inputs"] == ["in0", constant["outputs"][0]["name"]]
    assert activation["parameters"]["type"] == "RELU"
    assert dump["outputs"] == [{"name": "out0", "type": "FLOAT", "shape": [2, 3]}]


def test_equal_networks_share_a_file(dumps: Path) -> None:
    for kind in ("relu", "relu", "tanh"):
        build(network(kind), ["SM89"])
    assert len(read(dumps)) == 2


def test_what_the_executor_runs_is_dumped_too(dumps: Path) -> None:
    CpuGraph(graph(lambda b, x: b.relu(x), ONES))
    assert len(read(dumps)) == 1


def test_nothing_is_dumped_unasked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TRTX_JSON_DUMP_PATH", raising=False)
    monkeypatch.chdir(tmp_path)
    build(network(), ["SM89"])
    assert dump_engine(None, None) is None
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be_written_is_said_and_the_build_goes_on(
    dumps: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dumps.parent.write_text("a file")
    assert build(network(), ["SM89"])
    assert "TRTX_JSON_DUMP_PATH: the layers are not written: " in caplog.text


@pytest.mark.parametrize(("text", "layers"), [('{"Layers": ["a", "b"]}', "Layers"), (None, "layers"), ("", "layers")])
def test_an_engine_tells_of_its_layers_itself(
    dumps: Path, caplog: pytest.LogCaptureFixture, text: str | None, layers: str
) -> None:
    class Inspector:
        def create_engine_inspector(self) -> Inspector:
            return self

        def get_engine_information(self, kind: Any) -> str | None:
            assert kind.name == "JSON"
            return text

    caplog.set_level(logging.INFO, "trtx")
    path = dump_engine(Inspector(), network())
    assert dump_engine(object(), network()) is not None  # one that cannot be inspected
    assert path is not None and f"to {path}" in caplog.text
    assert any(layers in dump for dump in read(dumps))
