"""Reports of parts become the report of the whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.merge import merge
from conformance.report.json import Journal, Report, Row, journal_of, write_report
from conformance.report.reading import ReportError, read_report
from tests.conformance.make import case, run_project, write


def row(file: str, name: str, status: str = "PASS") -> Row:
    return Row(file, name, ("relu",), ("float32",), True, status)


WHOLE = Report("cpu", "numpy", "2026-01-02T00:00:00+00:00", 5, {"numpy": "2.4"}, "abc", 9)
A = replace(WHOLE, shard="1/2", seconds=2, rows=(row("relu", "a"), row("relu", "house: b"), row("abs", "z", "FAIL")))
B = replace(WHOLE, shard="2/2", seconds=3, started="2026-01-01T00:00:00+00:00", rows=(row("relu", "x", "CRASH"),))


def written(folder: Path, *reports: Report) -> list[Path]:
    paths = [folder / f"{number}.json" for number in range(len(reports))]
    for path, report in zip(paths, reports, strict=True):
        write_report(path, report)
    return paths


def test_what_the_parts_have_is_joined(tmp_path: Path) -> None:
    rows = (row("abs", "z", "FAIL"), row("relu", "a"), row("relu", "x", "CRASH"), row("relu", "house: b"))
    wanted = replace(WHOLE, started="2026-01-01T00:00:00+00:00", rows=rows)
    assert merge(written(tmp_path, A, B)) == wanted
    assert merge(written(tmp_path, B, A)) == wanted
    assert merge(written(tmp_path, replace(A, shard=None), replace(B, shard=None))) == wanted


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": "engine"}, "1.json and {0}/0.json differ in target: engine, cpu"),
        ({"device": "other"}, "differ in device: other, numpy"),
        ({"versions": {"numpy": "2.5"}}, "differ in versions: numpy 2.5, numpy 2.4"),
        ({"revision": None}, "differ in revision of the corpus: None, abc"),
        ({"known": 10}, "differ in cases of the corpus: 10, 9"),
        ({"rows": (row("relu", "a", "FAIL"),)}, "1.json and {0}/0.json both have the case relu: a"),
        ({"shard": "1/2"}, "1.json and {0}/0.json are both part 1/2"),
        ({"shard": "2/3"}, "the parts do not fit: some are of 2, some of 3"),
        ({"shard": None}, "part 2/2 is missing"),
        ({"shard": "2/2 "}, "1.json: \"shard\": '2/2 ' is not a part"),
    ],
)
def test_reports_that_do_not_fit(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    paths = written(tmp_path, A, replace(B, **change))
    with pytest.raises(ReportError) as caught:
        merge(paths)
    assert message.format(tmp_path) in str(caught.value)


def test_a_part_alone_is_not_the_whole(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="part 2/2 is missing"):
        merge(written(tmp_path, A))


def test_a_run_that_did_not_end_is_not_merged(tmp_path: Path) -> None:
    (path,) = written(tmp_path, A)
    journal = Journal(tmp_path / "b.json", B, 2)
    journal.add(B.rows[0])
    journal.close()
    with pytest.raises(ReportError, match="its run did not end: 1 of 2 cases"):
        merge([path, journal_of(tmp_path / "b.json")])


def test_a_part_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = [str(path) for path in written(tmp_path, A, B)]
    before = Path(parts[0]).read_bytes()
    assert main(["report", "merge", *parts, "-o", f"{tmp_path}/x/../0.json"]) == 2
    assert "is one of the reports to join" in capsys.readouterr().err
    assert Path(parts[0]).read_bytes() == before


def test_parts_that_ran_are_the_whole_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project / "wpt_data/upstream/relu.json", case("z"), case("b"), {"name": "broken"}, case("y"), case("\ud800"))
    write(project / "wpt_data/house/relu.json", case("house: a"))
    (project / "wpt_data/upstream/other.json").write_text("{")
    whole, *parts = (project / f"{name}.json" for name in ("whole", "one", "two"))
    run_project(project, f"--report={whole}")
    for number, part in enumerate(parts, 1):
        run_project(project, f"--report={part}", f"--shard={number}/2")
    output = project / "deep/all.json"
    assert main(["report", "merge", *map(str, parts), "-o", str(output)]) == 0
    assert capsys.readouterr().out == "cpu: 9 of 9 cases: 6 PASS, 3 FAIL\n"
    merged, run = read_report(output), read_report(whole)
    key = [replace(row, ms=0) for row in merged.rows]
    assert sorted(key, key=lambda row: row.key) == sorted((replace(r, ms=0) for r in run.rows), key=lambda row: row.key)
    assert merged.head().keys() == run.head().keys()
    assert main(["report", "merge", str(parts[0]), str(parts[0]), "-o", str(output)]) == 2
    assert "are both part 1/2" in capsys.readouterr().err
    assert read_report(output) == merged
