"""conv2d and convTranspose2d. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-conv2d, #…-convtranspose2d

Inputs are small integers (or quarters), so that every sum is exact and the results must be equal.
"""

from __future__ import annotations

from typing import Any

from tests.by_hand.form import Case, Tensor, count, f16, f32, fill, i32, indices, mixed, one, refused

INPUT = {"nchw": "bchw", "nhwc": "bhwc"}


def by_letter(given: Tensor, letters: str) -> Any:
    """The element at sizes that are named by their letters, in whatever order the layout has them."""
    return lambda **at: given[tuple(at[letter] for letter in letters)]


def sizes(given: Tensor, letters: str) -> dict[str, int]:
    return dict(zip(letters, given.shape, strict=True))


def conv2d(
    x: Tensor,
    w: Tensor,
    bias: Tensor | None = None,
    padding: tuple[int, ...] = (0, 0, 0, 0),
    strides: tuple[int, ...] = (1, 1),
    dilations: tuple[int, ...] = (1, 1),
    groups: int = 1,
    inputLayout: str = "nchw",
    filterLayout: str = "oihw",
) -> Tensor:
    """Every output is the sum, over the group's channels and the window, of input times filter."""
    xs, ws = sizes(x, INPUT[inputLayout]), sizes(w, filterLayout)
    get_x, get_w = by_letter(x, INPUT[inputLayout]), by_letter(w, filterLayout)
    out = {"b": xs["b"], "c": ws["o"]}
    for letter, side in (("h", 0), ("w", 1)):
        window = (ws[letter] - 1) * dilations[side] + 1
        out[letter] = (xs[letter] - window + padding[2 * side] + padding[2 * side + 1]) // strides[side] + 1

    def element(index: tuple[int, ...]) -> Any:
        at = dict(zip(INPUT[inputLayout], index, strict=True))
        group = at["c"] // (ws["o"] // groups)
        total: Any = 0 if bias is None else bias[(at["c"],)]
        for i, r, s in indices((ws["i"], ws["h"], ws["w"])):
            row = at["h"] * strides[0] - padding[0] + r * dilations[0]
            column = at["w"] * strides[1] - padding[2] + s * dilations[1]
            if 0 <= row < xs["h"] and 0 <= column < xs["w"]:
                total += get_x(b=at["b"], c=group * ws["i"] + i, h=row, w=column) * get_w(o=at["c"], i=i, h=r, w=s)
        return total

    return fill(x.dtype, tuple(out[letter] for letter in INPUT[inputLayout]), element)


def conv_transpose2d(
    x: Tensor,
    w: Tensor,
    bias: Tensor | None = None,
    padding: tuple[int, ...] = (0, 0, 0, 0),
    strides: tuple[int, ...] = (1, 1),
    dilations: tuple[int, ...] = (1, 1),
    outputPadding: tuple[int, ...] = (0, 0),
    outputSizes: tuple[int, ...] | None = None,
    groups: int = 1,
    inputLayout: str = "nchw",
    filterLayout: str = "iohw",
) -> Tensor:
    """Every input adds its multiple of the filter to the output, where a convolution would have read from."""
    xs, ws = sizes(x, INPUT[inputLayout]), sizes(w, filterLayout)
    get_x, get_w = by_letter(x, INPUT[inputLayout]), by_letter(w, filterLayout)
    out = {"b": xs["b"], "c": ws["o"] * groups}
    for letter, side in (("h", 0), ("w", 1)):
        window = (ws[letter] - 1) * dilations[side] + 1
        size = (xs[letter] - 1) * strides[side] + window - padding[2 * side] - padding[2 * side + 1]
        out[letter] = size + outputPadding[side] if outputSizes is None else outputSizes[side]
    sums: dict[tuple[int, ...], Any] = {}
    for b, c, h, v in indices((xs["b"], xs["c"], xs["h"], xs["w"])):
        group = c // (xs["c"] // groups)
        for o, r, s in indices((ws["o"], ws["h"], ws["w"])):
            row = h * strides[0] + r * dilations[0] - padding[0]
            column = v * strides[1] + s * dilations[1] - padding[2]
            place = (b, group * ws["o"] + o, row, column)
            sums[place] = sums.get(place, 0) + get_x(b=b, c=c, h=h, w=v) * get_w(i=c, o=o, h=r, w=s)

    def element(index: tuple[int, ...]) -> Any:
        at = dict(zip(INPUT[inputLayout], index, strict=True))
        return sums.get((at["b"], at["c"], at["h"], at["w"]), 0) + (0 if bias is None else bias[(at["c"],)])

    return fill(x.dtype, tuple(out[letter] for letter in INPUT[inputLayout]), element)


def _conv(name: str, x: Tensor, w: Tensor, **options: Any) -> Case:
    listed = {key: list(value) if isinstance(value, tuple) else value for key, value in options.items()}
    return one(name, "conv2d", conv2d(x, w, **options), input=x, filter=w, options=listed)


def _transposed(name: str, x: Tensor, w: Tensor, **options: Any) -> Case:
    listed = {key: list(value) if isinstance(value, tuple) else value for key, value in options.items()}
    return one(name, "convTranspose2d", conv_transpose2d(x, w, **options), input=x, filter=w, options=listed)


def _x(*shape: int, seed: int = 1, dtype: str = "float32") -> Tensor:
    return mixed(dtype, shape, seed)


def _w(*shape: int, seed: int = 2, dtype: str = "float32") -> Tensor:
    return mixed(dtype, shape, seed, over=4)


BIAS3 = f32([0.5, -1, 2])

CONV = [
    # 1*1 + 2*2 + 4*3 + 5*4 = 37 and so on, by hand
    one(
        "by hand",
        "conv2d",
        f32([[[[37, 47]]]]),
        input=f32([[[[1, 2, 3], [4, 5, 6]]]]),
        filter=f32([[[[1, 2], [3, 4]]]]),
    ),
    one(
        "by hand, padded above and to the right",
        "conv2d",
        f32([[[[11, 18, 9], [37, 47, 21]]]]),
        input=f32([[[[1, 2, 3], [4, 5, 6]]]]),
        filter=f32([[[[1, 2], [3, 4]]]]),
        options={"padding": [1, 0, 0, 1]},
    ),
    _conv(
        "everything uneven",
        _x(2, 3, 5, 7),
        _w(4, 3, 2, 3),
        padding=(1, 0, 2, 1),
        strides=(2, 3),
        dilations=(2, 1),
        bias=f32([1, -2, 0.5, 4]),
    ),
    _conv("dilations differ", _x(1, 2, 6, 8), _w(3, 2, 3, 2), dilations=(2, 4)),
    _conv("padding beyond the filter", _x(1, 1, 2, 3), _w(2, 1, 2, 1), padding=(3, 0, 0, 4)),
    _conv("groups, more outputs than inputs", _x(2, 4, 3, 4), _w(6, 2, 2, 1), groups=2, bias=f32([1, 2, 3, 4, 5, 6])),
    _conv("groups, fewer outputs than inputs", _x(1, 6, 3, 2), _w(3, 2, 1, 2), groups=3, bias=BIAS3),
    _conv(
        "depthwise with a multiplier, nhwc and hwio",
        _x(1, 4, 3, 3),
        _w(2, 3, 1, 6),
        groups=3,
        inputLayout="nhwc",
        filterLayout="hwio",
    ),
    _conv(
        "depthwise, nhwc and ihwo",
        _x(1, 4, 5, 3),
        _w(1, 2, 3, 3),
        groups=3,
        inputLayout="nhwc",
        filterLayout="ihwo",
        strides=(1, 2),
        bias=BIAS3,
    ),
    _conv(
        "nhwc and ohwi, everything uneven",
        _x(2, 5, 4, 3),
        _w(2, 3, 2, 3),
        inputLayout="nhwc",
        filterLayout="ohwi",
        padding=(0, 2, 1, 0),
        strides=(3, 2),
        bias=f32([7, -7]),
    ),
    _conv("nchw and hwio", _x(1, 3, 4, 5), _w(3, 2, 3, 4), filterLayout="hwio"),
    _conv("nchw and ihwo, groups", _x(1, 4, 4, 5), _w(2, 3, 2, 2), filterLayout="ihwo", groups=2),
    _conv("nhwc and oihw", _x(1, 4, 5, 2), _w(3, 2, 2, 3), inputLayout="nhwc", padding=(1, 0, 0, 1)),
    _conv("filter of the whole size", _x(2, 2, 3, 4), _w(3, 2, 3, 4)),
    _conv("1 by 1", _x(2, 3, 1, 4), _w(2, 3, 1, 1)),
    _conv(
        "constant filter and bias, nhwc", _x(1, 3, 4, 2), _w(3, 2, 2, 2).const(), inputLayout="nhwc", bias=BIAS3.const()
    ),
    _conv(
        "float16",
        _x(1, 2, 3, 4, dtype="float16"),
        _w(3, 2, 2, 2, dtype="float16"),
        padding=(1, 1, 0, 1),
        bias=f16([0.5, -1, 2]),
    ),
    # 2048 + 1 + 1: a float16 sum that is rounded at every step stays at 2048.
    one(
        "float16 adds up further than float16",
        "conv2d",
        f16([[[[2050]]]]),
        input=f16([[[[2048, 1, 1]]]]),
        filter=f16([[[[1, 1, 1]]]]),
    ),
    _conv("a filter larger than the input", _x(1, 1, 2, 2), _w(1, 1, 4, 3), padding=(1, 1, 1, 0)),
]

TRANSPOSED = [
    # The 2 of the input adds 2, 4, 6, 8 one column on.
    one(
        "by hand",
        "convTranspose2d",
        f32([[[[1, 4, 4], [3, 10, 8]]]]),
        input=f32([[[[1, 2]]]]),
        filter=f32([[[[1, 2], [3, 4]]]]),
    ),
    one(
        "by hand, stride 2 and output padding",
        "convTranspose2d",
        f32([[[[1, 2, 2, 4, 0]]]]),
        input=f32([[[[1, 2]]]]),
        filter=f32([[[[1, 2]]]]),
        options={"strides": [1, 2], "outputPadding": [0, 1]},
    ),
    _transposed(
        "everything uneven",
        _x(2, 3, 2, 4),
        _w(3, 2, 3, 2),
        padding=(1, 0, 0, 1),
        strides=(2, 3),
        dilations=(1, 2),
        outputPadding=(1, 2),
        bias=f32([1, -2]),
    ),
    _transposed(
        "padding beyond what output padding adds",
        _x(1, 2, 3, 3),
        _w(2, 3, 3, 4),
        padding=(2, 1, 0, 3),
        strides=(2, 2),
        outputPadding=(1, 0),
        bias=BIAS3,
    ),
    _transposed("output sizes", _x(1, 2, 3, 2), _w(2, 1, 2, 3), strides=(3, 2), outputSizes=(10, 6)),
    _transposed(
        "output sizes, output padding does not count",
        _x(1, 1, 2, 2),
        _w(1, 2, 2, 1),
        strides=(2, 3),
        outputSizes=(5, 4),
        outputPadding=(1, 2),
        bias=f32([3, -3]),
    ),
    _transposed("groups", _x(1, 4, 2, 3), _w(4, 3, 2, 2), groups=2, bias=f32([1, 2, 3, 4, 5, 6])),
    _transposed("groups, one channel each", _x(2, 3, 2, 2), _w(3, 1, 1, 3), groups=3, strides=(1, 2)),
    _transposed(
        "nhwc and hwoi",
        _x(1, 2, 3, 2),
        _w(3, 2, 4, 2),
        inputLayout="nhwc",
        filterLayout="hwoi",
        padding=(1, 0, 0, 0),
        strides=(2, 1),
    ),
    _transposed(
        "nhwc and ohwi, groups",
        _x(1, 2, 3, 4),
        _w(2, 2, 3, 4),
        inputLayout="nhwc",
        filterLayout="ohwi",
        groups=2,
        bias=f32([1, 2, 3, 4]),
    ),
    _transposed("nchw and ohwi", _x(2, 3, 2, 3), _w(2, 1, 2, 3), filterLayout="ohwi", dilations=(1, 2)),
    _transposed("nchw and hwoi, groups", _x(1, 2, 2, 3), _w(2, 1, 3, 2), filterLayout="hwoi", groups=2),
    _transposed("nhwc and iohw", _x(1, 3, 2, 2), _w(2, 3, 2, 2), inputLayout="nhwc", padding=(0, 1, 1, 0)),
    _transposed("dilations and strides", _x(1, 1, 3, 2), _w(1, 1, 2, 3), dilations=(3, 2), strides=(2, 3)),
    _transposed(
        "a stride beyond the filter, with bias",
        _x(1, 2, 2, 2),
        _w(2, 1, 1, 2),
        strides=(3, 4),
        outputPadding=(2, 3),
        bias=f32([5]),
    ),
    _transposed(
        "float16",
        _x(1, 2, 2, 3, dtype="float16"),
        _w(2, 2, 2, 2, dtype="float16"),
        strides=(1, 2),
        padding=(0, 1, 1, 0),
        bias=f16([0.5, -1]),
    ),
    _transposed(
        "constant filter, nhwc",
        _x(1, 2, 3, 2),
        _w(2, 2, 3, 2).const(),
        inputLayout="nhwc",
        filterLayout="ohwi",
        bias=f32([1, -1]).const(),
    ),
    _transposed("1 by 1", _x(1, 3, 2, 4), _w(3, 2, 1, 1)),
]

CASES = {"conv2d": CONV, "convTranspose2d": TRANSPOSED}


def _no(name: str, op: str, x: tuple[int, ...], w: tuple[int, ...], **options: Any) -> Case:
    return refused(name, op, input=count("float32", x), filter=count("float32", w), options=options)


REFUSED = [
    _no("channels", "conv2d", (1, 3, 4, 4), (2, 2, 2, 2)),
    _no("channels by groups", "conv2d", (1, 4, 4, 4), (2, 4, 2, 2), groups=2),
    _no("groups do not divide the inputs", "conv2d", (1, 3, 4, 4), (2, 1, 2, 2), groups=2),
    _no("groups do not divide the outputs", "conv2d", (1, 4, 4, 4), (3, 2, 2, 2), groups=2),
    _no("no groups", "conv2d", (1, 4, 4, 4), (3, 4, 2, 2), groups=0),
    _no("stride 0", "conv2d", (1, 1, 4, 4), (1, 1, 2, 2), strides=[0, 1]),
    _no("dilation 0", "conv2d", (1, 1, 4, 4), (1, 1, 2, 2), dilations=[1, 0]),
    _no("padding of two", "conv2d", (1, 1, 4, 4), (1, 1, 2, 2), padding=[1, 1]),
    _no("a filter larger than the input", "conv2d", (1, 1, 4, 4), (1, 1, 5, 2)),
    _no("a dilated filter larger than the input", "conv2d", (1, 1, 4, 4), (1, 1, 2, 2), dilations=[1, 4]),
    _no("rank 3", "conv2d", (1, 4, 4), (1, 1, 2, 2)),
    _no("bias of another size", "conv2d", (1, 1, 4, 4), (3, 1, 2, 2), bias=f32([1, 2])),
    _no("bias of rank 2", "conv2d", (1, 1, 4, 4), (3, 1, 2, 2), bias=f32([[1, 2, 3]])),
    _no("bias of float16", "conv2d", (1, 1, 4, 4), (3, 1, 2, 2), bias=f16([1, 2, 3])),
    _no("a layout of the other operator", "conv2d", (1, 1, 4, 4), (3, 1, 2, 2), filterLayout="iohw"),
    refused("of int32", "conv2d", input=count("int32", (1, 1, 2, 2)), filter=count("int32", (1, 1, 1, 1))),
    _no("channels", "convTranspose2d", (1, 3, 4, 4), (2, 3, 2, 2)),
    _no(
        "output padding is not less than the stride",
        "convTranspose2d",
        (1, 1, 4, 4),
        (1, 1, 2, 2),
        outputPadding=[1, 0],
    ),
    _no("output size too small", "convTranspose2d", (1, 1, 2, 2), (1, 1, 2, 2), outputSizes=[2, 3]),
    _no("output size too great", "convTranspose2d", (1, 1, 2, 2), (1, 1, 2, 2), strides=[2, 2], outputSizes=[4, 6]),
    _no("padding takes all", "convTranspose2d", (1, 1, 2, 2), (1, 1, 2, 2), padding=[2, 1, 0, 0]),
    _no("no groups", "convTranspose2d", (1, 1, 2, 2), (1, 1, 2, 2), groups=0),
    _no("bias without the groups", "convTranspose2d", (1, 2, 2, 2), (2, 1, 2, 2), groups=2, bias=f32([1])),
    _no("a layout of the other operator", "convTranspose2d", (1, 1, 4, 4), (1, 1, 2, 2), filterLayout="oihw"),
    _no("one output size", "convTranspose2d", (1, 1, 2, 2), (1, 1, 2, 2), outputSizes=[3]),
    refused("of int32", "convTranspose2d", input=i32([[[[1]]]]), filter=i32([[[[1]]]])),
]
