"""The name under which the cache holds an engine: a hash of everything that decides what the plan is.

Names of inputs, outputs and labels are not in it, nor the order in which a program made its constants: operands are
counted in the order in which the graph needs them. Nor are the elements of constants that a refit puts back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from trtx_backend.engine.settings import EngineSettings
from trtx_backend.engine.weights import Weight
from trtx_backend.graph.ir import Graph, MLOperand
from trtx_backend.lowering import LoweredGraph
from trtx_backend.trt import flavor, trt

FORMAT = 1
"""Of the key and of the cache's files. Another one misses everything that is there."""

SOURCES = ("dtypes.py", "trt.py", "engine", "executor", "graph", "lowering")
"""What turns a graph into a plan, and computes the constants on the way: files and directories of this package."""


@dataclass(frozen=True)
class Surroundings:
    """What decides a plan besides the graph and the settings."""

    format: int
    sources: str
    tensorrt: str
    flavor: str


def surroundings() -> Surroundings:
    return Surroundings(FORMAT, sources_digest(), str(trt.__version__), flavor.name)


def engine_key(
    graph: Graph,
    lowered: LoweredGraph,
    weights: Sequence[Weight],
    settings: EngineSettings,
    around: Surroundings | None = None,
) -> str:
    """The key, 64 hexadecimal digits. `weights` are what `find_weights` found in `lowered`."""
    digest = hashlib.blake2b(digest_size=32, person=b"trtx engine")
    for part in (around or surroundings(), settings):
        for field in fields(part):
            digest.update(_line(field.name, getattr(part, field.name)))
    for line in _graph_lines(graph):
        digest.update(line)
    left_out = {layer: weight.name for weight in weights if not weight.baked for layer in weight.layers}
    for constant in lowered.constants:
        array, name = constant.array, left_out.get(constant.layer)
        digest.update(_line("constant", array.dtype.str, array.shape, name))
        if name is None:
            digest.update(array.reshape(-1).view("u1").data)
    return digest.hexdigest()


def _line(*values: Any) -> bytes:
    return repr(values).encode() + b"\n"


def _graph_lines(graph: Graph) -> Iterator[bytes]:
    """The graph as text: operands are numbers, in the order in which the operators need and compute them."""
    numbers: dict[MLOperand, int] = {}

    def number(operands: Iterable[MLOperand]) -> Iterator[bytes]:
        for operand in operands:
            if operand not in numbers:
                numbers[operand] = len(numbers)
                yield _line(operand.dtype, operand.shape, "constant" if operand.value is not None else "")

    yield from number(graph.inputs.values())
    yield _line("inputs", [numbers[operand] for operand in graph.inputs.values()])
    for op in graph.operators:
        yield from number(op.inputs())
        operands = [(name, _reference(value, numbers)) for name, value in op.operands.items()]
        yield _line(op.name, operands, sorted(op.attributes.items()))
        yield from number(op.outputs)
    yield _line("outputs", [numbers[operand] for operand in graph.outputs.values()])


def _reference(value: MLOperand | tuple[MLOperand, ...] | None, numbers: dict[MLOperand, int]) -> Any:
    if isinstance(value, tuple):
        return [numbers[operand] for operand in value]
    return None if value is None else numbers[value]


@cache
def sources_digest(root: Path = Path(__file__).parents[1], names: Sequence[str] = SOURCES) -> str:
    """A hash of the sources that turn a graph into a plan: who changes a lowering gets no engine of the old one."""
    digest = hashlib.blake2b(digest_size=16)
    for name in names:
        path = root / name
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        if not files:
            raise RuntimeError(f"the sources of {path} are not there, and engines cannot be told apart without them")
        for file in files:
            text = file.read_bytes()
            digest.update(_line(file.relative_to(root).as_posix(), len(text)) + text)
    return digest.hexdigest()
