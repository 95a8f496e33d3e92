"""`python -m tests.executor_check.assumptions_doc` writes docs/assumptions.md from the ledger."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.examples import EXAMPLES
from tests.executor_check import mutation
from tests.executor_check.ledger import LEDGER, Assumption
from tests.executor_check.reliance import AVOIDED, RELIANCE
from trtx_backend.errors import ArgumentError, NetworkError, UnsupportedError
from trtx_backend.executor import read
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.lowering import lower

FILE = Path(__file__).parents[2] / "docs" / "assumptions.md"
HEAD = """# What the executor assumes of TensorRT

<!-- written by python -m tests.executor_check.assumptions_doc -->

No GPU has confirmed any of this: the executor's meaning of a layer is a reading of NVIDIA's documentation. Where that is
silent, or hardware may differ, a choice was made, and stands here with its reason. Each entry has a probe, a network of one
layer whose result tells whether a device does as assumed; `tests/executor_check/probes.py` runs them on the executor (all hold
there) and, given a function that builds and runs a network, on a GPU, where "assumed" becomes "confirmed" or "refuted".

The operators are those whose examples become networks with a layer of that kind. That is an upper bound: whether the
values at hand reach the case (a NaN, a tie) is the caller's matter.
"""


def uses() -> dict[str, set[tuple[str, str, str]]]:
    """By operator: the layers that its examples become, over the data types."""
    found: dict[str, set[tuple[str, str, str]]] = {}
    for name, example in EXAMPLES.items():
        for dtype in ("float32", "float16", "int32", "int64", "uint8"):
            builder = MLGraphBuilder()
            try:
                lowered = lower(builder.finish({"y": _first(example(builder, dtype))}))
            except (ArgumentError, NetworkError, UnsupportedError):  # a type that the operator does not take
                continue
            with mutation.recorded() as layers:
                read(lowered.network)
            found.setdefault(name, set()).update(layers)
    return found


def _first(made: Any) -> Any:
    return made[0] if isinstance(made, (list, tuple)) else made


def depends(assumption: Assumption, layers: set[tuple[str, str, str]]) -> bool:
    for pattern in assumption.layers:
        kind, mode, dtype = (*pattern.split(), "*", "*")[:3]
        for layer in layers:
            if layer[0] == kind and mode in ("*", *layer[1].split()) and dtype in ("*", layer[2]):
                return True
    return False


def text() -> str:
    operators = uses()
    avoided = sum(word == AVOIDED for word, _ in RELIANCE.values())
    lines = [HEAD, f"{len(LEDGER)} entries; of {len(RELIANCE)} that a lowering could avoid, {avoided} are.\n"]
    for assumption in LEDGER:
        names = sorted(name for name, layers in operators.items() if depends(assumption, layers))
        lines.append(f"## {assumption.name[0].upper()}{assumption.name[1:]}\n")
        lines.append(f"Assumed: {assumption.choice}. Because: {assumption.reason}.\n")
        lines.append(f"Layers: {', '.join(assumption.layers)}. Operators: {', '.join(names) or 'none'}.\n")
        if assumption.avoidable:
            word, why = RELIANCE[assumption.name]
            lines.append(f"A lowering can avoid it: {assumption.avoidable}. It is {word}: {why}.\n")
    return "\n".join(lines)


if __name__ == "__main__":
    FILE.write_text(text())
    print(f"{FILE.name}: {len(LEDGER)} entries", file=sys.stderr)
