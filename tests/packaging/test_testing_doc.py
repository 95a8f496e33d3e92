"""docs/testing.md: the tests that its table names are there."""

from __future__ import annotations

import re

import pytest

from tests.conformance.make import ROOT

TEXT = (ROOT / "docs/testing.md").read_text(encoding="utf-8")
ROWS = [line for line in TEXT.splitlines() if line.startswith("|") and "::" in line]
NAMED = sorted({name for row in ROWS for name in re.findall(r"`(tests/[\w/]+\.py::\w+)`", row)})


def test_every_row_names_a_test() -> None:
    assert len(ROWS) > 30
    assert [row for row in ROWS if not re.search(r"`tests/[\w/]+\.py::\w+` \|$", row)] == []


@pytest.mark.parametrize("name", NAMED)
def test_a_test_that_is_named_is_there(name: str) -> None:
    path, _, function = name.partition("::")
    assert re.search(rf"^def {function}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
