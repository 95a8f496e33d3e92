"""Pooling, convTranspose2d, resample2d."""

from __future__ import annotations

from itertools import product
from typing import Any

from conformance.house.elementwise import corners
from conformance.house.spec import T, case, f16, f32, of, op
from trtx_backend.dtypes import ANY, DATA_TYPES

Cases = dict[str, list[dict[str, Any]]]

POOLS = {"averagePool2d": "averagePool2d", "l2Pool2d": "l2Pool2d", "maxPool2d": "maxPool2d"}


def cases() -> Cases:
    return {
        **{stem: _pool(name) for name, stem in POOLS.items()},
        "conv_transpose2d": _transposed(),
        "resample2d": _resample(),
    }


def _pool(name: str) -> list[dict[str, Any]]:
    def one(label: str, x: T, **options: Any) -> dict[str, Any]:
        return case(label, op(name, input=x, options=options))

    x = f32(1, 2, 5, 4)
    made = [
        one("the whole input by default", x),
        one("window and strides", x, windowDimensions=[2, 3], strides=[2, 1]),
        one("padding, a different one on each side", x, windowDimensions=[3, 3], padding=[1, 0, 2, 1]),
        one("dilations", x, windowDimensions=[2, 2], dilations=[2, 3]),
        one("dilations with padding and strides", x, windowDimensions=[2, 2], dilations=[2, 2], padding=[1, 1, 0, 2], strides=[2, 1]),
        one("rounded up", x, windowDimensions=[2, 2], strides=[2, 3], outputShapeRounding="ceil"),
        one("rounded down", x, windowDimensions=[2, 2], strides=[2, 3], outputShapeRounding="floor"),
        one("output sizes", x, windowDimensions=[2, 2], strides=[2, 3], outputSizes=[3, 2]),
        one("output sizes rounded down", x, windowDimensions=[2, 2], strides=[2, 3], outputSizes=[2, 1]),
        one("nhwc", f32(1, 3, 4, 2), windowDimensions=[2, 2], layout="nhwc"),
        one("a window that begins in the padding", x, windowDimensions=[2, 2], padding=[1, 1, 1, 1], strides=[3, 3]),
        one("the last window wholly in padding, rounded up", f32(1, 1, 3, 3), windowDimensions=[1, 1], padding=[0, 2, 0, 2], strides=[2, 2], outputShapeRounding="ceil"),
        one("the first windows wholly in padding", f32(1, 2, 2, 3), windowDimensions=[2, 1], padding=[3, 0, 2, 1]),
        one("dilated windows that step over the input", f32(1, 1, 1, 2), windowDimensions=[1, 2], dilations=[1, 4], padding=[1, 0, 3, 3]),
        one("float16", f16(1, 1, 4, 4), windowDimensions=[2, 2], strides=[2, 2]),
    ]  # fmt: skip
    if name == "l2Pool2d":
        made.append(one("squares beyond float16's range", f16(1, 1, 2, 2, values=[300, 400, 0, 0])))
    if name == "maxPool2d":
        for dtype in (d for d in ANY if not DATA_TYPES[d].is_float):
            tensor = T(dtype, (1, 1, 3, 3), corners(dtype)[:9])
            made.append(one(dtype, tensor, windowDimensions=[2, 2], padding=[1, 0, 0, 1]))
            made.append(
                one(
                    f"{dtype}, the first window wholly in padding",
                    tensor,
                    windowDimensions=[1, 2],
                    padding=[1, 0, 2, 0],
                )
            )
        made.append(
            one(
                "negative values beside padding",
                f32(1, 1, 2, 2, values=[-3, -4, -5, -6]),
                windowDimensions=[2, 2],
                padding=[1, 1, 1, 1],
            )
        )
    return made


def _transposed() -> list[dict[str, Any]]:
    def one(label: str, x: T, kernel: T, **options: Any) -> dict[str, Any]:
        return case(label, op("convTranspose2d", input=x, filter=kernel, options=options))

    made = []
    for inputs, filters in product(("nchw", "nhwc"), ("iohw", "hwoi", "ohwi")):
        x = f32(*({"n": 1, "c": 2, "h": 2, "w": 3}[d] for d in inputs))
        kernel = f32(*({"i": 2, "o": 3, "h": 2, "w": 2}[d] for d in filters)).constant
        made.append(one(f"{inputs} input, {filters} filter", x, kernel, inputLayout=inputs, filterLayout=filters))
    x, kernel = f32(1, 2, 3, 3), f32(2, 2, 3, 3).constant
    return [
        *made,
        one("padding, a different one on each side", x, kernel, padding=[1, 0, 2, 1]),
        one("strides", x, kernel, strides=[2, 3]),
        one("dilations", x, f32(2, 1, 2, 2).constant, dilations=[2, 3]),
        one("strides and dilations", x, f32(2, 1, 2, 2).constant, strides=[2, 3], dilations=[3, 2]),
        one("groups, bias", f32(1, 4, 2, 2), f32(4, 3, 2, 2).constant, groups=2, bias=f32(6).constant),
        one("output padding within the padding", x, kernel, strides=[3, 3], padding=[1, 1, 1, 1], outputPadding=[1, 1]),
        one("output padding beyond every window, bias", x, kernel, strides=[3, 3], outputPadding=[2, 1], bias=f32(2).constant),
        one("output sizes", x, kernel, strides=[2, 2], outputSizes=[8, 7], bias=f32(2)),
        one("the least output sizes", x, kernel, strides=[2, 2], outputSizes=[7, 7]),
        one("depthwise, nhwc", f32(1, 2, 2, 3), f32(3, 1, 2, 2).constant, groups=3, inputLayout="nhwc"),
        one("float16", f16(1, 1, 2, 2), f16(1, 2, 2, 2).constant, strides=[2, 2], bias=f16(2).constant),
    ]  # fmt: skip


def _resample() -> list[dict[str, Any]]:
    def one(label: str, x: T, **options: Any) -> dict[str, Any]:
        return case(label, op("resample2d", input=x, options=options))

    x = f32(1, 1, 3, 4)
    made = [
        one("defaults change nothing", x),
        one("nearest, scales", x, scales=[2, 3]),
        one("nearest, down", f32(1, 2, 6, 4), sizes=[3, 2]),
        one("nearest, sizes that do not divide", x, sizes=[5, 7]),
        one("linear, scales", x, mode="linear", scales=[2, 2]),
        one("linear, sizes", x, mode="linear", sizes=[5, 3]),
        one("linear, down to one", x, mode="linear", sizes=[1, 1]),
        one("axes 1 and 2", f32(1, 3, 2, 2), axes=[1, 2], sizes=[6, 4]),
        one("axes 0 and 1, linear", f32(2, 2, 1, 2), axes=[0, 1], sizes=[3, 4], mode="linear"),
        one("float16, linear", f16(1, 1, 2, 2), mode="linear", scales=[2, 2]),
        one("both sizes win over scales", x, sizes=[6, 4], scales=[5, 5]),
    ]
    for dtype in ("uint8", "int8"):
        made.append(one(f"{dtype}, nearest", T(dtype, (1, 1, 2, 3)), sizes=[4, 6]))
        made.append(one(f"{dtype}, nearest, limits", of(dtype, *corners(dtype)[:4], shape=(1, 1, 2, 2)), sizes=[2, 4]))
        made.append(one(f"{dtype}, linear", T(dtype, (1, 1, 2, 3)), mode="linear", sizes=[3, 5]))
    made.append(one("scales that leave a fraction, rounded down", x, scales=[1.5, 1.2]))
    return made
