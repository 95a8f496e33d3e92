"""The tests by hand, once as they are, to record their layers, and once for each layer type whose results are changed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.executor_check import mutation
from tests.executor_check.work import Result

TESTS = ("tests/executor/layers", "tests/executor/test_loops.py")


class _Plugin:
    def __init__(self) -> None:
        self.results: dict[str, Result] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: Any) -> Any:
        with mutation.recorded() as layers:
            yield
        result = self.results[item.nodeid] = Result("pass", layers=layers)
        for kind in sorted({layer[0] for layer in layers}):
            for name, change in mutation.PERTURBATIONS.items():
                with mutation.mutated(kind, change):
                    result.mutations[kind, name] = _outcome(item)


def _outcome(item: Any) -> str:
    try:
        item.runtest()
    except BaseException as error:  # pytest's own failures are no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return "noticed"
    return "missed"


def results() -> dict[str, Result]:
    """By test: its layers, and what became of each change."""
    plugin = _Plugin()
    pytest.main(["-q", "-p", "no:syrupy", "-p", "no:xdist", "--no-header", *TESTS], plugins=[plugin])
    return plugin.results
