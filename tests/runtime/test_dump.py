"""TRTX_JSON_DUMP_PATH on a device: the engine is built to tell of its layers, and asked; the double's tells nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runtime.made import context_on, product
from trtx_backend.engine import EngineSettings
from trtx_backend.runtime import trtx
from trtx_backend.runtime.double import Machine


def test_an_engine_is_dumped_and_built_for_that(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[EngineSettings] = []
    obtain = trtx.obtain

    def noted(graph: object, settings: EngineSettings, *rest: object) -> object:
        seen.append(settings)
        return obtain(graph, settings, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(trtx, "obtain", noted)
    monkeypatch.setenv("TRTX_JSON_DUMP_PATH", str(tmp_path / "dumps"))
    with context_on(tmp_path / "cache") as context:
        product(context).destroy()
        product(context).destroy()  # out of the cache, and dumped all the same
    monkeypatch.delenv("TRTX_JSON_DUMP_PATH")
    with context_on(tmp_path / "cache") as context:
        product(context).destroy()
    assert [settings.profiling for settings in seen] == ["DETAILED", "DETAILED", "LAYER_NAMES_ONLY"]
    (file,) = (tmp_path / "dumps").iterdir()
    assert [layer["type"] for layer in json.loads(file.read_text())["layers"]] == ["CONSTANT", "MATRIX_MULTIPLY"]
