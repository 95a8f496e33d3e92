"""Pooling and resample2d. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pool2d, #…-resample2d-method

What the specification does not say: whether padding counts in an average (here it does not), and what a window gives
that has nothing but padding (here 0); both as in WPT's cases.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from tests.by_hand.form import INF, NAN, Case, Tensor, count, f16, f32, fill, flat, mixed, one, refused, u8


def pool2d(
    op: str,
    x: Tensor,
    windowDimensions: tuple[int, int] | None = None,
    padding: tuple[int, ...] = (0, 0, 0, 0),
    strides: tuple[int, int] = (1, 1),
    dilations: tuple[int, int] = (1, 1),
    layout: str = "nchw",
    outputShapeRounding: str = "floor",
    outputSizes: tuple[int, int] | None = None,
) -> Tensor:
    """The elements of each window that lie in the input, and what the operator makes of them."""
    h, w = (2, 3) if layout == "nchw" else (1, 2)
    window = windowDimensions or (x.shape[h], x.shape[w])
    rounded = math.floor if outputShapeRounding == "floor" else math.ceil
    shape = list(x.shape)
    for side, axis in ((0, h), (1, w)):
        free = x.shape[axis] - (window[side] - 1) * dilations[side] - 1 + padding[2 * side] + padding[2 * side + 1]
        shape[axis] = rounded(Fraction(free, strides[side]) + 1) if outputSizes is None else outputSizes[side]

    def element(index: tuple[int, ...]) -> Any:
        seen = []
        for r in range(window[0]):
            for s in range(window[1]):
                place = list(index)
                place[h] = index[h] * strides[0] - padding[0] + r * dilations[0]
                place[w] = index[w] * strides[1] - padding[2] + s * dilations[1]
                if 0 <= place[h] < x.shape[h] and 0 <= place[w] < x.shape[w]:
                    seen.append(x[tuple(place)])
        if not seen:
            return 0
        if op == "maxPool2d":
            return max(seen)
        return Fraction(sum(seen)) / len(seen) if op == "averagePool2d" else math.sqrt(sum(v * v for v in seen))

    return fill(x.dtype, tuple(shape), element)


def _pools(name: str, x: Tensor, **options: Any) -> dict[str, Case]:
    listed = {key: list(value) if isinstance(value, tuple) else value for key, value in options.items()}
    ops = ("averagePool2d", "l2Pool2d", "maxPool2d")
    ulps = {"averagePool2d": 2, "l2Pool2d": 2, "maxPool2d": 0}
    return {op: one(name, op, pool2d(op, x, **options), input=x, options=listed, ulp=ulps[op]) for op in ops}


def _x(*shape: int, dtype: str = "float32") -> Tensor:
    return mixed(dtype, shape, 11, low=-9, high=9)


POOLS = [
    _pools("uneven window", _x(2, 3, 4, 5), windowDimensions=(2, 3)),
    _pools(
        "everything uneven",
        _x(1, 2, 7, 6),
        windowDimensions=(3, 2),
        padding=(2, 0, 1, 0),
        strides=(2, 3),
        dilations=(2, 1),
    ),
    _pools("the whole of it", _x(2, 2, 3, 4)),
    _pools("the whole of it, nhwc", _x(2, 3, 4, 2), layout="nhwc"),
    _pools(
        "nhwc, uneven", _x(1, 4, 5, 3), windowDimensions=(2, 3), padding=(1, 0, 0, 2), strides=(1, 2), layout="nhwc"
    ),
    _pools(
        "rounded up: the last window is cut",
        _x(1, 1, 5, 7),
        windowDimensions=(2, 3),
        strides=(2, 3),
        outputShapeRounding="ceil",
    ),
    _pools(
        "rounded up, with padding and dilations",
        _x(1, 2, 6, 5),
        windowDimensions=(2, 2),
        padding=(1, 0, 0, 1),
        strides=(3, 2),
        dilations=(2, 3),
        outputShapeRounding="ceil",
    ),
    _pools(
        "rounded up, where nothing is left over",
        _x(1, 1, 4, 6),
        windowDimensions=(2, 2),
        strides=(2, 2),
        outputShapeRounding="ceil",
    ),
    _pools(
        "output sizes that are rounded up", _x(1, 2, 5, 6), windowDimensions=(2, 3), strides=(2, 2), outputSizes=(3, 3)
    ),
    _pools(
        "output sizes that are rounded down",
        _x(1, 2, 5, 6),
        windowDimensions=(2, 3),
        strides=(2, 2),
        outputSizes=(2, 2),
        outputShapeRounding="ceil",
    ),
    _pools(
        "float16, all negative, padded",
        mixed("float16", (1, 1, 3, 4), 4, -8, -1),
        windowDimensions=(2, 2),
        padding=(1, 1, 1, 1),
    ),
    _pools("window 1 and strides", _x(1, 1, 5, 4), windowDimensions=(1, 1), strides=(3, 2)),
    _pools("a row, dilated", _x(1, 1, 1, 9), windowDimensions=(1, 3), dilations=(5, 3), strides=(4, 2)),
    _pools("the first windows wholly in padding", _x(1, 2, 2, 3), windowDimensions=(2, 2), padding=(3, 0, 0, 1)),
    _pools(
        "padding beyond the window and a stride",
        _x(1, 1, 3, 4),
        windowDimensions=(1, 2),
        padding=(2, 3, 5, 4),
        strides=(3, 4),
    ),
    _pools(
        "nothing but padding",
        mixed("float32", (1, 1, 1, 1), 4, -8, -1),
        windowDimensions=(2, 1),
        padding=(4, 0, 2, 0),
        strides=(5, 5),
    ),
    _pools(
        "dilated windows step over the input",
        mixed("float32", (1, 1, 1, 2), 4, -8, -1),
        windowDimensions=(1, 2),
        padding=(0, 0, 3, 3),
        dilations=(1, 4),
    ),
    _pools("a constant", _x(1, 2, 3, 3).const(), windowDimensions=(2, 1), padding=(0, 1, 0, 0)),
]

CASES: dict[str, list[Case]] = {op: [table[op] for table in POOLS] for op in ("averagePool2d", "l2Pool2d", "maxPool2d")}


def _max(name: str, x: Tensor, **options: Any) -> Case:
    listed = {key: list(value) if isinstance(value, tuple) else value for key, value in options.items()}
    return one(name, "maxPool2d", pool2d("maxPool2d", x, **options), input=x, options=listed)


CASES["maxPool2d"] += [
    _max(
        "int8, all negative, padded",
        mixed("int8", (1, 2, 3, 4), 6, -128, -100),
        windowDimensions=(2, 3),
        padding=(1, 0, 2, 1),
    ),
    _max(
        "int32 at its least, padded",
        flat("int32", (1, 1, 1, 3), [-(2**31)] * 3),
        windowDimensions=(1, 2),
        padding=(0, 0, 1, 1),
    ),
    _max(
        "int64 beyond 2^53, padded",
        flat("int64", (1, 1, 2, 2), [-(2**53) - 1, -(2**53), -(2**53) - 2, -(2**53) - 3]),
        windowDimensions=(2, 1),
        padding=(1, 1, 0, 0),
    ),
    _max(
        "uint64 above the signed range",
        flat("uint64", (1, 1, 2, 3), [2**63, 1, 2**64 - 1, 5, 2**63 - 1, 2**64 - 2]),
        windowDimensions=(1, 2),
        padding=(0, 0, 0, 1),
    ),
    _max(
        "uint32 above the signed range, nhwc",
        flat("uint32", (1, 3, 1, 2), [2**31, 1, 5, 2**32 - 1, 2**31 - 1, 7]),
        windowDimensions=(2, 1),
        layout="nhwc",
    ),
    _max("uint8", u8([[[[1, 200, 130], [127, 128, 0]]]]), windowDimensions=(2, 2), strides=(1, 1)),
    _max(
        "int8, the first window wholly in padding",
        mixed("int8", (1, 1, 1, 2), 6, -128, -100),
        windowDimensions=(1, 1),
        padding=(1, 0, 0, 0),
    ),
    _max("minus infinity, padded", f32([[[[-INF, -INF, -3]]]]), windowDimensions=(1, 2), padding=(0, 0, 1, 0)),
]
CASES["averagePool2d"] += [
    one(
        "float16: the sum is beyond float16",
        "averagePool2d",
        f16([[[[60000]]]]),
        input=f16([[[[60000, 60000, 60000]]]]),
    ),
    one(
        "one infinity",
        "averagePool2d",
        f32([[[[INF, INF, 1.5]]]]),
        input=f32([[[[0, INF, 1, 2]]]]),
        options={"windowDimensions": [1, 2]},
    ),
]
CASES["l2Pool2d"] += [
    one("float16: the squares are beyond float16", "l2Pool2d", f16([[[[500]]]]), input=f16([[[[300, -400]]]])),
    one(
        "float16: the squares vanish",
        "l2Pool2d",
        f16([[[[5 * 2.0**-14]]]]),
        input=f16([[[[-3 * 2.0**-14, 4 * 2.0**-14]]]]),
    ),
]


def resample(x: Tensor, axes: tuple[int, int], sizes: tuple[int, int], linear: bool) -> Tensor:
    """Spec, resample2d, in fractions: where each output coordinate lies in the input, and what is there."""
    shape = list(x.shape)
    for axis, size in zip(axes, sizes, strict=True):
        shape[axis] = size

    def source(position: int, axis: int) -> Fraction:
        scale = Fraction(shape[axis], x.shape[axis])
        unclamped = (position + Fraction(1, 2)) / scale - Fraction(1, 2)
        return min(max(unclamped, Fraction(0)), Fraction(x.shape[axis] - 1))

    def element(index: tuple[int, ...]) -> Any:
        total: Any = 0
        corners: list[list[tuple[int, Fraction]]] = []
        for axis in axes:
            at = source(index[axis], axis)
            if linear:
                low, part = math.floor(at), at - math.floor(at)
                corners.append([(low, 1 - part)] + ([(low + 1, part)] if part else []))
            else:
                corners.append([(math.ceil(at - Fraction(1, 2)), Fraction(1))])
        for first, first_part in corners[0]:
            for second, second_part in corners[1]:
                place = list(index)
                place[axes[0]], place[axes[1]] = first, second
                total += x[tuple(place)] * first_part * second_part
        return total if linear else int(total)

    return fill(x.dtype, tuple(shape), element)


def _resample(
    name: str, x: Tensor, sizes: tuple[int, int], ulp: int = 0, axes: tuple[int, int] | None = None, **options: Any
) -> Case:
    used = axes or (2, 3)
    given = options if "scales" in options else {**options, "sizes": list(sizes)}
    if axes:
        given["axes"] = list(axes)
    expected = resample(x, used, sizes, options.get("mode") == "linear")
    return one(name, "resample2d", expected, input=x, options=given, ulp=ulp)


def _image(*shape: int, dtype: str = "float32") -> Tensor:
    return mixed(dtype, shape, 21, -20, 20)


CASES["resample2d"] = [
    # An output coordinate in the middle of two input elements takes the lower one: ceil(0.5 - 0.5).
    one("nearest, ties", "resample2d", f32([[[[1, 3]]]]), input=f32([[[[1, 2, 3, 4]]]]), options={"sizes": [1, 2]}),
    _resample("nearest, up and down", _image(2, 1, 3, 4), (5, 3)),
    _resample("nearest, uneven scales are rounded to sizes", _image(1, 2, 4, 5), (6, 12), scales=[1.5, 2.5]),
    _resample("nearest, scales that leave a rest", _image(1, 1, 5, 7), (7, 9), scales=[1.5, 1.375]),
    _resample("nearest, down by scales", _image(1, 1, 6, 9), (2, 3), scales=[0.4375, 0.375]),
    _resample("linear, up", _image(1, 2, 2, 3), (4, 6), mode="linear", ulp=4),
    _resample("linear, down and up", _image(2, 1, 5, 3), (2, 7), mode="linear", ulp=84),
    _resample(
        "linear, scales that leave a rest", _image(1, 1, 3, 5), (4, 8), mode="linear", scales=[1.5, 1.625], ulp=84
    ),
    _resample("linear, from one element", _image(1, 2, 1, 3), (3, 2), mode="linear", ulp=4),
    _resample("linear, to one element", _image(1, 2, 4, 5), (1, 1), mode="linear"),
    _resample("linear, axes 1 and 2", _image(1, 2, 3, 4), (4, 5), axes=(1, 2), mode="linear", ulp=84),
    _resample("linear, axes 0 and 1", _image(2, 3, 1, 4), (3, 2), axes=(0, 1), mode="linear", ulp=84),
    _resample("nearest, axes 1 and 2", _image(1, 2, 3, 4), (5, 2), axes=(1, 2)),
    _resample("nearest, axes in the other order", _image(1, 1, 2, 3), (4, 5), axes=(3, 2)),
    _resample("linear, axes in the other order", _image(1, 1, 2, 3), (6, 4), axes=(3, 2), mode="linear", ulp=84),
    _resample("nearest, axes apart", _image(2, 2, 1, 3), (3, 5), axes=(0, 3)),
    _resample("linear, axes apart", _image(2, 2, 2, 3), (4, 5), axes=(1, 3), mode="linear", ulp=84),
    _resample("nearest, uint8", mixed("uint8", (1, 1, 2, 3), 8, 100, 255), (3, 4)),
    _resample("nearest, int8", mixed("int8", (1, 2, 3, 2), 9, -128, 127), (2, 3)),
    _resample("linear, float16", _image(1, 1, 2, 4, dtype="float16"), (4, 8), mode="linear", ulp=10),
    _resample("nothing to do", _image(1, 1, 2, 3), (2, 3), mode="linear"),
    one("no options", "resample2d", _image(1, 1, 2, 3), input=_image(1, 1, 2, 3)),
    one(
        "sizes win over scales",
        "resample2d",
        f32([[[[1, 1, 2, 2]]]]),
        input=f32([[[[1, 2]]]]),
        options={"sizes": [1, 4], "scales": [3, 3]},
    ),
    one(
        "nearest: infinities stay",
        "resample2d",
        f32([[[[INF, INF, 2, 2, NAN, NAN]]]]),
        input=f32([[[[INF, 2, NAN]]]]),
        options={"sizes": [1, 6]},
    ),
]


def _no(name: str, op: str, shape: tuple[int, ...] = (1, 2, 4, 4), dtype: str = "float32", **options: Any) -> Case:
    return refused(name, op, input=count(dtype, shape), options=options)


REFUSED = [
    _no("of int32", "averagePool2d", dtype="int32"),
    _no("of int8", "l2Pool2d", dtype="int8"),
    _no("rank 3", "maxPool2d", (2, 4, 4)),
    _no("window of size 0", "maxPool2d", windowDimensions=[0, 2]),
    _no("window of one number", "averagePool2d", windowDimensions=[2]),
    _no("window beyond the input", "maxPool2d", windowDimensions=[5, 1]),
    _no("dilated window beyond the input", "averagePool2d", windowDimensions=[2, 2], dilations=[1, 4]),
    _no("stride 0", "l2Pool2d", windowDimensions=[2, 2], strides=[0, 1]),
    _no("dilation 0", "l2Pool2d", windowDimensions=[2, 2], dilations=[0, 1]),
    _no("padding of two", "maxPool2d", windowDimensions=[2, 2], padding=[1, 1]),
    _no("output sizes that are neither", "maxPool2d", windowDimensions=[2, 2], strides=[3, 3], outputSizes=[3, 1]),
    _no(
        "one rounded up, the other down",
        "l2Pool2d",
        (1, 1, 4, 4),
        windowDimensions=[2, 2],
        strides=[3, 3],
        outputSizes=[1, 2],
    ),
    _no("a rounding that is none", "maxPool2d", outputShapeRounding="round"),
    _no("of int32", "resample2d", dtype="int32", sizes=[2, 2]),
    _no("rank 3", "resample2d", (2, 4, 4), sizes=[2, 2]),
    _no("scale 0", "resample2d", scales=[0, 1]),
    _no("negative scale", "resample2d", scales=[-1, 1]),
    _no("one scale", "resample2d", scales=[2]),
    _no("size 0", "resample2d", sizes=[0, 2]),
    _no("three sizes", "resample2d", sizes=[1, 2, 3]),
    _no("an axis twice", "resample2d", axes=[2, 2]),
    _no("an axis beyond the rank", "resample2d", axes=[2, 4]),
    _no("scales so small that nothing is left", "resample2d", scales=[0.1, 1]),
    _no("a mode that is none", "resample2d", mode="cubic"),
]
