"""WPT's tolerances: what the case says, or the sum of what each operator of its graph is allowed.

The formulas are those of web-platform-tests `webnn/resources/utils.js`, in ULP. Nothing is added to them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.cases import Case

Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Tolerance:
    """`metric` is ULP (distance in representable values) or ATOL (absolute difference)."""

    metric: str
    value: float

    def __post_init__(self) -> None:
        """ValueError for a rule that would not compare: any other metric, a negative, infinite or undefined value."""
        if self.metric not in ("ULP", "ATOL") or not 0 <= self.value < math.inf:
            raise ValueError(f"{self.metric} <= {self.value} is not a tolerance")

    def __str__(self) -> str:
        return f"{self.metric} <= {self.value:g}"


@dataclass(frozen=True)
class Call:
    """An operator of a case with the shapes of its operands."""

    arguments: Mapping[str, Any]
    options: Mapping[str, Any]
    shapes: Shapes
    dtype: str
    """Data type of the first expected output, which upstream takes for the whole graph's."""

    def shape(self, *names: str) -> tuple[int, ...]:
        return self.shapes[next(self.arguments[name] for name in names if name in self.arguments)]


def _conv(call: Call) -> float:
    # the letter order of a filter layout, whose i stands for input channels / groups in conv2d
    layout = call.options.get("filterLayout", "oihw")
    size = dict(zip(layout, call.shape("filter"), strict=True))
    channels = call.shape("input")[3 if call.options.get("inputLayout") == "nhwc" else 1]
    return float(2 * size["h"] * size["w"] * (channels / call.options.get("groups", 1)))


def _gemm(call: Call) -> float:
    options = call.options
    width = call.shape("a")[0 if options.get("aTranspose") else 1]
    added = "c" in options and options.get("beta") != 0
    return float(2 * width + (options.get("alpha", 1) != 1) + added + (added and options.get("beta", 1) != 1))


def _softmax(call: Call) -> float:
    return float(3 * call.shape("input")[call.arguments.get("axis", 1)] + 3)


def _pool(call: Call) -> float:
    first = 1 if call.options.get("layout") == "nhwc" else 2
    window = call.options.get("windowDimensions", call.shape("input")[first : first + 2])
    return float(math.prod(window) + 2)


def _reduced(factor: int, extra: int) -> Callable[[Call], float]:
    def elements(call: Call) -> float:
        shape = call.shape("input")
        axes = call.options.get("axes", range(len(shape)))
        return float(factor * math.prod(shape[axis] for axis in axes) + extra)

    return elements


def _resample(call: Call) -> float:
    return {"float32": 84, "float16": 10}.get(call.dtype, 1) if call.options.get("mode") == "linear" else 0


COMPUTED: dict[str, Callable[[Call], float]] = {
    "conv2d": _conv,
    "convTranspose2d": _conv,
    "matmul": lambda call: 2 * call.shape("a")[-1],
    "gemm": _gemm,
    "softmax": _softmax,
    "averagePool2d": _pool,
    "l2Pool2d": _pool,
    "resample2d": _resample,
    "reduceL1": _reduced(1, 0),
    "reduceL2": _reduced(2, 2),
    "reduceLogSum": _reduced(1, 18),
    "reduceLogSumExp": _reduced(2, 18),
    "reduceMean": _reduced(1, 2),
    "reduceProduct": _reduced(1, 0),
    "reduceSum": _reduced(1, 0),
    "reduceSumSquare": _reduced(2, 0),
}
"""Operators whose tolerance depends on shapes."""

FIXED: dict[str, float | Mapping[str, float]] = {
    **dict.fromkeys(("add", "sub", "mul", "prelu"), 1),
    **dict.fromkeys(("elu", "gelu", "softplus"), 18),
    **dict.fromkeys(("hardSigmoid", "linear"), 2),
    "batchNormalization": 6,
    "hardSwish": 4,
    "softsign": 3,
    "tanh": 16,
    "leakyRelu": {"float32": 1, "float16": 2},
    "sigmoid": {"float32": 34, "float16": 10},
}
"""Operators whose tolerance does not, for floats. Those that are in neither table are allowed nothing."""


def tolerance_of(case: Case, shapes: Shapes) -> Tolerance:
    """The tolerance of a case. `shapes` are those of all its named operands, intermediate ones too; they are needed where
    the case says `needsShapes`, and for a case that says nothing; of the latter, integers are exact."""
    given = case.tolerance or {}
    if given.get("value") is not None:
        return Tolerance(str(given.get("metricType", "ULP")), given["value"])
    if given and not given.get("needsShapes"):
        return Tolerance("ULP", 0)  # upstream's table has no entry for the type: an integer one, which is exact
    dtype = str(next(iter(case.graph["expectedOutputs"].values()))["descriptor"]["dataType"])
    if not given and not dtype.startswith("float"):
        return Tolerance("ULP", 0)  # upstream's formulas would allow an integer sum to be wrong
    return Tolerance("ULP", sum(_of_operator(operator, shapes, dtype) for operator in case.graph["operators"]))


def _of_operator(operator: Mapping[str, Any], shapes: Shapes, dtype: str) -> float:
    name = operator["name"]
    if not dtype.startswith("float") and name != "resample2d" and not name.startswith("reduce"):
        return 0
    if name in COMPUTED:
        return COMPUTED[name](_call(operator, shapes, dtype))
    fixed = FIXED.get(name, 0)
    return fixed[dtype] if isinstance(fixed, Mapping) else fixed


def _call(operator: Mapping[str, Any], shapes: Shapes, dtype: str) -> Call:
    arguments = {key: value for argument in operator["arguments"] for key, value in argument.items()}
    return Call(arguments, arguments.pop("options", {}), shapes, dtype)
