"""The least call of every operator on a first operand: what the cases that are made by rule have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.house.spec import Op, T, op
from trtx_backend.dtypes import DATA_TYPES
from trtx_backend.graph.limits import Limits
from trtx_backend.graph.operator import RULES, OperatorRule

STEMS = {
    **dict.fromkeys(("arg_min", "arg_max"), "arg_min_max"),
    **{name: RULES[name].webnn_name for name in (
        "average_pool2d", "l2_pool2d", "max_pool2d", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd",
        "quantize_linear", "dequantize_linear")},
}  # fmt: skip
"""Files that are not called as the operator is in Python."""

POSITIVE = (0.5, 2, 1.25, 3)
GATES = (0.5, 0.25, 0.75, 0.125)
"""For recurrent operators: small and positive, for what cancels asks for more than the few ULP that they are allowed."""
VALUES: Mapping[str, tuple[float, ...]] = {
    **dict.fromkeys(("log", "sqrt", "pow", "reduceLogSum"), POSITIVE),
    **dict.fromkeys(("sin", "cos", "tan"), (0.5, -1, 0.75, 0.25)),
    "gelu": (0.5, -1, 2, -0.25),
    **dict.fromkeys(("gru", "gruCell", "lstm", "lstmCell"), GATES),
}
"""First operands of operators that do not take, or not well, every float."""


def stem(name: str) -> str:
    """The file of an operator's cases."""
    return STEMS.get(name, name)


def first_row(rule: OperatorRule[..., Any]) -> Limits:
    """The limits of the operand that a least call is made on: the first that may be of several types, if there is one."""
    return next((row for row in rule.limits.values() if len(row.dtypes) > 1), next(iter(rule.limits.values())))


def tensor(name: str, dtype: str, shape: tuple[int, ...]) -> T:
    """A first operand for an operator of this WebNN name."""
    return T(dtype, shape, VALUES.get(name) if DATA_TYPES[dtype].is_float else None)


def least(name: str, x: T, **options: Any) -> Op:
    """A call of the operator of this WebNN name on `x` with what it needs beside that, and these options."""
    needs: Mapping[str, Any] = NEEDS[name](x) if name in NEEDS else {}
    given = {**needs.get("options", {}), **options}
    arguments = {key: value for key, value in needs.items() if key not in ("options", "outputs", "input")}
    first = {"input": x} if "input" in needs or not needs.keys() & {"a", "inputs", "trueValue"} else {}
    return op(name, *needs.get("outputs", ()), options=given, **first, **arguments)


def _like(x: T, *values: Any) -> T:
    """Of the type and shape of another tensor: a pattern, or these values."""
    return T(x.dtype, x.shape, values or None)


def _small(x: T, *shape: int) -> T:
    """Weights: nothing overflows, nothing is 0."""
    return T(x.dtype, shape, (0.5, -0.25, 0.75, 0.125))


def _one(x: T, value: Any, dtype: str = "") -> T:
    return T(dtype or x.dtype, (1,) * len(x.shape), (value,))


def _last(x: T) -> int:
    return len(x.shape) - 1


def _rows(x: T, *shape: int) -> T:
    """Indices: the last place of the first axis, then the first."""
    return T("int32", shape, (x.shape[0] - 1, 0))


def _ends(x: T, at_last: int, elsewhere: int) -> list[int]:
    """A number a dimension, another one for the last."""
    return [elsewhere] * _last(x) + [at_last] if x.shape else []


def _normalized(x: T) -> dict[str, Any]:
    axis = min(1, _last(x))
    size = x.shape[axis]
    return {
        "mean": T(x.dtype, (size,), (0.5, -1)),
        "variance": T(x.dtype, (size,), POSITIVE),
        "options": {} if axis else {"axis": 0},
    }


def _recurrent(gates: int, *states: str, cell: bool = False) -> Callable[[T], dict[str, Any]]:
    def needs(x: T) -> dict[str, Any]:
        leading = () if cell else (1,)
        made: dict[str, Any] = {
            "weight": T(x.dtype, (*leading, gates, x.shape[-1]), GATES),
            "recurrentWeight": T(x.dtype, (*leading, gates, 1), GATES),
            **{state: T(x.dtype, (x.shape[0], 1), GATES) for state in states},
        }
        outputs = ("h", "c") if gates == 4 else ("h",)
        return {**made, **({} if cell else {"steps": x.shape[0]}), "hiddenSize": 1, "outputs": outputs}

    return needs


def _reduced(x: T) -> dict[str, Any]:
    return {"options": {"axes": [_last(x)]} if x.shape else {}}


Needs = Callable[[T], Mapping[str, Any]]

NEEDS: dict[str, Needs] = {
    **dict.fromkeys(
        ("add", "sub", "mul", "max", "min", "logicalAnd", "logicalOr", "logicalXor"), lambda x: {"a": x, "b": _like(x)}),
    **dict.fromkeys(
        ("equal", "notEqual", "greater", "greaterOrEqual", "lesser", "lesserOrEqual"), lambda x: {
            "a": x, "b": _like(x, 0, 2) if x.values else _like(x)}),
    "div": lambda x: {"a": x, "b": _like(x, 3, 2, 1)},
    "pow": lambda x: {"a": x, "b": _like(x, *((1, 0) if DATA_TYPES[x.dtype].bits != 32 else (1, 2)))},
    "logicalNot": lambda x: {"a": x},
    **dict.fromkeys(("argMax", "argMin", "softmax", "cumulativeSum"), lambda x: {"axis": _last(x)}),
    "batchNormalization": _normalized,
    "cast": lambda x: {"type": "float16" if x.dtype == "float32" else "float32"},
    "clamp": lambda x: {"options": {"minValue": 0.5, "maxValue": 100}},
    "concat": lambda x: {"inputs": [x, _like(x)], "axis": 0},
    "conv2d": lambda x: {"filter": _small(x, 2, *x.shape[1:])},
    "convTranspose2d": lambda x: {"filter": _small(x, x.shape[1], 1, 1, 2)},
    "dequantizeLinear": lambda x: {"scale": _one(x, 0.5, "float32"), "zeroPoint": _one(x, 1)},
    "quantizeLinear": lambda x: {"scale": _one(x, 0.5), "zeroPoint": _one(x, 3, "int8")},
    "expand": lambda x: {"newShape": [2, *x.shape]},
    "gather": lambda x: {"indices": _rows(x, 2)},
    "gatherElements": lambda x: {"indices": _rows(x, *x.shape)},
    "gatherND": lambda x: {"indices": _rows(x, x.shape[0], 1)},
    "gemm": lambda x: {"a": x, "b": _small(x, x.shape[1], 2)},
    "gru": _recurrent(3),
    "gruCell": _recurrent(3, "hiddenState", cell=True),
    "lstm": _recurrent(4),
    "lstmCell": _recurrent(4, "hiddenState", "cellState", cell=True),
    "matmul": lambda x: {"a": x, "b": _small(x, *x.shape[:-2], x.shape[-1], 2)},
    "pad": lambda x: {"beginningPadding": _ends(x, 1, 0), "endingPadding": _ends(x, 0, 0)},
    "prelu": lambda x: {"slope": _like(x, 1, 2)},
    **{f"reduce{name}": _reduced for name in (
        "L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Product", "Sum", "SumSquare")},
    "reshape": lambda x: {"newShape": list(x.shape[::-1])},
    "resample2d": lambda x: {"options": {"sizes": [2 * size for size in x.shape[2:]]}},
    "scatterElements": lambda x: {"indices": _rows(x, 1, *x.shape[1:]), "updates": T(x.dtype, (1, *x.shape[1:]), x.values)},
    "scatterND": lambda x: {"indices": _rows(x, 1, 1), "updates": T(x.dtype, (1, *x.shape[1:]), x.values)},
    "slice": lambda x: {"starts": _ends(x, 0, 0), "sizes": list(x.shape), "options": {"strides": _ends(x, 2, 1)}},
    "split": lambda x: {"splits": [1, x.shape[0] - 1], "outputs": ("first", "rest")},
    "tile": lambda x: {"repetitions": _ends(x, 2, 1)},
    "triangular": lambda x: {"options": {"upper": False}},
    "where": lambda x: {"condition": T("uint8", x.shape, (1, 1, 0)), "trueValue": x, "falseValue": _like(x)},
}  # fmt: skip
"""By WebNN name: the other arguments, `options` among them, for a first operand; `outputs` where there are several. An
operator whose first operand is not called `input` has that too."""
