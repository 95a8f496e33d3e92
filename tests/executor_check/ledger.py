"""The ledger: every place where NVIDIA's documentation is silent, or hardware may differ, and the executor had to choose.

Each entry has a network that shows which it is. `expected` is what the stated choice gives, written by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from trtx_backend.trt import trt

NAN, INF = float("nan"), float("inf")
F32, F16 = np.float32, np.float16
Make = Callable[..., Any]


@dataclass(frozen=True)
class Assumption:
    name: str
    choice: str
    reason: str
    layers: tuple[str, ...]
    """Layers that depend on it, as "TYPE", "TYPE MODE" or "TYPE MODE DATATYPE" ("*": any mode)."""
    make: Make
    """Adds the probe to a network, from its input tensors; the result is the layer or the tensor."""
    inputs: tuple[Any, ...]
    expected: Any
    steps: float = 0
    """How many steps of the output's type the value may be off and still be the choice."""
    avoidable: str = ""
    """How a lowering can do without it."""


def f32(*values: float) -> Any:
    return np.array(values, F32)


def f16(*values: float) -> Any:
    return np.array(values, F16)


def i32(*values: int) -> Any:
    return np.array(values, np.int32)


def _elementwise(op: str) -> Make:
    return lambda n, a, b: n.add_elementwise(a, b, getattr(trt.ElementWiseOperation, op))


def _unary(op: str) -> Make:
    return lambda n, x: n.add_unary(x, getattr(trt.UnaryOperation, op))


def _cast(to: Any) -> Make:
    return lambda n, x: n.add_cast(x, to)


def _reduce(op: str) -> Make:
    return lambda n, x: n.add_reduce(x, getattr(trt.ReduceOperation, op), 1, False)


def _activation(kind: str, **parameters: float) -> Make:
    def make(n: Any, x: Any) -> Any:
        layer = n.add_activation(x, getattr(trt.ActivationType, kind))
        for name, value in parameters.items():
            setattr(layer, name, value)
        return layer

    return make


def _topk(op: str, output: int) -> Make:
    return lambda n, x: n.add_topk(x, getattr(trt.TopKOperation, op), 2, 2).get_output(output)


def _resize(coordinates: str, rounding: str, size: int) -> Make:
    def make(n: Any, x: Any) -> Any:
        layer = n.add_resize(x)
        layer.shape = (1, 1, 1, size)
        layer.resize_mode = trt.InterpolationMode.NEAREST if rounding else trt.InterpolationMode.LINEAR
        layer.coordinate_transformation = getattr(trt.ResizeCoordinateTransformation, coordinates)
        if rounding:
            layer.nearest_rounding = getattr(trt.ResizeRoundMode, rounding)
        return layer

    return make


def _product(n: Any, a: Any, b: Any) -> Any:
    return n.add_matrix_multiply(a, trt.MatrixOperation.NONE, b, trt.MatrixOperation.NONE)


def _bare_constant(n: Any, x: Any) -> Any:
    return n.add_constant((2,), trt.Weights(_BARE))


_BARE = f32(1.5, -2)


def _gather(n: Any, x: Any, indices: Any) -> Any:
    return n.add_gather(x, indices, 0)


def _scatter(n: Any, x: Any, indices: Any, updates: Any) -> Any:
    return n.add_scatter(x, indices, updates, trt.ScatterMode.ELEMENT)


def _max_pool(n: Any, x: Any) -> Any:
    return n.add_pooling_nd(x, trt.PoolingType.MAX, (1, 2))


def _softmax(n: Any, x: Any) -> Any:
    layer = n.add_softmax(x)
    layer.axes = 2
    return layer


def _prelu(n: Any, x: Any, slope: Any) -> Any:
    return n.add_parametric_relu(x, slope)


def _row(*values: float) -> Any:
    return np.array([[[values]]], F32)


_CLAMP_FIRST = "clamp before the cast"

LEDGER: tuple[Assumption, ...] = (
    Assumption("maximum of NaN", "NaN, whichever operand it is", "as IEEE's maximum; CUDA's fmaxf would give the number",
               ("ELEMENTWISE MAX", ), _elementwise("MAX"), (f32(NAN, 1), f32(1, NAN)), f32(NAN, NAN),
               avoidable="select(isnan(x), x, maximum)"),
    Assumption("minimum of NaN", "NaN, whichever operand it is", "as IEEE's minimum; CUDA's fminf would give the number",
               ("ELEMENTWISE MIN", ), _elementwise("MIN"), (f32(NAN, 1), f32(1, NAN)), f32(NAN, NAN),
               avoidable="select(isnan(x), x, minimum)"),
    Assumption("maximum of zeros", "0 where both operands equal 0, of either sign", "only the value is promised, not the sign",
               ("ELEMENTWISE MAX",), _elementwise("MAX"), (f32(0), f32(-0.0)), f32(0)),
    Assumption("relu of NaN", "NaN", "max(x, 0) as the layer's maximum; CUDA's fmaxf would give 0",
               ("ACTIVATION RELU",), _activation("RELU"), (f32(NAN, -1),), f32(NAN, 0)),
    Assumption("clip of NaN", "NaN", "max(alpha, min(beta, x)) as the layer's minimum and maximum",
               ("ACTIVATION CLIP",), _activation("CLIP", alpha=-1.0, beta=1.0), (f32(NAN, 2),), f32(NAN, 1)),
    Assumption("clip with alpha above beta", "alpha", "the documented formula max(alpha, min(beta, x)), read literally",
               ("ACTIVATION CLIP",), _activation("CLIP", alpha=3.0, beta=1.0), (f32(0, 2, 5),), f32(3, 3, 3),
               avoidable="refuse, as WebNN does"),
    Assumption("greatest element with NaN", "NaN", "as the element-wise maximum",
               ("REDUCE MAX",), _reduce("MAX"), (f32(1, NAN, 2),), F32(NAN)),
    Assumption("least element with NaN", "NaN", "as the element-wise minimum",
               ("REDUCE MIN",), _reduce("MIN"), (f32(1, NAN, 2),), F32(NAN)),
    Assumption("greatest of a window with NaN", "NaN", "as the element-wise maximum",
               ("POOLING MAX",), _max_pool, (_row(1, NAN, 2),), _row(NAN, NAN)),
    Assumption("NaN in the k greatest", "after all numbers", "a choice; the documentation says nothing of NaN",
               ("TOPK MAX",), _topk("MAX", 0), (f32(1, NAN, 2)[None],), f32(2, 1)[None],
               avoidable="replace NaN before the layer"),
    Assumption("NaN in the k least", "after all numbers", "a choice; the documentation says nothing of NaN",
               ("TOPK MIN",), _topk("MIN", 0), (f32(1, NAN, 2)[None],), f32(1, 2)[None],
               avoidable="replace NaN before the layer"),
    Assumption("ties in the k greatest", "the lower index first", "a stable order; the documentation says nothing of ties",
               ("TOPK MAX",), _topk("MAX", 1), (f32(5, 7, 7)[None],), i32(1, 2)[None]),
    Assumption("ties in the k least", "the lower index first", "a stable order; the documentation says nothing of ties",
               ("TOPK MIN",), _topk("MIN", 1), (f32(7, 5, 5)[None],), i32(1, 2)[None]),
    Assumption("float to int32, too great", "the nearest integer of the type", "as CUDA's conversion saturates",
               ("CAST INT32 FLOAT", "CAST INT32 HALF"), _cast(trt.int32), (f32(3e9, -3e9),), i32(2**31 - 1, -(2**31)),
               avoidable=_CLAMP_FIRST),
    Assumption("float to int64, too great", "the nearest integer of the type", "as CUDA's conversion saturates",
               ("CAST INT64 FLOAT", "CAST INT64 HALF"), _cast(trt.int64), (f32(1e20, -1e20),),
               np.array([2**63 - 1, -(2**63)], np.int64), avoidable=_CLAMP_FIRST),
    Assumption("NaN to int32", "0", "as CUDA's conversion",
               ("CAST INT32 FLOAT", "CAST INT32 HALF"), _cast(trt.int32), (f32(NAN),), i32(0), avoidable="select(isnan(x), 0, x)"),
    Assumption("infinity to int32", "the nearest integer of the type", "as CUDA's conversion saturates",
               ("CAST INT32 FLOAT", "CAST INT32 HALF"), _cast(trt.int32), (f32(INF, -INF),), i32(2**31 - 1, -(2**31)),
               avoidable=_CLAMP_FIRST),
    Assumption("int64 to int32, too great", "the low 32 bits", "as a conversion in C++ on every platform TensorRT runs on",
               ("CAST INT32 INT64",), _cast(trt.int32), (np.array([2**32 + 5, 2**31], np.int64),), i32(5, -(2**31)),
               avoidable=_CLAMP_FIRST),
    Assumption("float32 to float16, too great", "infinity", "as IEEE's rounding; a conversion that saturates would give 65504",
               ("CAST HALF FLOAT",), _cast(trt.float16), (f32(65520, -7e4),), f16(INF, -INF)),
    Assumption("float32 to float16, ties", "to even", "as IEEE's rounding and CUDA's default",
               ("CAST HALF FLOAT",), _cast(trt.float16), (f32(2049, 2051),), f16(2048, 2052)),
    Assumption("integers to float32, ties", "to even", "as CUDA's default conversion",
               ("CAST FLOAT INT32", "CAST FLOAT INT64"), _cast(trt.float32), (i32(2**24 + 1, 2**24 + 3),), f32(2**24, 2**24 + 4)),
    Assumption("NaN to bool", "true", "it is not zero",
               ("CAST BOOL FLOAT", "CAST BOOL HALF"), _cast(trt.bool), (f32(NAN, 0, 0.5),), np.array([True, False, True])),
    Assumption("subnormal float32", "kept", "IEEE; hardware may be set to flush them to 0",
               ("ELEMENTWISE PROD FLOAT", "ELEMENTWISE DIV FLOAT"), _elementwise("PROD"), (f32(2.0**-126), f32(0.5)), f32(2.0**-127)),
    Assumption("subnormal float16", "kept", "IEEE; hardware keeps them in float16 arithmetic as a rule",
               ("ELEMENTWISE PROD HALF", "ELEMENTWISE DIV HALF"), _elementwise("PROD"), (f16(2.0**-14), f16(0.5)), f16(2.0**-15)),
    Assumption("integer division", "truncates towards zero", "as in C++", ("ELEMENTWISE DIV INT32", "ELEMENTWISE DIV INT64"),
               _elementwise("DIV"), (i32(7, -7, 7, -7), i32(2, 2, -2, -2)), i32(3, -3, -3, 3)),
    Assumption("integer division by zero", "-1", "what CUDA's division leaves; undefined in C++",
               ("ELEMENTWISE DIV INT32", "ELEMENTWISE DIV INT64"), _elementwise("DIV"), (i32(7, -7), i32(0, 0)), i32(-1, -1)),
    Assumption("floor division of integers", "towards minus infinity", "the operation's name",
               ("ELEMENTWISE FLOOR_DIV INT32", "ELEMENTWISE FLOOR_DIV INT64"), _elementwise("FLOOR_DIV"), (i32(7, -7), i32(2, 2)), i32(3, -4)),
    Assumption("overflow of integers", "wraps around", "two's complement, as hardware does",
               ("ELEMENTWISE SUM INT32", "ELEMENTWISE PROD INT32", "ELEMENTWISE SUB INT32", "ELEMENTWISE SUM INT64"),
               _elementwise("SUM"), (i32(2**31 - 1), i32(1)), i32(-(2**31))),
    Assumption("power of integers, negative exponent", "the true result truncated", "a choice",
               ("ELEMENTWISE POW INT32", "ELEMENTWISE POW INT64"), _elementwise("POW"), (i32(2, -1, 1), i32(-1, -3, -2)), i32(0, -1, 1)),
    Assumption("power of a negative base", "as in C: a whole exponent keeps the sign, another gives NaN", "pow of C++",
               ("ELEMENTWISE POW FLOAT", "ELEMENTWISE POW HALF"), _elementwise("POW"), (f32(-2, -2, -8), f32(3, 2, 1 / 3)), f32(-8, 4, NAN),
               avoidable="abs and sign, where the exponent is known"),
    Assumption("zero to the power of zero", "1", "pow of C++", ("ELEMENTWISE POW FLOAT", "ELEMENTWISE POW HALF"),
               _elementwise("POW"), (f32(0, NAN), f32(0, 0)), f32(1, 1)),
    Assumption("mean of integers", "truncates towards zero", "as the division layer",
               ("REDUCE AVG INT32", "REDUCE AVG INT64"), _reduce("AVG"), (i32(-3, -4),), np.int32(-3),
               avoidable="sum, then divide as wanted"),
    Assumption("rounding", "half to even", "named ROUND, and documented so for quantization only",
               ("UNARY ROUND",), _unary("ROUND"), (f32(0.5, 1.5, -2.5),), f32(0, 2, -2)),
    Assumption("sign of NaN", "NaN", "as numpy; a comparison with 0 would give 0", ("UNARY SIGN",), _unary("SIGN"), (f32(NAN, -0.0),), f32(NAN, 0),
               avoidable="two comparisons"),
    Assumption("logarithm of a negative number", "NaN; of zero minus infinity", "IEEE", ("UNARY LOG",), _unary("LOG"), (f32(-1, 0),), f32(NAN, -INF)),
    Assumption("sine of a great number", "the argument is reduced exactly", "fast hardware instructions are off by far here",
               ("UNARY SIN",), _unary("SIN"), (f32(1e5),), f32(0.035748797), steps=4),
    Assumption("tangent near its pole", "1 over the distance to the pole, within 4 steps", "sine over cosine, each in float32, loses digits here", ("UNARY TAN",), _unary("TAN"),
               (f32(1.5707),), f32(10386.654), steps=4),
    Assumption("exp of a small number", "a subnormal, not 0", "IEEE", ("UNARY EXP",), _unary("EXP"), (f32(-100),), f32(3.783506e-44), steps=1),
    Assumption("erf near zero", "keeps its digits", "1 - erfc would cancel", ("UNARY ERF",), _unary("ERF"), (f32(1e-6),), f32(1.1283792e-06), steps=2),
    Assumption("elu near zero", "keeps its digits (expm1)", "exp(x) - 1, as the formula has it, cancels: -1e-7 would give -1.19e-7",
               ("ACTIVATION ELU",), _activation("ELU", alpha=1.0), (f32(-1e-7),), f32(-1e-7), steps=8),
    Assumption("softplus of a great number", "x, without overflow", "log(exp(x) + 1), read literally, overflows to infinity",
               ("ACTIVATION SOFTPLUS",), _activation("SOFTPLUS", alpha=1.0, beta=1.0), (f32(200),), f32(200),
               avoidable="max(x, 0) + log(1 + exp(-|x|))"),
    Assumption("softplus far below zero", "exp(x)", "log(1 + exp(x)) in float32 rounds to 0", ("ACTIVATION SOFTPLUS",),
               _activation("SOFTPLUS", alpha=1.0, beta=1.0), (f32(-20),), f32(2.0611537e-09), steps=8),
    Assumption("GELU far below zero", "keeps its digits (erfc)", "1 + erf(x / sqrt(2)) cancels below about -4 in float32",
               ("ACTIVATION GELU_ERF",), _activation("GELU_ERF"), (f32(-6),), f32(-5.9195267e-09), steps=64),
    Assumption("GELU of minus infinity", "NaN", "the formula has infinity times 0", ("ACTIVATION GELU_ERF",),
               _activation("GELU_ERF"), (f32(-INF),), f32(NAN)),
    Assumption("softsign of infinity", "its limit 1", "x / (1 + |x|), read literally, is NaN", ("ACTIVATION SOFTSIGN",),
               _activation("SOFTSIGN"), (f32(INF, -INF),), f32(1, -1)),
    Assumption("sigmoid of a great negative number", "exp(x), not 0", "1 / (1 + exp(-x)) overflows to 0 below -88.7",
               ("ACTIVATION SIGMOID",), _activation("SIGMOID"), (f32(-89),), f32(2.227364e-39), steps=1000),
    Assumption("leaky relu of minus zero", "0, of either sign", "only the value is promised", ("ACTIVATION LEAKY_RELU",),
               _activation("LEAKY_RELU", alpha=0.5), (f32(-0.0, -2),), f32(0, -1)),
    Assumption("parametric relu of NaN", "NaN", "the product of the slope", ("PARAMETRIC_RELU",), _prelu, (f32(NAN, -2), f32(0.5, 0.5)), f32(NAN, -1)),
    Assumption("softmax with infinity", "NaN", "the greatest is subtracted first: infinity minus infinity", ("SOFTMAX",),
               _softmax, (f32(INF, 1)[None],), f32(NAN, NAN)[None]),
    Assumption("softmax of minus infinities", "NaN", "nothing is left to share (an attention row that is masked wholly)", ("SOFTMAX",),
               _softmax, (f32(-INF, -INF)[None],), f32(NAN, NAN)[None]),
    Assumption("softmax of great numbers", "no overflow", "the greatest is subtracted first", ("SOFTMAX",), _softmax, (f32(1000, 1000)[None],), f32(0.5, 0.5)[None]),
    Assumption("float16 matrix product", "accumulated in float32 or wider, rounded once", "tensor cores can accumulate in float16",
               ("MATRIX_MULTIPLY * HALF",), _product, (np.array([[2048, 1, 1]], F16), np.ones((3, 1), F16)), np.array([[2050]], F16)),
    Assumption("float32 matrix product", "in float32 digits", "TF32 keeps 10 bits of each factor and is on by default",
               ("MATRIX_MULTIPLY * FLOAT", "CONVOLUTION * FLOAT"), _product, (np.array([[1 + 2.0**-20]], F32), np.ones((1, 1), F32)),
               np.array([[1 + 2.0**-20]], F32), avoidable="clear BuilderFlag.TF32"),
    Assumption("float16 sum", "accumulated in float32 or wider, rounded once", "float16 would stay at 2048",
               ("REDUCE SUM HALF", "REDUCE AVG HALF"), _reduce("SUM"), (f16(2048, 1, 1),), F16(2050), avoidable="cast to float32 around it"),
    Assumption("order of a sum", "exact, rounded once", "hardware adds in float32 in an order of its own: the probe tells only whether it is exact",
               ("REDUCE SUM FLOAT", "REDUCE AVG FLOAT", "CUMULATIVE * FLOAT"), _reduce("SUM"), (f32(2**24, 1, 1),), F32(2**24 + 2)),
    Assumption("nearest, ties", "HALF_DOWN rounds half down", "the name; float32 coordinates may lie beside the tie",
               ("RESIZE NEAREST",), _resize("HALF_PIXEL", "HALF_DOWN", 3), (_row(0, 10, 20, 30, 40, 50),), _row(0, 20, 40)),
    Assumption("nearest, scale that float32 cannot hold", "coordinates in float64 from the sizes", "float32 of 1/3 may fall short of a whole coordinate",
               ("RESIZE NEAREST",), _resize("ASYMMETRIC", "FLOOR", 9), (_row(0, 10, 20),), _row(0, 0, 0, 10, 10, 10, 20, 20, 20),
               avoidable="whole factors: repeat elements by a reshape"),
    Assumption("linear, neighbour of weight 0", "is read all the same: infinity there gives NaN", "two taps at each place",
               ("RESIZE LINEAR",), _resize("ALIGN_CORNERS", "", 5), (_row(1, INF, 2),), _row(NAN, INF, INF, INF, 2)),
    Assumption("negative index", "counts from the end", "NVIDIA's parser of ONNX hands negative indices on to the layer",
               ("GATHER",), _gather, (f32(1, 2, 3), i32(-1)), f32(3), avoidable="add the size where it is negative"),
    Assumption("several updates of one place", "the last wins", "the order of the updates; threads have none", ("SCATTER",),
               _scatter, (f32(0, 0), i32(0, 0), f32(1, 2)), f32(2, 0)),
    Assumption("a constant as output", "its value", "TensorRT refuses it for some types; an identity layer in between helps",
               ("CONSTANT",), _bare_constant, (f32(0),), _BARE.copy(), avoidable="an identity layer"),
)  # fmt: skip
