"""Element-wise unary operations: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.oracle import Array, oracle


def each(function: Callable[[float], float], x: Array) -> Array:
    """A function of numbers, of every element. The result is of the class of `x`."""
    return np.array([function(float(value)) for value in x.flat], np.float64).reshape(x.shape).view(type(x))


def _named(name: str, function: Any) -> None:
    def operator(input: Array) -> Array:
        return np.asarray(function(input))

    operator.__name__ = name
    oracle(operator)


for _name, _function in {
    "abs": np.abs,
    "ceil": np.ceil,
    "cos": np.cos,
    "erf": lambda x: each(math.erf, x),
    "exp": np.exp,
    "floor": np.floor,
    "identity": np.array,
    "log": np.log,
    "neg": np.negative,
    "reciprocal": lambda x: 1 / x,
    "round_even": np.rint,
    "sign": lambda x: (x > 0) * 1 - (x < 0) * 1,
    "sin": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
}.items():
    _named(_name, _function)
