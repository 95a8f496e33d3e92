"""The schemas that are published: valid themselves, and those of what is written."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from conformance.checking.schemas import SCHEMAS, problems, schema_text
from conformance.cli import main
from conformance.report.json import Row
from conformance.runner import Cause, Status
from tests.conformance.make import case, failing
from trtx_backend.dtypes import DATA_TYPES


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Draft202012Validator.check_schema(json.loads(schema_text(name)))
    assert main([name, "schema"]) == 0
    assert capsys.readouterr().out == schema_text(name)


def test_the_schemas_know_every_word() -> None:
    report, corpus = json.loads(schema_text("report")), json.loads(schema_text("corpus"))
    row = report["$defs"]["case"]["properties"]
    assert list(row) == [field.name for field in fields(Row)]
    assert row["status"]["enum"] == [str(status) for status in Status]
    assert row["cause"]["enum"] == [None, *map(str, Cause)]
    assert corpus["$defs"]["tensor"]["properties"]["descriptor"]["properties"]["dataType"]["enum"] == list(DATA_TYPES)


def test_a_report_is_of_its_schema(tmp_path: Path) -> None:
    corpus = tmp_path / "cases"
    corpus.mkdir()
    broken = case("broken", operators=[])
    nan = case("nan", expectedOutputs={"y": {"data": "NaN", "descriptor": {"shape": [2], "dataType": "float32"}}})
    (corpus / "relu.json").write_text(json.dumps({"tests": [case("a"), failing("b"), broken, nan]}))
    for more in ([], ["--accumulate=float32"], ["--shard=1/1"]):
        path = tmp_path / "report.json"
        assert main(["run", "--corpus", str(corpus), "--report", str(path), *more]) == 1
        report = json.loads(path.read_text())
        assert list(problems("report", report)) == []
        assert report["summary"]["cases"] == 4
        report["cases"][0]["status"] = "passed"
        assert [where for where, _ in problems("report", report)] == [("cases", 0, "status")]
