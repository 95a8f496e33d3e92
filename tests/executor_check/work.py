"""What is done with each case: judge it; record its layers; change each type's results and see whether it is noticed."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Result:
    kind: str
    detail: str = ""
    layers: set[tuple[str, str, str]] = field(default_factory=set)
    mutations: dict[tuple[str, str], str] = field(default_factory=dict)
    """By layer type and perturbation: noticed, missed, or without effect on any output."""


def judge(case: Any) -> Result:
    return _judge(case, mutate=False)


def judge_and_mutate(case: Any) -> Result:
    return _judge(case, mutate=True)


def _judge(case: Any, mutate: bool) -> Result:
    # TensorRT is loaded in the child only
    logging.disable()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the parser writes there itself
    from tests.executor_check import mutation, one

    network = one.parse(case)
    if network is None:
        return Result("refused")
    with mutation.recorded() as layers:
        verdict = one.outcome(case, network)
    result = Result(verdict.kind, verdict.detail, layers)
    if mutate and verdict.kind in ("pass", "dtype"):
        from trtx_backend.executor import execute, read

        feeds = one.feeds(case, network)
        right = execute(read(network), feeds)
        for kind in sorted({layer[0] for layer in layers}):
            for name, change in mutation.PERTURBATIONS.items():
                result.mutations[kind, name] = _mutated(case, network, feeds, right, kind, change)
    return result


def _mutated(case: Any, network: Any, feeds: Any, right: Any, kind: str, change: Any) -> str:
    from tests.executor_check import mutation, one
    from trtx_backend.executor import execute, read

    with mutation.mutated(kind, change):
        try:
            wrong = execute(read(network), feeds)
        except Exception:  # a shape or an index that cannot be
            return "noticed"
    if all(np.array_equal(wrong[name], right[name], equal_nan=right[name].dtype.kind == "f") for name in right):
        return "no effect"
    return "missed" if one.compare(case, network, wrong).kind in ("pass", "dtype") else "noticed"
