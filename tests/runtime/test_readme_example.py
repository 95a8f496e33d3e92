"""The example of the README, as it stands there: on the CPU, and unchanged on the double of a GPU."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.make import ROOT
from trtx_backend.runtime.device import missing
from trtx_backend.runtime.double import installed

EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
EXAMPLES += re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "gpu.md").read_text(encoding="utf-8"), re.DOTALL)


def run(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    exec(compile(text, "the example", "exec"), found)
    return found


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_example_is_the_same_for_both(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    printed = {}
    if missing() is not None:
        assert str(run(example)["context"].device) == "Cpu"
        printed["cpu"] = capsys.readouterr().out
    with installed() as machine:
        found = run(example)
        assert str(found["context"].device) == "Trtx { cuda_device_idx: 0 }"
        printed["double"] = capsys.readouterr().out
        found["context"].destroy()
        found.clear()
        assert machine.wrong == [] and machine.left() == {}
    assert printed["double"] and len(set(printed.values())) == 1
