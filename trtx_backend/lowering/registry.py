"""Which function lowers which WebNN operator. `lowering/ops/<section>.py` files are found, not listed.

A lowering gets the writer, then the operator's operands as tensors and its options, under the names they have in the
builder's method, and returns the tensor (or several) that it computed. What the tensors' types are is said where the
lowering is registered.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from trtx_backend.errors import UnsupportedError
from trtx_backend.graph.ir import MLOperand, Operator
from trtx_backend.lowering.value import Transposed, Value, inverse, shared_permutation
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import TensorType

Lowering = Callable[..., Any]
Forms = Mapping[str, TensorType]


@dataclass(frozen=True)
class Entry:
    """`forms`: the TensorRT type in which operands of a WebNN data type come, where it is not their carrier ("*" stands
    for all). `elementwise`: operands come at one rank, and in whatever order of dimensions they are held. `broadcast`: at
    one rank only. `values`: the lowering takes Values and picks forms itself."""

    function: Lowering
    forms: Forms
    elementwise: bool
    broadcast: bool
    values: bool

    def __call__(self, w: Writer, op: Operator, values: Mapping[MLOperand, Value]) -> Any:
        at_one_rank = self.broadcast or self.elementwise
        rank = max((operand.rank for operand in op.inputs()), default=0) if at_one_rank else None
        order = shared_permutation([values[operand] for operand in op.inputs()]) if self.elementwise else None

        def tensor(operand: MLOperand) -> Any:
            value = values[operand]
            if self.values:
                return value
            form = self.forms.get(operand.dtype, self.forms.get("*"))
            return value.form(w, form, rank, inverse(order) if order else None)

        operands: dict[str, Any] = {}
        for name, operand in op.operands.items():
            if isinstance(operand, tuple):
                operands[name] = [tensor(item) for item in operand]
            else:
                operands[name] = None if operand is None else tensor(operand)
        result = self.function(w, **operands, **op.attributes)
        return Transposed(result, order) if order else result


_ENTRIES: dict[str, Entry] = {}


def lowers(
    *names: str,
    forms: Forms | None = None,
    elementwise: bool = False,
    broadcast: bool = False,
    values: bool = False,
) -> Callable[[Lowering], Lowering]:
    """Register a lowering for WebNN operators."""

    def register(function: Lowering) -> Lowering:
        for name in names:
            assert name not in _ENTRIES, f"{name} has two lowerings"
            _ENTRIES[name] = Entry(function, forms or {}, elementwise, broadcast, values)
        return function

    return register


@cache
def entries() -> Mapping[str, Entry]:
    """Every lowering by WebNN operator name."""
    from trtx_backend.lowering import ops

    for module in pkgutil.iter_modules(ops.__path__, f"{ops.__name__}."):
        importlib.import_module(module.name)
    return _ENTRIES


def entry(operator: str) -> Entry:
    try:
        return entries()[operator]
    except KeyError:
        raise UnsupportedError(f"no lowering for {operator}") from None
