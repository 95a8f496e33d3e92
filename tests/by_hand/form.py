"""Tensors as nested lists, and cases in the form of the harness, with as little writing as possible."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

Index = tuple[int, ...]
Case = dict[str, Any]
INF, NAN = math.inf, math.nan


@dataclass(frozen=True)
class Tensor:
    """`data` is flat, in row-major order."""

    dtype: str
    shape: Index
    data: tuple[Any, ...]
    constant: bool = False

    def __getitem__(self, index: Index) -> Any:
        flat = 0
        for position, size in zip(index, self.shape, strict=True):
            if not 0 <= position < size:
                raise IndexError(f"{index} of {self.shape}")
            flat = flat * size + position
        return self.data[flat]

    def const(self) -> Tensor:
        return replace(self, constant=True)


def indices(shape: Index) -> Iterator[Index]:
    """Every index of a tensor, in row-major order."""
    return product(*(range(size) for size in shape))


def fill(dtype: str, shape: Index, value: Callable[[Index], Any]) -> Tensor:
    return Tensor(dtype, tuple(shape), tuple(value(index) for index in indices(shape)))


def tensor(dtype: str, nested: Any) -> Tensor:
    """Its shape is that of the nested lists; a number alone is a scalar."""
    shape: list[int] = []
    rows = [nested]
    while isinstance(rows[0], list):
        shape.append(len(rows[0]))
        if any(len(row) != len(rows[0]) for row in rows):
            raise ValueError(f"not of one length: {rows}")
        rows = [item for row in rows for item in row]
    return Tensor(dtype, tuple(shape), tuple(rows))


def f32(nested: Any) -> Tensor:
    return tensor("float32", nested)


def f16(nested: Any) -> Tensor:
    return tensor("float16", nested)


def i32(nested: Any) -> Tensor:
    return tensor("int32", nested)


def i64(nested: Any) -> Tensor:
    return tensor("int64", nested)


def u8(nested: Any) -> Tensor:
    return tensor("uint8", nested)


def flat(dtype: str, shape: Index, data: Any) -> Tensor:
    values = tuple(data)
    if len(values) != math.prod(shape):
        raise ValueError(f"{len(values)} values for {shape}")
    return Tensor(dtype, tuple(shape), values)


def count(dtype: str, shape: Index, start: int = 0, step: int = 1) -> Tensor:
    return flat(dtype, shape, range(start, start + step * math.prod(shape), step))


def mixed(dtype: str, shape: Index, seed: int, low: int = -4, high: int = 4, over: int = 1) -> Tensor:
    """Numbers without a pattern: integers from `low` to `high`, divided by `over`."""
    state = seed * 7919 + 17
    values = []
    for _ in range(math.prod(shape)):
        state = (state * 1103515245 + 12345) % 2**31
        number = low + (state >> 12) % (high - low + 1)
        values.append(number if over == 1 else Fraction(number, over))
    return flat(dtype, shape, values)


def _json(value: Any, dtype: str) -> Any:
    if isinstance(value, Fraction):
        value = float(value) if dtype.startswith("float") else int(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _check_exact(given: Tensor) -> None:
    """What goes into a graph must be a number of its type, or the expected values are of another graph."""
    code = {"float32": "f", "float16": "e"}.get(given.dtype)
    for value in given.data if code else ():
        number = float(value)
        if math.isfinite(number) and struct.unpack(code or "", struct.pack(code or "", number))[0] != number:
            raise ValueError(f"{value} is not a {given.dtype}")


def _resource(given: Tensor) -> dict[str, Any]:
    data = [_json(value, given.dtype) for value in given.data]
    made = {"data": data, "descriptor": {"shape": list(given.shape), "dataType": given.dtype}}
    return {**made, "constant": True} if given.constant else made


def call(name: str, outputs: str | list[str], /, options: Mapping[str, Any] | None = None, **arguments: Any) -> Any:
    """An operator of a graph; arguments are names of operands or literals."""
    listed = [{key: _json(value, "float32")} for key, value in arguments.items()]
    if options:
        listed.append({"options": {key: _json(value, "float32") for key, value in options.items()}})
    return {"name": name, "arguments": listed, "outputs": outputs}


def graph(
    name: str, inputs: Mapping[str, Tensor], operators: list[Any], expected: Mapping[str, Tensor], ulp: float = 0
) -> Case:
    """A case of several operators. A tolerance below 1 is an absolute difference, any other a distance in ULP."""
    for given in inputs.values():
        _check_exact(given)
    return {
        "name": name,
        "graph": {
            "inputs": {key: _resource(given) for key, given in inputs.items()},
            "operators": operators,
            "expectedOutputs": {key: _resource(given) for key, given in expected.items()},
        },
        "tolerance": {"metricType": "ATOL" if 0 < ulp < 1 else "ULP", "value": ulp},
    }


def one(name: str, op: str, expected: Tensor | list[Tensor], /, ulp: float = 0, **arguments: Any) -> Case:
    """A case of one operator. Tensors among the arguments, in lists and in `options` too, become inputs of the graph."""
    inputs: dict[str, Tensor] = {}

    def named(key: str, value: Any) -> Any:
        if isinstance(value, Tensor):
            inputs[key] = value
            return key
        if isinstance(value, list) and value and isinstance(value[0], Tensor):
            return [named(f"{key}{number}", item) for number, item in enumerate(value)]
        return value

    options = {key: named(key, value) for key, value in arguments.pop("options", {}).items()}
    listed = {key: named(key, value) for key, value in arguments.items()}
    several = expected if isinstance(expected, list) else [expected]
    names = ["output"] if not isinstance(expected, list) else [f"output{number}" for number in range(len(several))]
    outputs: Any = names if isinstance(expected, list) else names[0]
    operator = call(op, outputs, options, **listed)
    label = name if name.startswith(op) else f"{op}: {name}"
    return graph(label, inputs, [operator], dict(zip(names, several, strict=True)), ulp)


def refused(name: str, op: str, /, outputs: int | None = None, **arguments: Any) -> Case:
    """A graph of one operator that the specification refuses. What it would compute is not looked at."""
    nothing = f32([0])
    return one(name, op, nothing if outputs is None else [nothing] * outputs, **arguments)
