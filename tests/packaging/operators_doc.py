"""`python -m tests.packaging.operators_doc` writes docs/operators.md from the limits tables and the lowerings."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from tests.examples import EXAMPLES
from trtx_backend.dtypes import ALL, ANY, FLOATS, SIGNED
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.limits import MAX_RANK, Limits
from trtx_backend.graph.operator import RULES, OperatorRule
from trtx_backend.lowering import lower

FILE = Path(__file__).parents[2] / "docs" / "operators.md"
GROUPS = {ALL: "all", ANY: "all but int4, uint4", FLOATS: "floats", SIGNED: "signed"}
HEAD = f"""# Operators

<!-- written by python -m tests.packaging.operators_doc -->

What each operand may be, from the tables that the builder checks: data types, then rank. *floats*: {", ".join(FLOATS)};
*signed*: {", ".join(SIGNED)};
*all*: {", ".join(ALL)}. A rank that is not said is from 0 to {MAX_RANK}.
The last column has the layers of the network that a small call becomes (`tests/examples.py`), in the first data type of the first
operand: casts come on top for types that TensorRT does not compute in.

| operator | operands | layers |
|---|---|---|
"""


def page() -> str:
    return HEAD + "".join(
        f"| {_name(rule)} | {_operands(rule)} | {_layers(name)} |\n" for name, rule in sorted(RULES.items())
    )


def _name(rule: OperatorRule[..., object]) -> str:
    return f"`{rule.webnn_name}`" if rule.webnn_name == rule.name else f"`{rule.webnn_name}`, `{rule.name}`"


def _operands(rule: OperatorRule[..., object]) -> str:
    return "<br>".join(
        f"{name}{' (optional)' if row.optional else ''}: {_row(row)}" for name, row in rule.limits.items()
    )


def _row(row: Limits) -> str:
    types = f"as {row.same_as}" if row.same_as else GROUPS.get(row.dtypes, ", ".join(row.dtypes))
    if row.min_rank == row.max_rank:
        return f"{types}; {row.min_rank}"
    return types if (row.min_rank, row.max_rank) == (0, MAX_RANK) else f"{types}; {row.min_rank} to {row.max_rank}"


def _layers(name: str) -> str:
    builder = MLGraphBuilder()
    dtype = "float32" if name == "where" else next(iter(RULES[name].limits.values())).dtypes[0]
    made = EXAMPLES[name](builder, dtype)
    outputs = made if isinstance(made, tuple) else (made,)
    network = lower(builder.finish({f"y{index}": operand for index, operand in enumerate(outputs)})).network
    counts = Counter(network.get_layer(index).type.name for index in range(network.num_layers))
    return ", ".join(layer if count == 1 else f"{count} {layer}" for layer, count in sorted(counts.items())) or "none"


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
    sys.exit(0)
