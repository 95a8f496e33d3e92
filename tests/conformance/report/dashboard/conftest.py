"""A page to look at, and the browser that does."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import Corpus, find_corpus
from conformance.report.json import Report, write_report
from tests.conformance.make import ROOT, case, failing, write
from tests.conformance.report.make import ODD, mismatch, report, row

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip


@pytest.fixture(scope="session")
def own_corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The cases of the page's reports, with a few of their graphs."""
    folder = tmp_path_factory.mktemp("corpus")
    chain = {
        "inputs": {"x": {"data": [1, -2], "descriptor": {"shape": [2], "dataType": "float32"}},
                   "w": {"data": [1, 2], "descriptor": {"shape": [2], "dataType": "float32"}, "constant": True}},
        "operators": [
            {"name": "add", "arguments": [{"a": "x"}, {"b": "w"}], "outputs": "sum"},
            {"name": "clamp", "arguments": [{"input": "sum"}, {"options": {"minValue": 0, "maxValue": 6.5}}], "outputs": "y"},
        ],
    }  # fmt: skip
    write(folder / "relu.json", case("plain"), failing("wrong"), case(ODD), case("two", **chain))
    return find_corpus(folder, ROOT)


@pytest.fixture(scope="session")
def runs() -> dict[str, Report]:
    """By file: cpu, engine, and an older cpu."""
    two = {"ops": ("add", "clamp"), "dtypes": ("float32",)}
    message = (
        "relu: wrong / cpu: MISMATCH\n1 of 2 elements outside ULP <= 2 (worst 7)\n  a table\nrepeat: make test-wpt-op"
    )
    cpu = [
        row("plain"),
        mismatch("wrong", message=message),
        row(ODD),
        row("two", **two),
        row("bad", "CRASH", worst=None),
    ]
    cpu += [mismatch(ODD + "2", message=ODD), row("int", dtypes=("int8", "float32"), ops=(ODD,), worst=2)]
    engine = [row("plain", metric=None, worst=None), row("wrong"), row(ODD), row("two", **two)]
    return {
        "cpu": report(*cpu),
        "engine": report(*engine, target="engine", device="ahead of time: SM80, SM120"),
        "old": report(mismatch("plain"), row("wrong"), row("dropped"), started="2026-11-01T00:00:00+00:00"),
    }


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, runs: dict[str, Report]) -> Path:
    """Where the runs and another implementation's report lie."""
    directory = tmp_path_factory.mktemp("dashboard")
    for name, each in runs.items():
        write_report(directory / "runs" / f"{name}.json", each)
    subtests = [{"name": f"[required] {name}", "status": "FAIL", "message": ODD} for name in ("plain", "wrong")]
    result = {"test": "/webnn/conformance_tests/relu.https.any.html?cpu", "status": "OK", "subtests": subtests}
    peer: dict[str, Any] = {"run_info": {"product": "<b>other", "browser_version": "1"}, "results": [result]}
    (directory / "peer.json").write_text(json.dumps(peer), encoding="utf-8")
    return directory


@pytest.fixture(scope="session")
def page(folder: Path, own_corpus: Corpus) -> Path:
    """All that a page can show, written by the command."""
    from conformance.cli import main

    runs, out = folder / "runs", folder / "page.html"
    options = [f"--report={runs / 'cpu.json'}", f"--report={runs / 'engine.json'}", f"--baseline={runs / 'old.json'}"]
    options += [
        f"--history={runs}",
        f"--peer={folder / 'peer.json'}",
        f"--corpus={own_corpus.upstream}",
        f"--out={out}",
    ]
    assert main(["dashboard", *options]) == 0
    return out


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("needs chromium and chromedriver: apt-get install chromium chromium-driver")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()
