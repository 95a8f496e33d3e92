"""The page in headless Chromium, from disk, as whoever gets it by mail opens it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from conformance.report.json import Report
from conformance.report.text import one_line
from tests.conformance.report.make import ODD

pytest.importorskip("selenium")
pytestmark = pytest.mark.xdist_group("browser")

WIDE, NARROW = (1280, 900), (390, 844)


def _open(browser: Any, page: Path, size: tuple[int, int] = WIDE, scheme: str = "light", script: bool = True) -> Any:
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not script})
    browser.get("about:blank")
    browser.get(page.as_uri())
    return browser


@pytest.fixture
def opened(browser: Any, page: Path) -> Iterator[Any]:
    yield _open(browser, page)
    assert browser.get_log("browser") == []


def _visible(browser: Any) -> list[str]:
    """Names of the cases that the filter leaves, whether or not their group is open."""
    script = "return [...document.querySelectorAll('.k:not([hidden]) > summary')].map(e => e.textContent)"
    return [str(text) for text in browser.execute_script(script)]


def _set(browser: Any, **fields: str) -> None:
    script = """const [fields] = arguments;
        for (const [id, value] of Object.entries(fields)) document.getElementById(id).value = value;
        document.querySelector('.filter').dispatchEvent(new Event('input'));"""
    browser.execute_script(script, fields)
    _settled(browser)


def _settled(browser: Any) -> None:
    browser.execute_async_script("setTimeout(arguments[0], 150)")


def test_it_opens_from_disk_without_a_word_on_the_console(opened: Any) -> None:
    assert opened.title == "WebNN on TensorRT for RTX: conformance"
    requests = opened.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert requests == []
    assert (
        opened.execute_script("return typeof alert1 === 'undefined' && document.querySelectorAll('script').length") == 1
    )


def test_the_grid_has_the_numbers_of_the_json(opened: Any, runs: dict[str, Report]) -> None:
    """Every cell of every target, read from the page one target at a time as a reader does."""
    titles = opened.execute_script(
        "return [...document.querySelectorAll('.tabs label')].map(e => e.textContent.trim())"
    )
    script = """return [...document.querySelectorAll('.grid td a')].filter(a => a.dataset.d).map(
        a => [a.dataset.o, a.dataset.d, a.innerText.replace(/\\s/g, '')])"""
    for target in ("cpu", "engine"):
        opened.execute_script("document.querySelectorAll('.tabs input')[arguments[0]].click()", titles.index(target))
        seen = {(op, dtype): text for op, dtype, text in opened.execute_script(script)}
        rows = runs[target].rows
        pairs = {(one_line(op), dtype) for row in runs["cpu"].rows for op in row.ops for dtype in row.dtypes}
        assert set(seen) == pairs
        for op, dtype in pairs:
            of = [row for row in rows if op in map(one_line, row.ops) and dtype in row.dtypes]
            passed = sum(row.status == "PASS" for row in of)
            letter = next((x for x in "CFU" if any(row.status[0] == x for row in of)), "P" if of else "–")
            count = str(len(of)) if passed == len(of) else f"{passed}/{len(of)}"
            assert seen[op, dtype] == letter + (count if of else "")


def test_the_filter_leaves_what_is_asked_for(opened: Any, runs: dict[str, Report]) -> None:
    total = len(runs["cpu"].rows)
    assert len(_visible(opened)) == total
    _set(opened, q="WRONG")
    assert [text for text in _visible(opened) if "wrong" in text] == _visible(opened) != []
    assert opened.find_element("id", "count").text == f"1 of {total}"
    _set(opened, q="a table")  # of a message
    assert len(_visible(opened)) == 1
    _set(opened, q="", fs="C")
    assert len(_visible(opened)) == 1
    _set(opened, fs="!", fc="2")  # engine: nothing but passes
    assert _visible(opened) == []
    assert opened.find_element("id", "count").text == f"0 of {total}"
    _set(opened, fs="", fc="", fo=one_line(ODD), fd="int8")
    assert len(_visible(opened)) == 1
    opened.find_element("css selector", ".filter button").click()
    _settled(opened)
    assert len(_visible(opened)) == total


def test_a_cell_leads_to_its_cases(opened: Any) -> None:
    opened.find_element("css selector", "a[data-o=clamp][data-d=float32]").click()
    _settled(opened)
    assert [text.split()[1] for text in _visible(opened)] == ["two"]
    summary = opened.find_element("css selector", ".k:not([hidden]) > summary")
    assert summary.is_displayed()
    summary.click()
    drawing = opened.find_element("css selector", ".k:not([hidden]) svg")
    assert drawing.is_displayed()
    assert "clamp" in drawing.text and "maxValue 6.5" in drawing.text


def test_a_link_to_a_case_opens_it(opened: Any) -> None:
    opened.execute_script("document.querySelector('#notpass').scrollIntoView()")
    opened.find_element("partial link text", "relu: wrong").click()
    _settled(opened)
    message = opened.find_element("css selector", ".k[open] pre")
    assert message.is_displayed()
    assert "1 of 2 elements outside ULP <= 2 (worst 7)" in message.text


@pytest.mark.parametrize("size", [WIDE, NARROW, (320, 640)], ids=["1280", "390", "320"])
def test_it_is_legible_at_every_width(browser: Any, page: Path, size: tuple[int, int]) -> None:
    _open(browser, page, size)
    browser.execute_script("document.querySelectorAll('details').forEach(e => e.open = true)")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= size[0]
    small = """return [...document.querySelectorAll('p, td, th, summary, pre, label, text')].filter(e => e.textContent.trim()
        && parseFloat(getComputedStyle(e).fontSize) < 11).length"""
    assert browser.execute_script(small) == 0
    assert browser.get_log("browser") == []


def test_the_keyboard_is_enough(opened: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    def focused() -> Any:
        return opened.switch_to.active_element

    seen = []
    for _ in range(60):
        focused().send_keys(Keys.TAB)
        seen.append(opened.execute_script("const e = document.activeElement; return e.id || e.className || e.tagName"))
        if seen[-1] == "q":
            break
    assert "t-all" in seen and seen[-1] == "q"
    focused().send_keys("wrong")
    _settled(opened)
    assert len(_visible(opened)) == 1
    for _ in range(12):
        focused().send_keys(Keys.TAB)
        if opened.execute_script("return document.activeElement.matches('.k:not([hidden]) > summary')"):
            break
    outline = opened.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"  # the focus is seen
    focused().send_keys(Keys.ENTER)
    assert opened.find_element("css selector", ".k[open] pre").is_displayed()


def test_it_reads_without_script(browser: Any, page: Path) -> None:
    _open(browser, page, script=False)
    try:
        assert not browser.find_element("css selector", ".filter").is_displayed()
        assert browser.find_element("css selector", ".grid td a").is_displayed()
        browser.find_element("css selector", ".group > summary").click()
        browser.find_element("css selector", ".group[open] .k > summary").click()
        assert browser.find_element("css selector", ".k[open] p").is_displayed()
        browser.find_element("css selector", "#t-3").click()  # the grid of one target
        shown = browser.find_element("css selector", "a[data-o=clamp][data-d=float32]").text
        assert "".join(shown.split()) == "P1"
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (NARROW, "dark")], ids=["1280", "390"])
def test_axe_finds_nothing(browser: Any, page: Path, size: tuple[int, int], scheme: str) -> None:
    """Contrast, names, roles, headings: everything open, so that everything is looked at."""
    _open(browser, page, size, scheme)
    browser.execute_script("document.querySelectorAll('details').forEach(e => e.open = true)")
    browser.execute_script((files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
    result = browser.execute_async_script("axe.run(document, {resultTypes: ['violations']}).then(arguments[0])")
    told = [f"{v['id']}: {v['nodes'][0]['html'][:120]} ({len(v['nodes'])})" for v in result["violations"]]
    assert told == []
    unlabelled = (
        "return [...document.querySelectorAll('input, select')].filter(e => !e.labels[0]?.innerText.trim()).length"
    )
    assert browser.execute_script(unlabelled) == 0  # to axe a placeholder is a name
    looked = {rule["id"] for rule in result["passes"]}
    assert {"color-contrast", "link-name", "select-name", "label"} <= looked
    assert size == WIDE or "scrollable-region-focusable" in looked


def test_axe_would_find_something(browser: Any, page: Path) -> None:
    """The checker looks at this page: pale text is found."""
    _open(browser, page)
    browser.execute_script("document.body.style.setProperty('--fg', '#ccc')")
    browser.execute_script((files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
    result = browser.execute_async_script("axe.run(document).then(arguments[0])")
    assert "color-contrast" in [violation["id"] for violation in result["violations"]]
