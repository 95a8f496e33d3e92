"""elu, gelu, hardSigmoid, hardSwish, leakyRelu, linear, prelu, sigmoid, softplus, softsign, tanh: by their formulas in
https://www.w3.org/TR/webnn/#api-mlgraphbuilder"""

from __future__ import annotations

import math

import numpy as np

from conformance.oracle import Array, is_float, oracle
from conformance.oracle.elementwise_unary import each


def logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def softplus_of(x: float) -> float:
    return x + math.log1p(math.exp(-x)) if x > 0 else math.log1p(math.exp(x))


@oracle
def elu(input: Array, *, alpha: float = 1.0) -> Array:
    return np.where(input > 0, input, alpha * np.expm1(np.minimum(input, 0)))


@oracle
def gelu(input: Array) -> Array:
    # for large negative values 1 + erf cancels: erfc keeps its digits
    return each(lambda x: 0.5 * x * math.erfc(-x / math.sqrt(2)), input)


@oracle
def hard_sigmoid(input: Array, *, alpha: float = 0.2, beta: float = 0.5) -> Array:
    return np.maximum(0, np.minimum(1, alpha * input + beta))


@oracle
def hard_swish(input: Array) -> Array:
    return np.asarray(input * np.maximum(0, np.minimum(6, input + 3)) / 6)


@oracle
def leaky_relu(input: Array, *, alpha: float = 0.01) -> Array:
    return np.where(input > 0, input, alpha * input)


@oracle
def linear(input: Array, *, alpha: float = 1.0, beta: float = 0.0) -> Array:
    return alpha * input + beta


@oracle
def prelu(input: Array, slope: Array) -> Array:
    product = input * slope
    return np.where(input > 0, input, product if is_float(input) else product.astype(input.dtype))


@oracle
def sigmoid(input: Array) -> Array:
    return each(logistic, input)


@oracle
def softplus(input: Array) -> Array:
    return each(softplus_of, input)


@oracle
def softsign(input: Array) -> Array:
    return input / (1 + np.abs(input))


@oracle
def tanh(input: Array) -> Array:
    return each(math.tanh, input)
