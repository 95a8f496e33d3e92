"""The page as a text: what it says, that names stay data, and the command's errors."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from conformance.cases import Corpus
from conformance.cli import main
from conformance.report.dashboard.command import _notes
from conformance.report.dashboard.drawing import draw
from conformance.report.dashboard.page import Content, arithmetic, render
from conformance.report.json import Report
from conformance.report.text import one_line
from tests.conformance.make import case
from tests.conformance.report.make import ODD, report, row


class Reader(HTMLParser):
    """Tags, addresses and the text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [
            value or "" for name, value in attributes if name in ("href", "src", "srcset", "action", "data")
        ]
        self.ids += [value or "" for name, value in attributes if name == "id"]

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] not in ("script", "style"):
            self.words.append(data)


def test_the_page_needs_nothing_from_elsewhere(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    reader = Reader(html)
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(reader.tags)
    outside = {address for address in reader.addresses if not address.startswith("#")}
    assert all(address.startswith("https://github.com/web-platform-tests/wpt/blob/abc/") for address in outside)
    assert "@import" not in html and "url(" not in html
    assert reader.tags.count("script") == 1


def test_every_link_leads_somewhere(page: Path) -> None:
    reader = Reader(page.read_text(encoding="utf-8"))
    assert len(reader.ids) == len(set(reader.ids))
    assert {address[1:] for address in reader.addresses if address.startswith("#")} <= set(reader.ids)


def test_names_and_messages_are_data(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    assert html.count("<script>") == 1
    assert "alert(1)</script>" not in html
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", html)
    text = "".join(Reader(html).words)
    assert one_line(ODD) in text
    assert "{{ 7*7 }}" in text
    assert "<b>other 1" in text


def test_it_says_what_was_run_and_that_no_gpu_was(page: Path) -> None:
    text = " ".join("".join(Reader(page.read_text(encoding="utf-8")).words).split())
    assert "No GPU run." in text
    for fact in ("numpy executor", "tensorrt_rtx 1.6.1.120", "2026-11-30 10:20", "3533", "ahead of time: SM80, SM120"):
        assert fact in text
    assert "1 lost, 1 fixed, 0 changed, 5 new, 1 gone" in text


def test_with_a_gpu_run_it_does_not_say_so(own_corpus: Corpus) -> None:
    gpu = render(Content([report(row(), target="trtx", device="RTX 5090")], own_corpus))
    assert "No GPU run" not in gpu
    assert "RTX 5090" in gpu


def test_a_run_that_did_not_end_is_named(own_corpus: Corpus, folder: Path) -> None:
    from conformance.report.json import Journal

    journal = Journal(folder / "cut.json", report(), 7)
    journal.add(row("plain"))
    journal.close()
    out = folder / "cut.html"
    assert main(["dashboard", f"--report={journal.path}", f"--corpus={own_corpus.upstream}", f"--out={out}"]) == 0
    assert "the run on cpu did not end: 1 of 7 cases are known" in out.read_text(encoding="utf-8")


def test_a_part_of_a_run_and_runs_of_two_revisions_are_named() -> None:
    notes = _notes([report(shard="1/3"), report(target="engine", revision="def")])
    assert notes == ["the run on cpu is part 1/3 of one", "the runs are of different revisions of the corpus: abc, def"]


def test_histograms_have_every_case_with_numbers(page: Path, runs: dict[str, Report]) -> None:
    html = page.read_text(encoding="utf-8")
    labels = re.findall(r'aria-label="(cpu, [^"]*worst distance in ULP): ([^"]*)"', html)
    assert [title for title, _ in labels] == ["cpu, float32: worst distance in ULP"]
    counts = [int(part.rpartition(": ")[2]) for _, text in labels for part in text.split(", ")]
    assert sum(counts) == sum(row.worst is not None for row in runs["cpu"].rows)


@pytest.mark.parametrize(
    ("dtypes", "name"),
    [(("int32", "float16", "float32"), "float16"), (("float32", "int32"), "float32"), (("uint8", "int4"), "integers")],
)
def test_the_type_of_a_cases_arithmetic(dtypes: tuple[str, ...], name: str) -> None:
    assert arithmetic(row(dtypes=dtypes)) == name


def test_an_empty_report_is_a_page(own_corpus: Corpus) -> None:
    assert "Every case passes" in render(Content([report()], own_corpus))


def test_a_case_that_passes_has_the_line_to_repeat_it(page: Path, own_corpus: Corpus) -> None:
    text = "".join(Reader(page.read_text(encoding="utf-8")).words)
    assert f"conformance run --corpus {own_corpus.upstream} --target cpu --op=relu --case=plain" in text


# Drawings -------------------------------------------------------------------------------------------------------------


def test_a_drawing_has_every_operand_and_operator() -> None:
    svg = str(draw(case()["graph"]))
    assert re.findall(r"<text[^>]*>([^<]*)<", svg) == ["x", "float32[2]", "relu", "y", "float32[2]"]
    assert svg.count("M") == 2  # an edge in, an edge out


def test_options_and_long_names_fit_in_their_boxes() -> None:
    graph = case()["graph"]
    graph["operators"][0]["arguments"] += [{"axis": 1}, {"options": {"scales": [0.25, 1 / 3], "mode": "m" * 90}}]
    texts = re.findall(r"<text[^>]*>([^<]*)<", str(draw(graph)))
    assert "scales [0.25,0.333333]" in texts and "axis 1" in texts
    assert max(map(len, texts)) == 34


def test_boxes_do_not_overlap() -> None:
    graph = case()["graph"]
    graph["inputs"] |= {f"i{n}": graph["inputs"]["x"] for n in range(5)}
    graph["operators"] = [
        {"name": "concat", "arguments": [{"inputs": ["x", "i0", "i1"]}, {"axis": 0}], "outputs": "c"},
        {"name": "split", "arguments": [{"input": "c"}, {"splits": 2}], "outputs": ["s", "t"]},
        {"name": "add", "arguments": [{"a": "s"}, {"b": "t"}], "outputs": "y"},
    ]
    boxes = [
        tuple(map(float, box)) for box in re.findall(r"x=(\d+) y=(\d+) width=(\d+) height=(\d+)", str(draw(graph)))
    ]
    assert len(boxes) == 6 + 3 + 1
    for number, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[:number]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_hostile_graphs_are_text() -> None:
    graph = case()["graph"]
    graph["inputs"] = {ODD: graph["inputs"]["x"]}
    graph["operators"][0]["arguments"] = [{"input": ODD}]
    assert "<script" not in str(draw(graph))


# The command ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report={0}/none.json", "--out={0}/x.html"], "none.json: there is no such file"),
        (["--report={0}/peer.json", "--out={0}/x.html"], 'peer.json: has no "cases"'),
        (["--report={0}/runs/cpu.json", "--out={0}"], "is a folder"),
        (["--report={0}/runs/cpu.json", "--out=/proc/none/x.html"], "cannot be written"),
        (["--report={0}/runs/cpu.json", "--report={0}/runs/old.json", "--out={0}/x.html"], "two reports are of target cpu"),
        (["--report={0}/runs/cpu.json", "--baseline={0}/runs/engine.json", "--out={0}/x.html"], "of target engine, of which"),
        (["--report={0}/runs/cpu.json", "--peer={0}/runs/cpu.json", "--out={0}/x.html"], "is not a report of WPT's runner"),
        (["--report={0}/runs/cpu.json", "--history={0}/none", "--out={0}/x.html"], "there is no such folder"),
    ],
)  # fmt: skip
def test_wrong_usage(folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str) -> None:
    assert main(["dashboard", *(option.format(folder) for option in options)]) == 2
    assert message in capsys.readouterr().err
    assert not (folder / "x.html").exists()


def test_thousands_of_cases_stay_a_few_megabytes(own_corpus: Corpus, runs: dict[str, Report]) -> None:
    rows = [row(f"a name of the usual length, number {number}", file=f"op{number % 95}") for number in range(3500)]
    html = render(Content([report(*rows), report(*rows, target="engine", device="SM80")], own_corpus))
    assert len(html.encode()) < 3_000_000
