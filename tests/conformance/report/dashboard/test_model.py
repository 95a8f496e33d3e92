"""What the dashboard's numbers are made of: columns, the grid, changes, history, other implementations."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import UsageError
from conformance.report.dashboard.cases import compare_peer, reasons, views
from conformance.report.dashboard.changes import compared
from conformance.report.dashboard.charts import distances, shares
from conformance.report.dashboard.columns import columns_of, earlier, worst
from conformance.report.dashboard.grid import data_types, grid
from conformance.report.dashboard.history import read_history, runs_of
from conformance.report.dashboard.peers import read_peer
from conformance.report.json import write_report
from conformance.report.reading import ReportError
from tests.conformance.report.make import mismatch, odd_report, report, row

# Columns --------------------------------------------------------------------------------------------------------------


def test_what_one_report_saw_fail_no_other_makes_good() -> None:
    cpu = report(row("a"), row("b", "UNSUPPORTED"), row("c", "FAIL", cause="NETWORK"))
    engine = report(row("a", "FAIL", cause="NETWORK"), row("b"), row("c", "FAIL", cause="RUN"), target="engine")
    for reports in ([cpu, engine], [engine, cpu]):
        letters = {column.title: column.letters for column in columns_of(reports)}
        assert [letters["network"]["relu", name] for name in "abc"] == ["F", "U", "F"]
        assert [letters["graph"]["relu", name] for name in "abc"] == ["P", "P", "P"]


@pytest.mark.parametrize(
    ("status", "cause", "metric", "graph", "network"),
    [
        ("PASS", None, "ULP", "P", "P"),
        ("FAIL", "GRAPH", None, "F", "-"),
        ("FAIL", "SHAPE", None, "F", "-"),  # the graph's own inference
        ("FAIL", "SHAPE", "ULP", "P", "P"),  # an output of another shape
        ("FAIL", "NETWORK", None, "P", "F"),
        ("FAIL", "ENGINE", None, "P", "P"),
        ("FAIL", "RUN", None, "P", "-"),
        ("FAIL", "MISMATCH", "ULP", "P", "P"),
        ("UNSUPPORTED", None, None, "P", "U"),
        ("CRASH", None, None, "-", "-"),
        ("SKIP", None, None, "-", "-"),
    ],
)
def test_what_an_outcome_says_of_the_earlier_steps(
    status: str, cause: str | None, metric: str | None, graph: str, network: str
) -> None:
    assert earlier(row(status=status, cause=cause, metric=metric)) == (graph, network)


def test_steps_stand_in_their_order_and_say_where_there_is_no_run() -> None:
    engine = report(row("a"), row("b", "FAIL", cause="ENGINE", metric=None), target="engine", device="SM80")
    cpu = report(row("a", "FAIL", cause="MISMATCH"), row("b", "FAIL", cause="RUN", metric=None), row("c", "CRASH"))
    columns = columns_of([cpu, engine])
    assert [column.title for column in columns] == ["graph", "network", "engine", "cpu", "gpu"]
    letters = {c.title: "".join(c.letter(("relu", name)) for name in "abc") for c in columns}
    assert letters == {"graph": "PP-", "network": "PP-", "engine": "PF-", "cpu": "FFC", "gpu": "---"}
    assert [column.title for column in columns if column.empty] == ["gpu"]
    gpu = replace(cpu, target="trtx", device="RTX 5090")
    assert not next(column for column in columns_of([gpu]) if column.title == "gpu").empty


def test_engines_of_several_generations_are_columns_of_their_own() -> None:
    devices = ("ahead of time: SM86", "ahead of time: SM80, SM86, SM89, SM120, SM121", "ahead of time: SM120")
    reports = [report(row(), target="engine", device=device) for device in devices]
    columns = [column for column in columns_of(reports) if column.step == "engine"]
    assert [column.title for column in columns] == ["engine SM86", "engine 2", "engine SM120"]
    assert [column.about for column in columns] == list(devices)
    with pytest.raises(UsageError, match="two reports are of target engine on 'ahead of time: SM86'"):
        columns_of([reports[0], reports[0]])


def test_the_worst_letter() -> None:
    assert worst("PPFU") == "F"
    assert worst("PCF") == "C"
    assert worst("PPP") == "P"
    assert worst("PS") == "S"
    assert worst("") == "-"


# The grid -------------------------------------------------------------------------------------------------------------


def test_every_cell_is_a_count_of_the_report() -> None:
    """Against the plain definition, on a report of random cases."""
    dice = random.Random(5)
    ops, dtypes = ("add", "relu", "conv2d"), ("float32", "float16", "int8")
    rows = [
        row(
            str(number),
            dice.choice(("PASS", "PASS", "FAIL", "UNSUPPORTED", "CRASH")),
            ops=tuple(dice.sample(ops, dice.randint(1, 3))),
            dtypes=tuple(dice.sample(dtypes, dice.randint(1, 3))),
        )
        for number in range(300)
    ]
    columns = columns_of([report(*rows)])
    position = [column.title for column in columns].index("cpu")
    lines = {line.operator: line for line in grid(rows, columns)}
    assert set(lines) == set(ops)
    for op in ops:
        for dtype in dtypes:
            of = [r for r in rows if op in r.ops and dtype in r.dtypes]
            tally = lines[op].cells[dtype][position]
            assert (tally.total, tally.passed) == (len(of), sum(r.status == "PASS" for r in of))
            assert tally.letter == ("C" if any(r.status == "CRASH" for r in of) else "F")
        assert lines[op].total[position].total == sum(op in r.ops for r in rows)


def test_data_types_stand_in_webnns_order() -> None:
    assert data_types([row(dtypes=("int8", "float8", "float16")), row(dtypes=("float32",))]) == [
        "float32", "float16", "int8", "float8"
    ]  # fmt: skip


def test_a_case_that_cannot_be_read_has_a_line() -> None:
    broken = row("(the file)", "FAIL", cause="GRAPH", ops=(), dtypes=())
    assert [line.operator for line in grid([broken], columns_of([report(broken)]))] == ["(cannot be read)"]


# Reasons --------------------------------------------------------------------------------------------------------------


def test_failures_that_read_alike_are_one_reason(own_corpus: Any) -> None:
    text = "relu: {} / cpu: MISMATCH\n{} of 9 elements outside ULP <= 2 (worst 1.5e+07)\nrepeat: make test-wpt-op"
    rows = [mismatch(str(i), message=text.format(i, i + 1)) for i in range(4)]
    rows += [row("net", "FAIL", cause="NETWORK", message="relu: net / cpu: NETWORK: no such layer\nrepeat: make …")]
    rows += [row("none", "UNSUPPORTED", message="no lowering for relu"), row("good")]
    columns = columns_of([report(*rows)])
    found = [(len(r.cases), r.line, r.what) for r in reasons(views(rows, columns, own_corpus))]
    assert found == [
        (4, "FAIL(MISMATCH)", "1 of 9 elements outside ULP <= 2 (worst 1.5e+07)"),
        (1, "FAIL(NETWORK)", "no such layer"),
        (1, "UNSUPPORTED", "no lowering for relu"),
    ]


# Histograms -----------------------------------------------------------------------------------------------------------


def test_histograms_count_every_case_once() -> None:
    rows = [row(worst=worst, allowed=10) for worst in (0, 1, 2, 3, 4, 5, 10)]
    rows += [mismatch(worst=2**30, allowed=10), row(worst=None), row(metric="ATOL", worst=0.05, allowed=0.1)]
    bars = {bar.label: (bar.passed, bar.other) for bar in distances(rows) if bar.passed + bar.other}
    assert bars == {"0": (1, 0), "1": (1, 0), "2": (1, 0), "–4": (2, 0), "–8": (1, 0), "–16": (1, 0), "more": (0, 1)}
    bars = {bar.label: (bar.passed, bar.other) for bar in shares(rows) if bar.passed + bar.other}
    assert bars == {
        "exact": (1, 0), "–10 %": (1, 0), "–25 %": (1, 0), "–50 %": (4, 0), "100 %": (1, 0), "over": (0, 1)
    }  # fmt: skip


# Changes and history --------------------------------------------------------------------------------------------------


def test_the_difference_of_two_runs() -> None:
    before = report(
        row("kept"), row("lost"), mismatch("fixed"), mismatch("changed"), row("gone"), row("drift", worst=1)
    )
    after = report(
        row("kept"),
        mismatch("lost"),
        row("fixed"),
        row("changed", "FAIL", cause="RUN"),
        row("new"),
        row("drift", worst=2),
    )
    found = compared(before, after)
    assert [(change.kind, change.row.name) for change in found.changes] == [
        ("lost", "lost"), ("fixed", "fixed"), ("changed", "changed"), ("new", "new"), ("gone", "gone")
    ]  # fmt: skip
    assert [(b.worst, a.worst) for b, a in found.drift] == [(1, 2)]


def test_history_is_in_the_order_of_time_and_says_what_it_left_out(tmp_path: Path) -> None:
    old = report(row("a"), mismatch("b"), started="2026-11-01T00:00:00+00:00")
    new = report(row("a"), row("b"), started="2026-11-02T02:00:00+03:00")  # an hour earlier than it looks
    newest = report(mismatch("a"), row("b"), row("c"), started="2026-11-02T00:00:00+00:00")
    for name, each in (("z", old), ("a", newest), ("m", new)):
        write_report(tmp_path / f"{name}.json", each)
    (tmp_path / "notes.json").write_text("{}")
    history = read_history(tmp_path, [newest])
    runs = history.runs["cpu", "numpy executor"]
    assert [run.report for run in runs] == [old, new, newest]
    assert [(run.number("fixed"), run.number("lost"), run.number("new")) for run in runs] == [
        (0, 0, 0),
        (1, 0, 0),
        (0, 1, 1),
    ]
    assert history.left_out == ['notes.json: has no "cases"']
    with pytest.raises(UsageError, match="there is no such folder"):
        read_history(tmp_path / "none", [])


def test_runs_of_one_target_on_two_devices_are_two_histories() -> None:
    runs = runs_of([report(target="trtx", device="RTX 4090"), report(target="trtx", device="RTX 5090")])
    assert list(runs) == [("trtx", "RTX 4090"), ("trtx", "RTX 5090")]


# Other implementations ------------------------------------------------------------------------------------------------

PEER = {
    "run_info": {"product": "chromium", "browser_version": "147.0.1", "os": "linux", "revision": "abc"},
    "results": [
        {
            "test": "/webnn/conformance_tests/relu.https.any.html?cpu",
            "status": "OK",
            "subtests": [
                {"name": "relu", "status": "PASS", "message": None},
                {"name": "[required] a", "status": "PASS", "message": None},
                {"name": "[optional] b", "status": "FAIL", "message": "because"},
                {"name": "[optional] c", "status": "PRECONDITION_FAILED", "message": None},
                {"name": "[required] d", "status": "PASS", "message": None},
            ],
        },
        {"test": "/webnn/validation_tests/relu.https.any.html?cpu", "status": "OK", "subtests": [{"name": "x", "status": "FAIL"}]},
    ],
}  # fmt: skip


def test_a_peer_is_a_column_of_the_cases_it_names(tmp_path: Path) -> None:
    (tmp_path / "peer.json").write_text(json.dumps(PEER))
    (column,) = read_peer(tmp_path / "peer.json")
    assert (column.title, column.about) == ("chromium 147 cpu", "chromium 147.0.1, linux, abc")
    assert column.letters == {("relu", "a"): "P", ("relu", "b"): "F", ("relu", "c"): "U", ("relu", "d"): "P"}
    assert column.messages == {("relu", "b"): "because"}
    ours = columns_of([report(row("a"), row("b"), mismatch("c"), mismatch("d"))])[3]
    assert {kind: [key[1] for key in keys] for kind, keys in compare_peer(ours, column).items()} == {
        "both": ["a"], "ours": ["b"], "neither": ["c"], "theirs": ["d"]
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot be read"),
        ("[]", "is not a report of WPT's runner"),
        ('{"run_info": {}, "results": []}', "is not a report of WPT's runner"),
        ('{"run_info": {"product": "x"}, "results": [{"test": 3}]}', "is not a report of WPT's runner"),
        ('{"run_info": {"product": "x"}, "results": []}', "has no results of /webnn/conformance_tests"),
    ],
)
def test_what_is_no_report_of_a_peer_is_said(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "peer.json").write_text(content)
    with pytest.raises(ReportError, match=message):
        read_peer(tmp_path / "peer.json")


def test_our_own_wptreport_reads_as_a_peer(tmp_path: Path) -> None:
    """So that another machine's run can stand beside this one's."""
    from conformance.report.wptreport import write_wptreport

    write_wptreport(tmp_path / "own.json", report(row("a"), mismatch("b"), target="trtx"))
    (column,) = read_peer(tmp_path / "own.json")
    assert column.title.endswith("gpu")
    assert column.letters == {("relu", "a"): "P", ("relu", "b"): "F"}


def test_every_status_has_a_letter() -> None:
    assert {r.status[0] for r in odd_report().rows} == set("PFUCTS")
