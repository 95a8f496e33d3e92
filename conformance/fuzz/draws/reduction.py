"""Reductions, argMin and argMax, cumulativeSum, softmax, the normalizations, quantization."""

from __future__ import annotations

import numpy as np

from conformance.fuzz.draft import Draft, Shape
from conformance.fuzz.draws import allowed, draws
from conformance.fuzz.draws.movement import axes, axis
from conformance.fuzz.values import floats
from trtx_backend.dtypes import FLOATS

EPSILONS = (1e-5, 1e-3, 0.5, 0, 1e-12)


@draws("reduceL1", "reduceL2", "reduceLogSum", "reduceLogSumExp", "reduceMax", "reduceMean", "reduceMin",
       "reduceProduct", "reduceSum", "reduceSumSquare")  # fmt: skip
def reduce(draft: Draft, name: str) -> None:
    operand = draft.operand(allowed(name, "input"))
    options = draft.options(axes=lambda: axes(draft, draft[operand].rank), keepDimensions=draft.chance)
    draft.call(name, options, input=operand)


@draws("argMin", "argMax")
def arg(draft: Draft, name: str) -> None:
    operand = draft.operand(allowed(name, "input"), low=1)
    options = draft.options(keepDimensions=draft.chance, outputDataType=lambda: draft.pick(("int32", "int64")))
    draft.call(name, options, input=operand, axis=axis(draft, operand))


@draws("cumulativeSum")
def cumulative_sum(draft: Draft, name: str) -> None:
    operand = draft.operand(allowed(name, "input"), low=1)
    options = draft.options(exclusive=draft.chance, reversed=draft.chance)
    draft.call(name, options, input=operand, axis=axis(draft, operand))


@draws("softmax")
def softmax(draft: Draft, name: str) -> None:
    operand = draft.operand(FLOATS, low=1)
    draft.call(name, input=operand, axis=axis(draft, operand))


def positive(draft: Draft, dtype: str, shape: Shape, name: str = "x") -> str:
    """A tensor of values greater than 0, or 0 at times."""
    kind = draft.pick(("plain", "digits", "wide", "subnormal"))
    values = np.abs(floats(dtype, kind, draft.integer(0, 9999), int(np.prod(shape))))
    return draft.tensor(dtype, shape, values if draft.chance(8) else np.where(values == 0, 1, values), name=name)


@draws("batchNormalization")
def batch_normalization(draft: Draft, name: str) -> None:
    operand = draft.operand(FLOATS, low=1)
    place, dtype = axis(draft, operand), draft[operand].dtype
    options = draft.options(epsilon=lambda: draft.pick(EPSILONS))
    if place != 1 or draft.chance():
        options["axis"] = place
    each = (draft[operand].shape[place],)
    options |= draft.options(scale=lambda: draft.of_shape(dtype, each), bias=lambda: draft.of_shape(dtype, each))
    mean, variance = draft.of_shape(dtype, each), positive(draft, dtype, each)
    draft.call(name, options, input=operand, mean=mean, variance=variance)


@draws("instanceNormalization")
def instance_normalization(draft: Draft, name: str) -> None:
    operand = draft.operand(FLOATS, low=4, high=4)
    dtype = draft[operand].dtype
    options = draft.options(epsilon=lambda: draft.pick(EPSILONS), layout=lambda: draft.pick(("nchw", "nhwc")))
    each = (draft[operand].shape[options.get("layout", "nchw").index("c")],)
    options |= draft.options(scale=lambda: draft.of_shape(dtype, each), bias=lambda: draft.of_shape(dtype, each))
    draft.call(name, options, input=operand)


@draws("layerNormalization")
def layer_normalization(draft: Draft, name: str) -> None:
    operand = draft.operand(FLOATS)
    dtype, shape = draft[operand].dtype, draft[operand].shape
    options = draft.options(epsilon=lambda: draft.pick(EPSILONS), axes=lambda: axes(draft, len(shape)))
    each = tuple(shape[i] for i in options.get("axes", range(1, len(shape))))
    options |= draft.options(scale=lambda: draft.of_shape(dtype, each), bias=lambda: draft.of_shape(dtype, each))
    draft.call(name, options, input=operand)


def _blocks(draft: Draft, shape: Shape) -> Shape:
    """Sizes that divide these."""
    return tuple(draft.pick([d for d in range(1, size + 1) if size % d == 0]) for size in shape)


@draws("quantizeLinear")
def quantize_linear(draft: Draft, name: str) -> None:
    operand = draft.operand(FLOATS)
    blocks = _blocks(draft, draft[operand].shape)
    scale = positive(draft, draft[operand].dtype, blocks, "scale")
    zero = draft.tensor(draft.dtype(allowed(name, "zero_point")), blocks)
    draft.call(name, input=operand, scale=scale, zeroPoint=zero)


@draws("dequantizeLinear")
def dequantize_linear(draft: Draft, name: str) -> None:
    operand = draft.operand(allowed(name, "input"))
    blocks = _blocks(draft, draft[operand].shape)
    scale = positive(draft, draft.dtype(FLOATS), blocks, "scale")
    draft.call(name, input=operand, scale=scale, zeroPoint=draft.of_shape(draft[operand].dtype, blocks))
