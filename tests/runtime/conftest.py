"""The double as the machine at hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.made import context_on
from trtx_backend.context import MLContext
from trtx_backend.runtime.double import Machine, installed


@pytest.fixture
def machine() -> Iterator[Machine]:
    """One that must end clean: nothing left, nothing done wrong."""
    with installed() as made:
        yield made
        assert made.wrong == []
        assert made.left() == {}


@pytest.fixture
def context(machine: Machine, tmp_path: Path) -> Iterator[MLContext]:
    with context_on(tmp_path) as made:
        yield made
