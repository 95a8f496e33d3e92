"""Values of every class that an operator takes: infinities, NaN and -0, subnormals, the least and greatest integer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.house.calls import first_row, least, stem
from conformance.house.spec import T, case
from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.graph.limits import Limits
from trtx_backend.graph.operator import RULES

NAN, PLUS, MINUS = "NaN", "Infinity", "-Infinity"

ROWS: Mapping[str, tuple[Any, Any]] = {NAN: (NAN, 1), PLUS: (PLUS, 0.5), MINUS: (MINUS, 2), "-0": (-0.0, -0.0)}
"""Two values of a class: what an operator that goes along a row, or a batch, makes of it shows at a place of its own."""

SUBNORMAL: Mapping[str, tuple[float, ...]] = {
    "float32": (1e-40, 1, -3e-39, 2, -(2.0**-149), 1e-39),
    "float16": (2.0**-20, 1, -1e-5, 2, -(2.0**-24), 3e-6),
}
"""In rows as well; the last is subnormal as a whole."""

SQUARES = ("l2Pool2d", "reduceL2", "layerNormalization")
"""Operators that are not given that row: the squares are beyond float32, which is the widest type of TensorRT."""

OPEN: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("max", "min", "argMax", "argMin", "reduceMax", "reduceMin", "maxPool2d"), (NAN,)),
    **dict.fromkeys(("relu", "clamp", "hardSigmoid", "prelu", "quantizeLinear"), (NAN,)),
    "gelu": (MINUS,),
    "hardSwish": (NAN, MINUS),
    "softsign": (PLUS, MINUS),
}
"""What the specification leaves open (docs/wpt-and-the-specification.md)."""

COPIES = ("concat", "expand", "gather", "gatherElements", "gatherND", "identity", "pad", "reshape", "reverse",
          "scatterElements", "scatterND", "slice", "split", "tile", "transpose", "triangular", "where")  # fmt: skip
"""Operators that only move their operand."""

TELLS = ("equal", "notEqual", "greater", "greaterOrEqual", "lesser", "lesserOrEqual", "isNaN", "isInfinite", "sign")
"""Operators that say what their operand is. For these and COPIES one case holds all classes of floats."""

WITHOUT = ("shape", "cast")
"""Operators that do not look at values, or whose own cases hold all classes."""

LIMITS_ELSEWHERE = (*TELLS, "add", "sub", "mul", "div", "max", "min", "clamp", "abs", "neg", "identity", "relu",
                    "reduceL1", "reduceSum", "reduceSumSquare", "reduceProduct", "reduceMax", "reduceMin")  # fmt: skip
"""Operators whose own cases hold the least and greatest integers."""


def cases() -> dict[str, list[dict[str, Any]]]:
    made: dict[str, list[dict[str, Any]]] = {}
    for name, rule in RULES.items():
        if rule.webnn_name in WITHOUT:
            continue
        group = made.setdefault(stem(name), [])
        label = f"{rule.webnn_name}, " if name.startswith("arg") else ""
        for dtype in first_row(rule).dtypes:
            for what, values in _classes(rule.webnn_name, dtype).items():
                x = T(dtype, _shape(first_row(rule), len(values) // 2), values)
                group.append(case(f"{label}{dtype}, {what}", least(rule.webnn_name, x)))
    return {key: group for key, group in made.items() if group}


def _classes(name: str, dtype: str) -> dict[str, tuple[Any, ...]]:
    row = DATA_TYPES[dtype]
    if not row.is_float:
        return {} if name in LIMITS_ELSEWHERE else {"extremes": (row.min, 0, row.max, 1)}
    rows = [values for what, values in ROWS.items() if what not in OPEN.get(name, ())]
    special = tuple(value for values in rows for value in values)
    subnormal = SUBNORMAL[dtype][:-2] if name in SQUARES else SUBNORMAL[dtype]
    if name in COPIES or name in TELLS:
        return {"special values": special + subnormal}
    return {"special values": special, "subnormals": subnormal}


def _shape(row: Limits, count: int) -> tuple[int, ...]:
    """`count` rows of two, each a batch of its own where the operator has batches."""
    return {3: (1, count, 2), 4: (count, 1, 1, 2)}.get(row.min_rank, (count, 2))
