"""conv2d."""

from __future__ import annotations

from itertools import product
from typing import Any

from conformance.house.spec import T, case, f16, f32, op


def cases() -> dict[str, list[dict[str, Any]]]:
    return {"conv2d": [*_layouts(), *_options()]}


def _sized(layout: str, **sizes: int) -> tuple[int, ...]:
    return tuple(sizes[dim] for dim in layout)


def _layouts() -> list[dict[str, Any]]:
    made = []
    for inputs, filters in product(("nchw", "nhwc"), ("oihw", "hwio", "ohwi", "ihwo")):
        x = f32(*_sized(inputs, n=1, c=2, h=4, w=3))
        kernel = f32(*_sized(filters, o=3, i=2, h=2, w=2)).constant
        options = {"inputLayout": inputs, "filterLayout": filters}
        made.append(case(f"{inputs} input, {filters} filter", op("conv2d", input=x, filter=kernel, options=options)))
    return made


def _one(name: str, x: T, kernel: T, **options: Any) -> dict[str, Any]:
    return case(name, op("conv2d", input=x, filter=kernel, options=options))


def _options() -> list[dict[str, Any]]:
    x, kernel = f32(1, 2, 5, 6), f32(4, 2, 3, 2)
    nhwc = f32(1, 4, 5, 4)
    return [
        _one("filter as an input, bias as an input", x, kernel, bias=f32(4)),
        _one("padding, a different one on each side", x, kernel.constant, padding=[1, 0, 2, 3]),
        _one("strides 2 and 3", x, kernel.constant, strides=[2, 3]),
        _one("dilations 2 and 3", f32(1, 1, 7, 8), f32(1, 1, 3, 2).constant, dilations=[2, 3]),
        _one("strides and dilations and padding", x, kernel.constant, strides=[2, 2], dilations=[2, 1], padding=[2, 1, 0, 1]),
        _one("two groups", f32(2, 4, 3, 3), f32(6, 2, 2, 2).constant, groups=2, bias=f32(6).constant),
        _one("depthwise", f32(1, 3, 4, 4), f32(3, 1, 3, 3).constant, groups=3, padding=[1, 1, 1, 1]),
        _one("depthwise with a multiplier, nhwc and hwio", nhwc, f32(2, 2, 1, 8).constant, groups=4,
             inputLayout="nhwc", filterLayout="hwio"),
        _one("window as large as the input", f32(1, 2, 3, 4), f32(2, 2, 3, 4).constant),
        _one("window of one element", f32(2, 3, 2, 2), f32(2, 3, 1, 1).constant, bias=f32(2).constant),
        _one("window that lies in the padding alone", f32(1, 1, 1, 1), f32(1, 1, 2, 2).constant, padding=[2, 2, 2, 2]),
        _one("float16", f16(1, 2, 4, 4), f16(2, 2, 3, 3).constant, padding=[1, 1, 1, 1], bias=f16(2).constant),
        _one("float16, nhwc and ohwi, groups", f16(1, 3, 3, 4), f16(4, 2, 2, 2).constant, groups=2,
             inputLayout="nhwc", filterLayout="ohwi"),
        _one("infinity in the input reaches its windows only", f32(1, 1, 3, 3, values=[1, 2, 3, 4, 5, 6, 7, 8, "Infinity"]),
             f32(1, 1, 2, 2, values=[1, 1, 1, 1]).constant),
        case("two in a row with relu between, nhwc",
             op("conv2d", "a", input=f32(1, 4, 4, 2), filter=f32(3, 2, 2, 2).constant,
                options={"inputLayout": "nhwc", "filterLayout": "ohwi"}),
             op("relu", "b", input="a"),
             op("conv2d", input="b", filter=f32(2, 2, 2, 3).constant,
                options={"inputLayout": "nhwc", "filterLayout": "ohwi", "bias": f32(2).constant})),
    ]  # fmt: skip
