"""Where cases are, and how few of them are held."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from conformance import index
from conformance.cases import load
from conformance.index import CaseIndex, cases_of
from tests.conformance.make import case, write


@pytest.fixture(autouse=True)
def _nothing_is_held() -> None:
    index._files.clear()


def test_a_file_is_read_once_and_again_when_it_has_changed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", case("one"))
    assert cases_of(path) is cases_of(path)
    write(path, case("one"), case("two"))
    assert [made.name for made in cases_of(path)] == ["one", "two"]
    path.unlink()
    assert "cannot be read" in cases_of(path)[0].message  # type: ignore[union-attr]


def test_of_many_files_few_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "HELD", 10)
    paths = [write(tmp_path / f"{number}.json", *(case(f"n{i}") for i in range(4))) for number in range(6)]
    cases = CaseIndex((f"{path.stem}::{i}", path, i) for path in paths for i in range(4))
    assert [made.id for made in cases.values()] == [f"{number}: n{i}" for number in range(6) for i in range(4)]
    assert [key[0].stem for key in index._files] == ["4", "5"]
    assert ("0::3" in cases, "0::4" in cases, len(cases), cases["0::3"].name) == (True, False, 24, "n3")
    assert cases.paths() == set(paths)


def test_what_was_used_last_is_held_longest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "HELD", 2)
    a, b, c = (write(tmp_path / f"{name}.json", case("one")) for name in "abc")
    for path in (a, b, a, c):
        cases_of(path)
    assert [key[0].stem for key in index._files] == ["a", "c"]


ODD: list[Any] = [
    case("one"), case("naïve ∞ 😀"), {"name": "broken"}, case("one"), 5, case("lone \ud800"), {"name": ""}, case("last")
]  # fmt: skip


@pytest.mark.parametrize("ascii", [True, False])
@pytest.mark.parametrize("indent", [None, 1])
def test_a_large_file_has_the_same_cases_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ascii: bool, indent: int | None
) -> None:
    monkeypatch.setattr(index, "LARGE", 0)
    tests = ODD if ascii else [test for test in ODD if "\\ud800" not in json.dumps(test)]
    document = {"source": "é ∞ 😀 before the cases", "nested": {"tests": [1]}, "tests": tests, "after": 1}
    path = tmp_path / "large.json"
    path.write_bytes(json.dumps(document, ensure_ascii=ascii, indent=indent).replace("\n", "\r\n").encode())
    found = cases_of(path)
    assert type(found) is index._Sliced
    assert list(found) == load(path)
    assert (found[-1], found[1:3]) == (load(path)[-1], load(path)[1:3])


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"tests": 5}', '{"tests": [1, 2', '{"tests" [1]}', '{"a": 1}', "\ufeff{}", '{"tests": []} x'],
)
def test_a_large_file_that_is_none_is_the_same_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(index, "LARGE", 0)
    path = tmp_path / "large.json"
    path.write_text(text, encoding="utf-8")
    assert list(cases_of(path)) == load(path)


def test_a_large_file_takes_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "large.json", *(case(f"n{number}") for number in range(3000)))

    def held() -> int:
        index._files.clear()
        tracemalloc.start()
        assert cases_of(path)[2999].name == "n2999"
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size

    whole = held()
    monkeypatch.setattr(index, "LARGE", os.stat(path).st_size)
    assert held() < whole / 4
