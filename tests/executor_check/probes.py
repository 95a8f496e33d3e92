"""Runs the ledger's probes: on the executor, or on a GPU through a function that builds and runs a network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.executor_check.ledger import LEDGER, Assumption
from trtx_backend.executor import execute, read
from trtx_backend.executor.types import STORAGE
from trtx_backend.trt import create_network

Runner = Callable[[Any, dict[str, Any]], dict[str, Any]]
"""`run(network, feeds) -> outputs`, arrays by the tensors' names: x0, x1, … and y."""

_TYPES = {numpy: tensorrt for tensorrt, numpy in reversed(STORAGE.items())}


@dataclass(frozen=True)
class Finding:
    name: str
    status: str
    """confirmed: the device does as assumed; refuted: it does not; assumed: it could not be asked."""
    device: str
    expected: list[Any]
    actual: list[Any] | None
    detail: str = ""


def on_executor(network: Any, feeds: dict[str, Any]) -> dict[str, Any]:
    return execute(read(network), feeds)


def run_probes(
    run: Runner = on_executor, device: str = "executor", ledger: Sequence[Assumption] = LEDGER
) -> list[Finding]:
    """All probes, none of which stops the others: what `run` raises makes a finding of "assumed", with the reason."""
    return [_probe(assumption, run, device) for assumption in ledger]


def network_of(assumption: Assumption) -> Any:
    network = create_network()
    network.name = assumption.name
    tensors = [network.add_input(f"x{i}", _TYPES[a.dtype], a.shape) for i, a in enumerate(assumption.inputs)]
    made = assumption.make(network, *tensors)
    output = made.get_output(0) if hasattr(made, "get_output") else made
    output.name = "y"
    network.mark_output(output)
    return network


def _probe(assumption: Assumption, run: Runner, device: str) -> Finding:
    expected = np.asarray(assumption.expected)
    wanted = expected.reshape(-1).tolist()
    try:
        network = network_of(assumption)
        actual = run(network, {f"x{i}": array for i, array in enumerate(assumption.inputs)})["y"]
    except Exception as error:  # the device's answer, whatever it is
        return Finding(assumption.name, "assumed", device, wanted, None, f"{type(error).__name__}: {error}")
    status = "confirmed" if holds(actual, expected, assumption.steps) else "refuted"
    return Finding(assumption.name, status, device, wanted, np.asarray(actual).reshape(-1).tolist())


def holds(actual: Any, expected: Any, steps: float) -> bool:
    """Same type, shape and values, up to so many of the type's steps."""
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return False
    if expected.dtype.kind != "f":
        return bool(np.array_equal(actual, expected))
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        near = np.abs(actual.astype(np.float64) - expected) <= steps * np.abs(np.spacing(expected))
    return bool(np.all(same | near))
