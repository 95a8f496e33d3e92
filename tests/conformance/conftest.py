"""Fixtures of the harness's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.make import case, failing, write


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project folder with five cases in two files, one of which fails."""
    write(tmp_path / "wpt_data/upstream/relu.json", case("a"), case("b"), case("c"))
    write(tmp_path / "wpt_data/upstream/abs.json", case("a"), failing("wrong"))
    return tmp_path
