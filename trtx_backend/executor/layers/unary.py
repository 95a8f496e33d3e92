"""IUnaryLayer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, as_stored, reads
from trtx_backend.executor.layers.error_function import erf
from trtx_backend.trt import Layer, trt

Op = trt.UnaryOperation


def _reciprocal(x: Array) -> Array:
    return 1.0 / x


FUNCTIONS: dict[object, Callable[[Array], Array]] = {
    Op.EXP: np.exp,
    Op.LOG: np.log,
    Op.SQRT: np.sqrt,
    Op.RECIP: _reciprocal,
    Op.ABS: np.abs,
    Op.NEG: np.negative,
    Op.SIN: np.sin,
    Op.COS: np.cos,
    Op.TAN: np.tan,
    Op.SINH: np.sinh,
    Op.COSH: np.cosh,
    Op.ASIN: np.arcsin,
    Op.ACOS: np.arccos,
    Op.ATAN: np.arctan,
    Op.ASINH: np.arcsinh,
    Op.ACOSH: np.arccosh,
    Op.ATANH: np.arctanh,
    Op.CEIL: np.ceil,
    Op.FLOOR: np.floor,
    Op.ERF: erf,
    Op.NOT: np.logical_not,
    Op.SIGN: np.sign,
    Op.ROUND: np.rint,
    Op.ISINF: np.isinf,
    Op.ISNAN: np.isnan,
}


as_stored(np.abs, np.negative, np.sqrt, np.isinf, np.isnan)


@reads(trt.LayerType.UNARY, pointwise=True)
def unary(layer: Layer) -> Kernel:
    return FUNCTIONS[layer.op]
