"""Differences that are explained: each with its reason, all of them listed in docs/tensorrt-findings.md."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trtx_backend.dtypes import Array

STEPS_INSIDE = {"reduceL2", "reduceMean", "reduceLogSum", "l2Pool2d", "averagePool2d", "lstm", "lstmCell", "gru", "gruCell", "gemm", "matmul", "conv2d",
                  "convTranspose2d", "batchNormalization", "instanceNormalization", "layerNormalization"}  # fmt: skip
"""Operators whose steps, squares and sums, may leave float32's range where their result does not."""

RECURRENT = {"gru", "gruCell", "lstm", "lstmCell"}

OPEN_AT_INFINITY = {"softsign", "gelu", "hardSwish"}
"""NaN by the formula, a number by its limit: the specification leaves it open."""


def explained(operator: str, cause: str, text: str, arrays: Mapping[str, Array]) -> str:
    """Why a difference of this operator, cause and text is none, or nothing. `arrays`: the operands of the call."""
    floats = [array for array in arrays.values() if array.dtype.kind == "f"]
    if cause == "NETWORK" and "alpha" in text and "finite" in text:
        return "an activation layer's alpha and beta must be finite"
    if cause == "ENGINE" and "deconv_lowering.cpp" in text:
        return "TensorRT does not compile a deconvolution of a constant with groups and dilations"
    if cause != "MISMATCH":
        return ""
    if operator == "pow" and not floats:
        return "a power of integers beyond their type"
    if not floats:
        return ""
    if operator in ("quantizeLinear", "cast") and any(np.isnan(array).any() for array in floats):
        return "NaN to an integer"
    finite = all(np.isfinite(array).all() for array in floats)
    if not finite and operator in ("conv2d", "convTranspose2d", "resample2d"):
        return "a tap of weight 0 on an infinity or NaN: whether it counts is the implementation's choice"
    if not finite and operator == "prelu":
        return "prelu of 0 with an infinite slope: NaN by the formula, and not selected"
    if not finite and operator in RECURRENT:
        return "a gate that underflows to 0 in float32, on an infinite state"
    if not finite and operator in OPEN_AT_INFINITY:
        return "softsign, gelu or hardSwish of an infinity"
    if operator == "gemm" and floats[0].dtype == np.float16:
        return "a float16 product beyond float16 to which c is added"
    if operator in STEPS_INSIDE:
        sizes = np.concatenate([np.abs(array[np.isfinite(array) & (array != 0)]).reshape(-1) for array in floats])
        if sizes.size and sizes.max() > 1e3 and operator in RECURRENT:
            return "a recurrent operator on huge values: a gate hangs on the rounding of what cancels"
        if sizes.size and (sizes.max() > 1e17 or sizes.min() < 1e-17):
            return "a step inside leaves the range of float32, which is the widest type of TensorRT"
    return ""
