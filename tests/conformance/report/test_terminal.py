"""The end of a run on the terminal."""

from __future__ import annotations

from conformance.report.figures import closest, slowest
from conformance.report.terminal import summary_lines
from tests.conformance.report.make import ODD, mismatch, report, row


def test_operators_with_something_else_than_pass_and_the_sum_of_the_rest() -> None:
    rows = [row(str(i), file=f"op{i % 3}") for i in range(6)]
    rows += [mismatch("x", "add"), mismatch("y", "add", ops=("add", "op0")), row("z", "CRASH", "add")]
    assert list(summary_lines(report(*rows))) == [
        "  operator  PASS  FAIL  CRASH",
        "  add          ·     2      1",
        "  op0          2     1      ·",
        "  2 others     4     ·      ·",
    ]


def test_one_operator_or_nothing_to_tell_is_no_table() -> None:
    assert list(summary_lines(report(row("a"), mismatch("b")))) == []
    assert list(summary_lines(report(row("a"), row("b", file="add")))) == []


def test_many_operators_are_summed() -> None:
    lines = list(summary_lines(report(*(mismatch("x", f"op{i:02}") for i in range(40)))))
    assert len(lines) == 1 + 30 + 1 + 1 + 10  # head, operators, others; slowest
    assert lines[31].split() == ["10", "others", "·", "10"]


def test_slowest_and_closest() -> None:
    rows = [row(f"{i:02}", ms=i, worst=i / 2, allowed=20, file=f"op{i % 15}") for i in range(30)]
    rows += [mismatch("far", worst=100), row("exact", worst=0, allowed=0), row("crash", "CRASH", worst=None, ms=0)]
    rows += [row("unlimited", allowed=None), row("unmeasured", worst=None)]
    lines = list(summary_lines(report(*rows)))
    lines = lines[lines.index("  slowest:") :]
    assert lines[1].split() == ["29.0", "ms", "op14:", "29"]
    assert lines[11] == "  closest to their limit:"
    assert lines[12].split() == ["72%", "op14:", "29", "(worst", "14.5", "of", "20", "ULP)"]
    assert len(lines) == 22
    assert [r.name for r in slowest(rows, 3)] == ["29", "28", "27"]
    assert [r.name for r in closest(rows, 100)] == [
        str(i) for i in range(29, 14, -1)
    ]  # one a file, and none that failed


def test_names_cannot_move_the_terminal() -> None:
    lines = "".join(summary_lines(report(*(row(f"{ODD}{i}", file=ODD) for i in range(21)), mismatch(file=ODD + "x"))))
    assert lines.isprintable() and "\x1b" not in lines
    lines.encode("utf-8")
