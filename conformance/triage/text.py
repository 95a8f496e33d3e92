"""Tables, arrays and graphs for a terminal of 100 columns."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.compare import INCOMPARABLE
from conformance.plugin import printable
from trtx_backend.dtypes import Array

WIDTH = 100
HALF = 16
"""Rows of a long map that are shown at its begin, and as many at its end."""
FEW = 64
"""Elements of an array that are shown one by one."""


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = (), indent: str = "  ") -> list[str]:
    """Lines of aligned columns, those of `right` to the right. Where it gets too wide, the widest column is cut."""
    if not rows:
        return []
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    while len(indent) + sum(widths) + 2 * (len(widths) - 1) > WIDTH and max(widths) > 12:
        widths[widths.index(max(widths))] -= 1
    lines = []
    for row in cells:
        fitted = [cut(cell, width) for cell, width in zip(row, widths, strict=True)]
        padded = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(fitted, widths, strict=True))
        ]
        lines.append((indent + "  ".join(padded)).rstrip())
    return lines


def cut(text: str, width: int) -> str:
    """At most `width` characters, with the middle left out."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


def described(dtype: str, shape: Sequence[int]) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]"


def array_lines(array: Array, indent: str = "    ") -> list[str]:
    """The values, the middle of many left out."""
    text = np.array2string(array, max_line_width=WIDTH - len(indent), threshold=FEW, edgeitems=3, separator=", ")
    return [indent + line for line in text.splitlines()]


def call_text(call: Mapping[str, Any]) -> str:
    """An operator of a case: `conv2d(input, filter, padding=[1, 1, 1, 1])`."""
    parts = []
    for argument in call["arguments"]:
        for key, value in argument.items():
            if key == "options":
                parts += [f"{name}={_value(item)}" for name, item in value.items()]
            else:
                parts.append(_value(value) if isinstance(value, (str, list)) else f"{key}={_value(value)}")
    return f"{call['name']}({', '.join(parts)})"


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def distance_text(distance: float | None) -> str:
    if distance is None:
        return ""
    return "incomparable" if distance == INCOMPARABLE else f"{distance:.4g}"


def distance_map(distances: Array, allowed: float) -> list[str]:
    """Each element as a number where there are few, else as a character: rows are all axes but the last."""
    grid = distances.reshape(-1, distances.shape[-1]) if distances.ndim else distances.reshape(1, 1)
    if grid.size <= FEW and grid.shape[1] <= 16:
        rows = [[_number(value, allowed) for value in row] for row in grid]
        return table(rows, right=range(grid.shape[1]), indent="    ")
    if grid.shape[1] == 1:
        grid = grid.reshape(1, -1)
    if grid.shape[1] > WIDTH - 10:  # the rows that a terminal has are not the array's
        padded = np.full(math.ceil(grid.size / 64) * 64, np.nan)
        padded[: grid.size] = grid.reshape(-1)
        grid = padded.reshape(-1, 64)
    rest = grid[HALF:-HALF]
    lines = [f"    {number:>5} " + "".join(_mark(v, allowed) for v in row) for number, row in enumerate(grid)]
    if len(rest):
        outside = int(np.count_nonzero(np.greater(rest, allowed)))
        left_out = f"    … {len(rest)} rows left out, with {outside} elements outside"
        lines = [*lines[:HALF], left_out, *lines[-HALF:]]
    return [*lines, "    · exact   - within   # outside   N incomparable"]


def _number(value: float, allowed: float) -> str:
    text = "N" if value == INCOMPARABLE else "·" if value == 0 else f"{value:.3g}"
    return f"{text}*" if value > allowed else f"{text} "


def _mark(value: float, allowed: float) -> str:
    if np.isnan(value):
        return " "
    if value == INCOMPARABLE:
        return "N"
    return "·" if value == 0 else "-" if value <= allowed else "#"
