"""`wpt corpus check`: what is wrong with a corpus is named, case by case, before anything is allocated."""

from __future__ import annotations

import json
import tracemalloc
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from conformance.checking.corpus import check_file
from conformance.checking.schemas import problems
from conformance.cli import main
from conformance.schema import CaseError, check_case
from tests.conformance.make import ROOT, case


def tensor(shape: list[int], dtype: str = "float32", **more: Any) -> dict[str, Any]:
    return {"data": 0, "descriptor": {"shape": shape, "dataType": dtype}, **more}


def call(name: str, output: str | list[str], **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": [{key: value} for key, value in arguments.items()], "outputs": output}


def write(path: Path, *cases: Any) -> Path:
    path.write_text(json.dumps({"tests": cases}), encoding="utf-8")
    return path


def messages(path: Path, memory: int = 0) -> list[str]:
    return [str(finding).removeprefix(f"{path}: ") for finding in check_file(path, memory)[1]]


def test_the_house_cases_are_valid(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "check", str(ROOT / "wpt_data" / "house")]) == 0
    assert capsys.readouterr().out.endswith(" cases: all valid\n")


HUGE = case("huge", inputs={"x": tensor([10**6, 10**6], constant=True)}, expectedOutputs={"y": tensor([10**6, 10**6])})
INSIDE = case(
    "inside",
    inputs={"x": tensor([1000])},
    operators=[call("tile", "t", input="x", repetitions=[10**6]), call("reduceSum", "y", input="t")],
    expectedOutputs={"y": tensor([])},
)
PARTS = case(
    "parts",
    inputs={"x": tensor([10**9], "int8")},
    operators=[call("split", ["y"], input="x", splits=10**9)],
    expectedOutputs={"y": tensor([1], "int8")},
)


@pytest.mark.parametrize(
    ("wrong", "limit", "words"),
    [
        (HUGE, 1 << 30, "its tensors are of 7.28 TiB, 3.64 TiB of them input 'x', float32[1000000, 1000000]"),
        (INSIDE, 1 << 30, "its tensors are of 3.73 GiB, 3.73 GiB of them the output of tile, float32[1000000000]"),
        (PARTS, 1 << 32, "split: splits is 1000000000: their number must be 1 to 8192"),
    ],
)
def test_what_asks_for_too_much_is_told_before_it_is_made(
    tmp_path: Path, wrong: dict[str, Any], limit: int, words: str
) -> None:
    path = write(tmp_path / "large.json", wrong, case("small"))
    tracemalloc.start()
    try:
        (message,) = messages(path, limit)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert message.endswith(words)
    assert most < 20e6


def test_a_run_makes_it_an_error_of_that_case(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "relu.json", case("before"), HUGE, case("after"))
    assert main(["run", "--corpus", str(tmp_path), "--memory-limit", "1G"]) == 1
    out = capfd.readouterr().out
    assert "relu: huge / cpu: CRASH: out of memory: its tensors are of 7.28 TiB" in out
    assert "2 PASS, 1 CRASH" in out


def test_the_limit_is_of_all_tensors_together_and_itself_allowed(tmp_path: Path) -> None:
    inputs = {"x": tensor([100], "float16"), "b": tensor([4], "uint4", constant=True)}
    some = case(
        "some",
        inputs=inputs,
        operators=[call("neg", "y", input="x"), call("cast", "z", input="b", type="int64")],
        expectedOutputs={"y": tensor([100], "float16"), "z": tensor([4], "int64")},
    )
    path = write(tmp_path / "some.json", some)
    total = 200 + 4 + 200 + 32
    assert messages(path, total) == []
    (message,) = messages(path, total - 1)
    assert "its tensors are of 436 bytes" in message


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"inputs": {"x": {**tensor([2]), "data": [1, "Nan"]}}}, "graph/inputs/x/data/1: 'Nan' does not match"),
        ({"inputs": {"x": {**tensor([3]), "data": [1, 2]}}}, "2 values, the shape [3] needs 3"),
        ({"inputs": {"x": tensor([2, -1])}}, "graph/inputs/x/descriptor/shape/1: -1 is less than the minimum of 1"),
        ({"operators": [call("rellu", "y", input="x")]}, "WebNN has no operator of this name"),
        ({"operators": [call("relu", "y", input="z")]}, "no input or earlier output has this name"),
        ({"operators": [call("relu", [], input="x")]}, "graph/operators/0/outputs: [] "),
        ({"expectedOutputs": {"y": tensor([3])}}, 'output "y" is [2], expected [3]'),
        ({"expectedOutputs": {"y": tensor([2], "float16")}}, 'output "y" is float32, expected float16'),
        ({"expectedOutputs": {}}, "graph/expectedOutputs: {} "),
    ],
)
def test_what_is_wrong_is_named_once(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    path = write(tmp_path / "wrong.json", case("good"), case("bad", **changes))
    (message,) = messages(path)
    assert message.startswith("case 1 'bad': ")
    assert words in message


def test_files_that_are_no_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "half.json").write_text('{"tests": [')
    (tmp_path / "list.json").write_text("[1]")
    write(tmp_path / "twice.json", case("a"), case("a"), 7)
    assert main(["corpus", "check", str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.removeprefix(f"{tmp_path}/") for line in lines] == [
        "half.json: not JSON: Expecting value at line 1, column 12",
        'list.json: must be an object with a list "tests"',
        "twice.json: case 2: 7 is not of type 'object'",
        "twice.json: case 1 'a (1)': another case of the file has this name",
        "3 files, 3 cases: 4 errors",
    ]


def test_a_directory_without_cases_is_a_slip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "check", str(tmp_path)]) == 2
    assert main(["corpus", "check", str(tmp_path / "none")]) == 2
    assert "there is no such directory" in capsys.readouterr().err


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy with another value at a path; without it, where `new` is Ellipsis."""
    copy = deepcopy(value)
    inside = copy
    for step in path[:-1]:
        inside = inside[step]
    if new is ...:
        del inside[path[-1]]
    else:
        inside[path[-1]] = new
    return copy


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in items for found in ((*path, key), *places(item, (*path, key)))]


def test_the_schema_and_the_reader_agree_on_form() -> None:
    """Each part of a case in turn is replaced or removed: what the schema refuses the reader refuses. The reader refuses
    more, for what a schema cannot say."""
    whole = case("a")
    refused = 0
    for path in places(whole):
        for new in (None, 7, -1.5, "", "text", [], {}, True, ...):
            document = changed(whole, path, new)
            wrong = list(problems("corpus", {"tests": [document]}))
            if wrong:
                refused += 1
                if path[0] == "tolerance":
                    continue  # read apart, in cases.py
                with pytest.raises(CaseError):
                    check_case(document)
    assert refused > 100
