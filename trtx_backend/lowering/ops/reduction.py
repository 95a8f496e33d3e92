"""Reduction operations. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce"""

from __future__ import annotations

from collections.abc import Callable

from trtx_backend.graph.ir import Shape
from trtx_backend.lowering.common.axes import mask
from trtx_backend.lowering.common.casts import EXACT, from_ordered, in_float32, ordered
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

Op = trt.ElementWiseOperation
Reduce = trt.ReduceOperation
Unary = trt.UnaryOperation


def reduce(w: Writer, tensor: ITensor, operation: object, axes: Shape, keep: bool) -> ITensor:
    """A reduce layer; none where no axis is reduced."""
    return w.add("reduce", tensor, operation, mask(axes), keep) if axes else tensor


@lowers("reduceMax", "reduceMin", values=True)
def extremum(w: Writer, input: Value, *, axes: Shape, keep_dimensions: bool) -> ITensor | Value:
    if not axes:
        return input
    dtype = w.op.dtype("input")
    operation = Reduce.MAX if w.op.name == "reduceMax" else Reduce.MIN
    values = ordered(w, input.form(w, EXACT.get(dtype)), dtype)
    return from_ordered(w, reduce(w, values, operation, axes, keep_dimensions), dtype)


Accumulation = Callable[[Writer, ITensor, Shape, bool], ITensor]
"""Computes a reduction of a tensor over axes, which it keeps or not."""


def accumulates(*names: str) -> Callable[[Accumulation], Accumulation]:
    """Register what adds up or multiplies elements. A float16 graph does so in float32: on the way to a result that
    float16 holds, squares and partial sums overflow it, and a total of many terms stops growing. Whether a reduce layer
    of HALF accumulates in more than HALF is not documented. Without axes there is nothing to accumulate."""

    def register(function: Accumulation) -> Accumulation:
        @lowers(*names)
        def lowering(w: Writer, input: ITensor, *, axes: Shape, keep_dimensions: bool) -> ITensor:
            if not axes or input.dtype != trt.float16:
                return function(w, input, axes, keep_dimensions)
            return in_float32(w, input, lambda x: function(w, x, axes, keep_dimensions))

        return function

    return register


PLAIN = {"reduceSum": Reduce.SUM, "reduceProduct": Reduce.PROD, "reduceMean": Reduce.AVG}


@accumulates(*PLAIN)
def plain(w: Writer, x: ITensor, axes: Shape, keep: bool) -> ITensor:
    return reduce(w, x, PLAIN[w.op.name], axes, keep)


@accumulates("reduceL1")
def l1(w: Writer, x: ITensor, axes: Shape, keep: bool) -> ITensor:
    magnitude = x if w.op.dtype("input").startswith("uint") else w.unary(x, Unary.ABS)
    return reduce(w, magnitude, Reduce.SUM, axes, keep)


@accumulates("reduceSumSquare")
def square_sum(w: Writer, x: ITensor, axes: Shape, keep: bool) -> ITensor:
    return reduce(w, w.elementwise(x, Op.PROD, x), Reduce.SUM, axes, keep)


@accumulates("reduceL2")
def l2(w: Writer, x: ITensor, axes: Shape, keep: bool) -> ITensor:
    return w.unary(square_sum(w, x, axes, keep), Unary.SQRT) if axes else w.unary(x, Unary.ABS)


@accumulates("reduceLogSum")
def log_sum(w: Writer, x: ITensor, axes: Shape, keep: bool) -> ITensor:
    return w.unary(reduce(w, x, Reduce.SUM, axes, keep), Unary.LOG)


@accumulates("reduceLogSumExp")
def log_sum_exp(w: Writer, x: ITensor, axes: Shape, keep: bool) -> ITensor:
    """greatest + log(sum(exp(x - greatest))), which cannot overflow. An infinite greatest element would make NaN of
    inf - inf; without it the formula is right as it stands."""
    if not axes:
        return x
    greatest = reduce(w, x, Reduce.MAX, axes, True)
    greatest = w.select(w.unary(greatest, Unary.ISINF), w.scalar(0, greatest), greatest)
    total = reduce(w, w.unary(w.elementwise(x, Op.SUB, greatest), Unary.EXP), Reduce.SUM, axes, True)
    result = w.elementwise(greatest, Op.SUM, w.unary(total, Unary.LOG))
    return result if keep else w.reshape(result, tuple(s for i, s in enumerate(x.shape) if i not in axes))
