"""The JSON report: what is written is what is read, and nothing that is damaged is believed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.report.json import Journal, Row, write_report
from conformance.report.reading import ReportError, read_report
from tests.conformance.make import case, failing, misbehaving, run_project, special, write
from tests.conformance.report.make import odd_report, report, row


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    path, made = tmp_path / "report.json", odd_report()
    write_report(path, made)
    assert read_report(path) == made
    assert path.read_text().isascii()
    lines = [line for line in path.read_text().splitlines() if line.startswith("  {")]
    assert len(lines) == len(made.rows)  # two reports differ by lines


def test_the_summary_counts_every_status(tmp_path: Path) -> None:
    write_report(tmp_path / "report.json", odd_report())
    document = json.loads((tmp_path / "report.json").read_text())
    assert document["summary"] == {
        "cases": 8, "PASS": 3, "FAIL": 1, "UNSUPPORTED": 1, "CRASH": 1, "TIMEOUT": 1, "SKIP": 1
    }  # fmt: skip
    assert document["cases"][2]["worst"] == "Infinity"
    assert read_report(tmp_path / "report.json").ran == 7


def test_a_report_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")
    with pytest.raises(TypeError):
        write_report(path, report(row(), row("two", file=object())))  # type: ignore[arg-type]
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["report.json"]


# A run that does not end ----------------------------------------------------------------------------------------------


def test_a_journal_reads_like_a_report_up_to_where_it_was_cut(tmp_path: Path) -> None:
    made = odd_report()
    journal = Journal(tmp_path / "report.json", replace(made, rows=()), planned=9)
    for each in made.rows:
        journal.add(each)
    partial = tmp_path / "report.json.partial"
    whole = partial.read_bytes()
    assert read_report(partial) == replace(made, planned=9)
    assert not read_report(partial).complete
    for cut in range(len(whole) - 60, len(whole)):
        partial.write_bytes(whole[:cut])
        assert read_report(partial).rows == made.rows[: whole[:cut].count(b"\n") - 1 + (cut == len(whole) - 1)]
    with pytest.raises(ReportError, match=r"report.json: there is no such file; .*left report.json.partial"):
        read_report(tmp_path / "report.json")
    journal.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_journal_that_is_damaged_in_its_middle_is_an_error(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "report.json", report(), planned=3)
    for name in "abc":
        journal.add(row(name))
    journal.close()
    lines = journal.path.read_text().splitlines(keepends=True)
    journal.path.write_text("".join([*lines[:2], lines[2][:20] + "\n", *lines[3:]]))
    with pytest.raises(ReportError, match="line 3 of the journal is damaged"):
        read_report(journal.path)


def test_a_killed_run_keeps_what_it_had(project: Path) -> None:
    """The process that sees all results is killed at the third case, as the machine's own killer would."""
    write(project / "wpt_data/upstream/relu.json", case("a"), failing("b"), special("c"), case("d"))
    plugin = misbehaving(project, "time.sleep(0.3); os.kill(os.getppid(), signal.SIGKILL); os._exit(1)")
    path = project / "report.json"
    run_project(project, "--op=relu", f"--report={path}", workers=1, plugins=[plugin])
    assert not path.exists()
    kept = read_report(project / "report.json.partial")
    assert {row.name: row.line for row in kept.rows} == {"a": "PASS", "b": "FAIL(MISMATCH)"}
    assert (kept.planned, kept.complete) == (4, False)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_that_ends_leaves_its_report_only(project: Path, workers: int) -> None:
    path = project / "out" / "report.json"
    run_project(project, "--no-snapshots", f"--report={path}", workers=workers)
    assert [p.name for p in path.parent.iterdir()] == ["report.json"]
    made = read_report(path)
    assert (made.complete, made.known, made.revision, len(made.rows)) == (True, 5, "abc", 5)
    assert made.counts["FAIL"] == 1


def test_a_run_that_stops_early_has_a_row_for_every_case(project: Path) -> None:
    path = project / "report.json"
    run_project(project, "--no-snapshots", f"--report={path}", "--", "-x")
    made = read_report(path)
    lines = [(row.file, row.name, row.line) for row in made.rows]
    assert lines[:2] == [("abs", "a", "PASS"), ("abs", "wrong", "FAIL(MISMATCH)")]
    assert [line for *_, line in lines[2:]] == ["SKIP"] * 3
    assert (made.ran, made.rows[-1].message) == (2, "did not run: the run ended before it, or left it out")


# What is not a report -------------------------------------------------------------------------------------------------


def _document(tmp_path: Path) -> dict[str, Any]:
    write_report(tmp_path / "report.json", report(row("a"), row("b")))
    return json.loads((tmp_path / "report.json").read_text())  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(schema=2), '"schema" is 2; this reads version 1'),
        (lambda d: d.pop("target"), 'has no "target"'),
        (lambda d: d.update(seconds="3"), '"seconds" must be a number, 0 or greater, not "3"'),
        (lambda d: d.update(versions={"python": 3}), '"versions" must be an object of texts'),
        (lambda d: d["corpus"].pop("cases"), 'corpus has no "cases"'),
        (lambda d: d.pop("cases"), 'has no "cases"'),
        (lambda d: d["cases"].append(3), r'summary "cases" is 2, but there are 3 in "cases"'),
        (lambda d: d["cases"].pop(), 'summary "cases" is 2, but there are 1'),
        (lambda d: d["summary"].update(FAIL=1), r'summary "FAIL" is 1, but there are 0'),
        (lambda d: d["cases"].__setitem__(0, d["cases"][1]), "case 'relu' 'b' is there twice"),
        (lambda d: d["cases"][1].pop("ms"), r'cases\[1\] has no "ms"'),
        (lambda d: d["cases"][1].update(name=None), r'cases\[1\] "name" must be text, not null'),
        (lambda d: d["cases"][1].update(required=1), r'cases\[1\] "required" must be true or false, not 1'),
        (lambda d: d["cases"][1].update(worst="NaN"), r'cases\[1\] "worst" must be a number, 0 or greater, or "Infinity"'),
        (lambda d: d["cases"][1].update(ops=["relu", 3]), r'cases\[1\] "ops" must be a list of texts'),
        (lambda d: d["cases"][1].update(cause="BAD LUCK"), r"cases\[1\] \(relu: b\) \"cause\": there is no cause 'BAD LUCK'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path: Path, change: Any, message: str) -> None:
    document = _document(tmp_path)
    change(document)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ReportError, match=message) as error:
        read_report(path)
    assert str(error.value).startswith(f"{path}: ")
    assert "\n" not in str(error.value)


def test_an_unknown_status_is_named(tmp_path: Path) -> None:
    document = _document(tmp_path)
    document["cases"][1]["status"] = "FLAKY"
    document["summary"]["PASS"] = 1
    (tmp_path / "report.json").write_text(json.dumps(document))
    with pytest.raises(ReportError, match="there is no status 'FLAKY'"):
        read_report(tmp_path / "report.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON: Expecting value at line 1, column 1"),
        (b"[]", "a report must be an object"),
        (b'{"cases": [], "summary": {}, "schema": NaN}', "NaN is no number of JSON"),
        (b"\xff\xfe", "cannot be read"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_a_file_that_is_no_report(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    with pytest.raises(ReportError, match=message):
        read_report(path)


def test_fields_of_a_later_writer_are_left_alone(tmp_path: Path) -> None:
    document = _document(tmp_path)
    document["weather"] = "fine"
    document["cases"][0]["retries"] = 3
    (tmp_path / "report.json").write_text(json.dumps(document))
    assert read_report(tmp_path / "report.json") == report(row("a"), row("b"))


def test_two_files_that_cannot_be_read_may_have_one_name(tmp_path: Path) -> None:
    broken: Row = row("(the file)", "FAIL", cause="GRAPH")
    write_report(tmp_path / "report.json", report(broken, broken))
    assert len(read_report(tmp_path / "report.json").rows) == 2


# One generation of GPUs -----------------------------------------------------------------------------------------------


def test_a_run_of_one_generation_says_so(project: Path) -> None:
    path = project / "report.json"
    made = run_project(project, "--target=engine", "--sm=SM86", "--op=relu", "--no-snapshots", f"--report={path}")
    assert made.returncode == 0, made.stdout
    assert read_report(path).device == "ahead of time: SM86"


@pytest.mark.parametrize("options", [["--sm=SM86"], ["--target=engine", "--sm=SM86", "--update-snapshots"]])
def test_one_generation_has_no_snapshots_and_is_of_engine_only(project: Path, options: list[str]) -> None:
    made = run_project(project, "--op=relu", *options)
    assert made.returncode == 2
    assert "--sm is for --target engine" in made.stderr


def test_generations_are_those_that_the_engine_knows() -> None:
    from conformance.targets import GENERATIONS, Engine
    from trtx_backend.engine.settings import ALL_TARGETS, TARGETS

    assert (GENERATIONS, Engine().generations) == (TARGETS, ALL_TARGETS)
