"""python -m conformance.house."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.house import __main__ as house


def test_check_writes_nothing_and_names_what_is_not_as_specified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(house, "DIRECTORY", tmp_path)
    monkeypatch.setattr(house, "documents", lambda: {"a": "one", "b": "two", "c": "three"})
    for name, text in {"a": "one", "b": "other", "d": "gone"}.items():
        (tmp_path / f"{name}.json").write_text(text)
    assert house.main(["--check"]) == 1
    assert capsys.readouterr().out.startswith("not as specified: b, c, d;")
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["a", "b", "d"]
    house.main([])
    capsys.readouterr()
    assert house.main(["--check"]) == 0
    assert {path.stem: path.read_text() for path in tmp_path.iterdir()} == {"a": "one", "b": "two", "c": "three"}
