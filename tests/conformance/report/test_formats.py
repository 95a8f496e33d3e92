"""JUnit, wptreport and Markdown, each read back by a reader that is not ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import junitparser
import pytest
from markdown_it import MarkdownIt

from conformance.cases import UsageError
from conformance.report.json import Report
from conformance.report.junit import write_junit
from conformance.report.markdown import quoted, write_markdown
from conformance.report.outputs import check_writable
from conformance.report.reading import read_report
from conformance.report.text import one_line, visible
from conformance.report.wptreport import write_wptreport
from tests.conformance.make import run, run_project
from tests.conformance.report.make import ODD, mismatch, odd_report, report, row

# JUnit ----------------------------------------------------------------------------------------------------------------


def _junit(tmp_path: Path, made: Report) -> junitparser.JUnitXml:
    write_junit(tmp_path / "report.xml", made)
    return junitparser.JUnitXml.fromfile(str(tmp_path / "report.xml"))


def test_junit_has_every_case_with_its_outcome(tmp_path: Path) -> None:
    xml = _junit(tmp_path, odd_report())
    cases = {(suite.name, case.name): case for suite in xml for case in suite}
    assert len(cases) == 8
    kinds = {name: [type(result).__name__ for result in case.result] for (_, name), case in cases.items()}
    assert kinds["plain"] == []
    assert (kinds["crash"], kinds["slow"]) == (["Error"], ["Error"])
    assert (kinds["none"], kinds["skip"]) == (["Skipped"], ["Skipped"])
    assert cases["relu", one_line(ODD)].result[0].type == "FAIL(MISMATCH)"
    assert cases["relu", "none"].result[0].message == "UNSUPPORTED: no lowering for relu"
    assert cases["relu", "plain"].classname == "cpu.relu"
    assert cases["relu", "plain"].time == 0.0015


def test_junit_counts_are_those_of_the_report(tmp_path: Path) -> None:
    xml = _junit(tmp_path, odd_report())
    assert (xml.tests, xml.failures, xml.errors, xml.skipped) == (8, 1, 2, 2)
    sums = [sum(getattr(suite, key) for suite in xml) for key in ("tests", "failures", "errors", "skipped")]
    assert sums == [8, 1, 2, 2]
    counted = junitparser.JUnitXml.fromfile(str(tmp_path / "report.xml"))
    counted.update_statistics()
    assert (counted.tests, counted.failures, counted.errors, counted.skipped) == (8, 1, 2, 2)


def test_junit_keeps_names_and_messages_as_they_read(tmp_path: Path) -> None:
    xml = _junit(tmp_path, odd_report())
    cases = {(suite.name, case.name): case for suite in xml for case in suite}
    failure = cases["relu", one_line(ODD)].result[0]
    assert failure.text.replace("\r\n", "\n") == visible(f"{ODD}\n{ODD}").replace("\r\n", "\n")
    assert "<script>alert(1)</script> ]]>" in failure.text
    assert r"\x00\x07\x1b[31m" in failure.text


# wptreport ------------------------------------------------------------------------------------------------------------

MESSAGE = {"type": ["string", "null"]}
SUBTEST = {
    "type": "object",
    "required": ["name", "status", "message"],
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "status": {"enum": ["PASS", "FAIL", "TIMEOUT", "NOTRUN", "ERROR", "ASSERT", "PRECONDITION_FAILED"]},
        "message": MESSAGE,
    },
}
RESULT = {
    "type": "object",
    "required": ["test", "status", "message", "subtests"],
    "properties": {
        "test": {"type": "string", "pattern": "^/"},
        "subsuite": {"type": "string"},
        "status": {
            "enum": ["OK", "ERROR", "TIMEOUT", "CRASH", "ASSERT", "PRECONDITION_FAILED", "SKIP", "PASS", "FAIL"]
        },
        "message": MESSAGE,
        "duration": {"type": "integer", "minimum": 0},
        "subtests": {"type": "array", "items": SUBTEST},
        "known_intermittent": {"type": "array"},
    },
}
TEXT = {"type": "string", "minLength": 1}
INGESTED = {
    "type": "object",
    "required": ["run_info", "results", "time_start", "time_end"],
    "properties": {
        "run_info": {
            "type": "object",
            "required": ["revision", "product", "browser_version", "os"],
            "properties": {"revision": TEXT, "product": TEXT, "browser_version": TEXT, "os": TEXT, "os_version": TEXT},
        },
        "results": {"type": "array", "minItems": 1, "items": RESULT},
        "time_start": {"type": "integer", "minimum": 1_500_000_000_000},
        "time_end": {"type": "integer", "minimum": 1_500_000_000_000},
    },
}
"""What wpt.fyi requires of a report and WPT's runner writes, by their documentation."""


def _wptreport(tmp_path: Path, made: Report) -> dict[str, Any]:
    write_wptreport(tmp_path / "report.json", made)
    text = (tmp_path / "report.json").read_text(encoding="utf-8")
    text.encode("utf-8")
    document: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator(INGESTED).validate(document)
    tests = [result["test"] for result in document["results"]]
    assert len(set(tests)) == len(tests)  # wpt.fyi: a test twice is a conflict
    return document


def test_wptreport_has_upstreams_names_and_statuses(tmp_path: Path) -> None:
    document = _wptreport(tmp_path, odd_report())
    results = {result["test"]: result for result in document["results"]}
    relu = results["/webnn/conformance_tests/relu.https.any.html?cpu"]
    assert relu["status"] == "CRASH"
    statuses = {subtest["name"]: subtest["status"] for subtest in relu["subtests"]}
    assert statuses["[required] plain"] == "PASS"
    assert (statuses["[required] crash"], statuses["[required] slow"]) == ("ERROR", "TIMEOUT")
    assert (statuses["[required] none"], statuses["[required] skip"]) == ("FAIL", "NOTRUN")
    assert statuses["[optional] fragile"] == "PASS"
    assert document["time_end"] - document["time_start"] == 12500
    odd = results["/webnn/conformance_tests/abs.https.any.html?cpu"]["subtests"][0]["name"]
    assert odd == "[required] " + ODD.replace("\ud800", "U+d800")


def test_what_is_optional_and_unsupported_is_no_failure_there(tmp_path: Path) -> None:
    document = _wptreport(tmp_path, report(row(status="UNSUPPORTED", required=False, message="why")))
    subtest = document["results"][0]["subtests"][0]
    assert (subtest["status"], subtest["message"]) == ("PRECONDITION_FAILED", "why")


def test_our_own_cases_are_not_upstreams(tmp_path: Path) -> None:
    document = _wptreport(tmp_path, report(row("house: int8"), row("upstream's")))
    assert [s["name"] for s in document["results"][0]["subtests"]] == ["[required] upstream's"]


@pytest.mark.parametrize(("target", "variant"), [("trtx", "gpu"), ("cpu", "cpu"), ("engine", "engine")])
def test_the_variant_says_what_the_results_are_of(tmp_path: Path, target: str, variant: str) -> None:
    document = _wptreport(tmp_path, report(row(), target=target))
    assert document["results"][0]["test"].endswith(f".html?{variant}")


# Markdown -------------------------------------------------------------------------------------------------------------


def _rendered(text: str) -> str:
    return str(MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table").render(text))


def test_markdown_is_short_and_has_the_counts(tmp_path: Path) -> None:
    rows = [row(f"{i}", file=f"op{i}") for i in range(50)]
    rows += [row(f"wrong {i}", "FAIL", f"bad{i}", cause="RUN", message="out of memory") for i in range(60)]
    rows += [mismatch(f"off {i}", file=f"bad{i}") for i in range(3)]
    rows += [row(f"{i}", "UNSUPPORTED", f"bad{i}", message=f"reason {'x' * i}") for i in range(30)]
    write_markdown(tmp_path / "report.md", report(*rows))
    text = (tmp_path / "report.md").read_text()
    assert "### WebNN conformance on cpu: 50 of 143 cases pass" in text
    assert "50 PASS, 63 FAIL, 30 UNSUPPORTED" in text
    assert "The other 50 operators pass in full." in text
    assert "… and 40 more" in text and "… and 14 more" in text
    assert len(text.splitlines()) < 70
    html = _rendered(text)
    assert html.count("<table>") == 2
    assert html.count("<tr>") == 2 * 21
    cells = "<td>60</td>\n<td>FAIL(RUN)</td>\n<td>out of memory</td>\n<td>bad0: wrong 0</td>"
    assert cells in html


def test_markdown_shows_names_as_they_are(tmp_path: Path) -> None:
    write_markdown(tmp_path / "report.md", odd_report())
    html = _rendered((tmp_path / "report.md").read_text())
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; ]]&gt; &amp; &quot;quoted&quot; 'x' \\x00\\x07\\x1b[31m" in html
    assert "{{ 7*7 }} | `a` %s" in html  # and the table's columns are as they were
    assert html.count("<td>") == 4 * 5 + 7  # five reasons of four cells, one operator with its six statuses


@pytest.mark.parametrize(
    "text", ["a|b", "*a* _b_ **c**", "`x`", "[a](http://b)", "<b>", "&lt;", "# 1", "~~a~~", r"\*", "<!-- a", "www.a.b"]
)
def test_quoted_text_reads_as_it_is(text: str) -> None:
    cells = _rendered(f"| a |\n| --- |\n| x {quoted(text)} |\n").partition("<td>")[2].partition("</td>")[0]
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert cells == f"x {escaped}"


# As options of the command --------------------------------------------------------------------------------------------


def test_a_run_writes_all_of_them(project: Path) -> None:
    names = {"report": "a.json", "junit": "b.xml", "wptreport": "c.json", "markdown": "d.md"}
    options = [f"--{option}={project / 'out' / name}" for option, name in names.items()]
    made = run_project(project, "--no-snapshots", *options)
    assert "  slowest:" not in made.stdout  # of five cases
    assert sorted(path.name for path in (project / "out").iterdir()) == sorted(names.values())
    xml = junitparser.JUnitXml.fromfile(str(project / "out/b.xml"))
    assert (xml.tests, xml.failures) == (5, 1)
    document = json.loads((project / "out/c.json").read_text())
    jsonschema.Draft202012Validator(INGESTED).validate(document)
    assert sum(len(result["subtests"]) for result in document["results"]) == 5
    assert "4 of 5 cases pass" in (project / "out/d.md").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--junit", "/proc/no/a"], "--junit /proc/no/a: cannot be written"),
        (["--markdown", "."], "--markdown .: is a folder"),
        (["--report", "pyproject.toml"], "--report pyproject.toml: is there, and is not what --report writes"),
        (["--markdown", "README.md"], "--markdown README.md: is there, and is not what --markdown writes"),
        (["--junit", "/dev/full"], "--junit /dev/full: is not a file"),
        (["--report", "{}/a", "--junit", "{}/b/../a"], "is the file of --report too"),
    ],
)
def test_what_cannot_be_written_is_said_before_the_run(tmp_path: Path, options: list[str], message: str) -> None:
    made = run("--op=relu", *(option.format(tmp_path, tmp_path) for option in options))
    assert (made.returncode, made.stdout) == (2, "")
    assert message in made.stderr


def test_one_that_fails_at_the_end_spoils_no_other(project: Path) -> None:
    """The folder is gone when the run ends."""
    (project / "gone.py").write_text(
        "import shutil\n"
        "def pytest_runtestloop(session):\n"
        f"    shutil.rmtree({str(project / 'lost')!r}); open({str(project / 'lost')!r}, 'w').close()\n"
    )
    options = [f"--report={project}/kept/a.json", f"--junit={project}/lost/b.xml", f"--markdown={project}/kept/c.md"]
    made = run_project(project, "--op=relu", *options, plugins=["gone"])
    assert made.returncode == 1
    assert "lost/b.xml: cannot be written: File exists" in made.stdout
    assert {"a.json", "c.md"} <= {path.name for path in (project / "kept").iterdir()}


def test_a_report_takes_the_place_of_its_like_only(project: Path) -> None:
    names = {"report": "a.json", "junit": "b.xml", "wptreport": "c.json", "markdown": "d.md"}
    options = {name: f"--{name}={project / file}" for name, file in names.items()}
    for _ in range(2):
        assert run_project(project, "--op=relu", "--no-snapshots", *options.values()).returncode == 0
    there = project / "wpt_data/upstream/relu.json"
    for name in names:
        with pytest.raises(UsageError, match=f"is not what --{name} writes"):
            check_writable({name: str(there)})
    check_writable({"report": str(project / "new.json")})
    (project / "new.json").touch()
    check_writable({"report": str(project / "new.json")})


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_journal_that_cannot_go_on_is_said_and_the_run_goes_on(project: Path) -> None:
    (project / "full.py").write_text(
        "from conformance.report import json\n"
        "def add(self, row): raise OSError(28, 'No space left on device')\n"
        "json.Journal.add = add\n"
    )
    made = run_project(project, "--op=relu", "--no-snapshots", f"--report={project}/a.json", plugins=["full"])
    assert made.returncode == 1
    assert "cannot be written while the run goes on: No space left on device" in made.stdout
    assert "3 PASS" in made.stdout and "INTERNALERROR" not in made.stdout
    assert len(read_report(project / "a.json").rows) == 3
