"""Several operators in one graph: values that change their layout or their type on the way, operands that are used twice,
several outputs, constants that are shared. The values are those of the operators, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Any

from tests.by_hand.conv import conv2d, conv_transpose2d
from tests.by_hand.form import (
    INF,
    NAN,
    Case,
    Tensor,
    call,
    count,
    f16,
    f32,
    fill,
    flat,
    graph,
    i32,
    i64,
    mixed,
    tensor,
    u8,
)
from tests.by_hand.matrix import matmul
from tests.by_hand.movement import padded
from tests.by_hand.pooling import pool2d, resample


def each(function: Callable[..., Any], *given: Tensor, dtype: str | None = None) -> Tensor:
    """Element by element, repeating dimensions of size 1 and leading ones."""
    columns = zip_longest(*(t.shape[::-1] for t in given), fillvalue=1)
    shape = tuple(max(sizes) for sizes in columns)[::-1]

    def at(t: Tensor, index: tuple[int, ...]) -> Any:
        own = index[len(index) - len(t.shape) :]
        return t[tuple(0 if size == 1 else p for p, size in zip(own, t.shape, strict=True))]

    return fill(dtype or given[0].dtype, shape, lambda index: function(*(at(t, index) for t in given)))


def turn(x: Tensor, *order: int) -> Tensor:
    """Dimension d of the result is dimension order[d] of x."""
    shape = tuple(x.shape[axis] for axis in order)
    return fill(x.dtype, shape, lambda i: x[tuple(i[order.index(axis)] for axis in range(len(order)))])


def take(x: Tensor, axis: int, *positions: int) -> Tensor:
    shape = (*x.shape[:axis], len(positions), *x.shape[axis + 1 :])
    return fill(x.dtype, shape, lambda i: x[(*i[:axis], positions[i[axis]], *i[axis + 1 :])])


def join(axis: int, *given: Tensor) -> Tensor:
    places = [(t, position) for t in given for position in range(t.shape[axis])]
    shape = (*given[0].shape[:axis], len(places), *given[0].shape[axis + 1 :])

    def element(i: tuple[int, ...]) -> Any:
        t, position = places[i[axis]]
        return t[(*i[:axis], position, *i[axis + 1 :])]

    return fill(given[0].dtype, shape, element)


def fold(function: Callable[[list[Any]], Any], x: Tensor, axis: int) -> Tensor:
    """A reduction that keeps the dimension."""
    shape = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    return fill(x.dtype, shape, lambda i: function([x[(*i[:axis], k, *i[axis + 1 :])] for k in range(x.shape[axis])]))


def shaped(x: Tensor, *shape: int) -> Tensor:
    return flat(x.dtype, shape, x.data)


X = mixed("float32", (2, 3, 4, 2), 31)
"""nhwc: 2 images of 3 by 4 with 2 channels."""
W = mixed("float32", (3, 2, 2, 2), 32)
"""ohwi: 3 outputs."""
Y = conv2d(X, W, inputLayout="nhwc", filterLayout="ohwi", padding=(1, 0, 0, 0))
"""nhwc: [2, 3, 3, 3], so that no size tells the dimensions apart; see WIDE for the other extreme."""
CONV = call(
    "conv2d", "y", {"inputLayout": "nhwc", "filterLayout": "ohwi", "padding": [1, 0, 0, 0]}, input="x", filter="w"
)
Z = conv2d(X, mixed("float32", (5, 2, 1, 2), 33), inputLayout="nhwc", filterLayout="ohwi")
"""nhwc: [2, 2, 4, 5]."""
CONV_Z = call("conv2d", "z", {"inputLayout": "nhwc", "filterLayout": "ohwi"}, input="x", filter="w")


def _after(name: str, expected: Tensor, *operators: Any, **more: Tensor) -> Case:
    """What comes after an nhwc convolution, whose result is `z`, [2, 2, 4, 5]."""
    inputs = {"x": X, "w": mixed("float32", (5, 2, 1, 2), 33), **more}
    return graph(f"after an nhwc convolution: {name}", inputs, [CONV_Z, *operators], {"output": expected})


FIVE = f32([1, -2, 3, -4, 5])
ROWS = mixed("float32", (4, 1), 41)

NHWC = [
    _after("a row for the channels", each(lambda a, b: a + b, Z, FIVE), call("add", "output", a="z", b="b"), b=FIVE),
    _after(
        "a column for the width, first", each(lambda a, b: b - a, Z, ROWS), call("sub", "output", a="b", b="z"), b=ROWS
    ),
    _after(
        "a larger one",
        each(lambda a, b: a * b, Z, mixed("float32", (3, 1, 2, 1, 5), 42)),
        call("mul", "output", a="z", b="b"),
        b=mixed("float32", (3, 1, 2, 1, 5), 42),
    ),
    _after(
        "prelu by channel",
        each(lambda a, b: max(a, 0) + b * min(a, 0), Z, FIVE),
        call("prelu", "output", input="z", slope="b"),
        b=FIVE,
    ),
    _after("reshape", shaped(Z, 4, 20), call("reshape", "output", input="z", newShape=[4, 20])),
    _after(
        "reshape and transpose",
        turn(shaped(Z, 4, 20), 1, 0),
        call("reshape", "r", input="z", newShape=[4, 20]),
        call("transpose", "output", input="r"),
    ),
    _after(
        "transpose to nchw", turn(Z, 0, 3, 1, 2), call("transpose", "output", {"permutation": [0, 3, 1, 2]}, input="z")
    ),
    _after("transpose by default", turn(Z, 3, 2, 1, 0), call("transpose", "output", input="z")),
    _after(
        "transposes that come to nothing",
        Z,
        call("transpose", "t", {"permutation": [0, 3, 1, 2]}, input="z"),
        call("transpose", "output", {"permutation": [0, 2, 3, 1]}, input="t"),
    ),
    _after(
        "transposes that come to one",
        turn(turn(Z, 1, 3, 0, 2), 2, 0, 1, 3),
        call("transpose", "t", {"permutation": [1, 3, 0, 2]}, input="z"),
        call("transpose", "output", {"permutation": [2, 0, 1, 3]}, input="t"),
    ),
    _after(
        "slice with strides",
        take(take(take(Z, 1, 1), 2, 0, 2), 3, 1, 4),
        call("slice", "output", {"strides": [1, 1, 2, 3]}, input="z", starts=[0, 1, 0, 1], sizes=[2, 1, 4, 4]),
    ),
    _after(
        "split by channels",
        join(3, take(Z, 3, 2, 3, 4), take(Z, 3, 0, 1)),
        call("split", ["a", "b"], {"axis": 3}, input="z", splits=[2, 3]),
        call("concat", "output", inputs=["b", "a"], axis=3),
    ),
    _after(
        "concat with what is no convolution",
        join(3, Z, mixed("float32", (2, 2, 4, 2), 43)),
        call("concat", "output", inputs=["z", "b"], axis=3),
        b=mixed("float32", (2, 2, 4, 2), 43),
    ),
    _after(
        "pad the width",
        padded(Z, [0, 1, 2, 0], [0, 0, 1, 3], "constant", -7),
        call("pad", "output", {"value": -7}, input="z", beginningPadding=[0, 1, 2, 0], endingPadding=[0, 0, 1, 3]),
    ),
    _after(
        "reflect",
        padded(Z, [0, 1, 2, 3], [1, 0, 1, 2], "reflection"),
        call(
            "pad",
            "output",
            {"mode": "reflection"},
            input="z",
            beginningPadding=[0, 1, 2, 3],
            endingPadding=[1, 0, 1, 2],
        ),
    ),
    _after(
        "tile",
        fill("float32", (2, 4, 4, 10), lambda i: Z[(i[0], i[1] % 2, i[2], i[3] % 5)]),
        call("tile", "output", input="z", repetitions=[1, 2, 1, 2]),
    ),
    _after(
        "gather along the width",
        take(Z, 2, 3, 0, 3),
        call("gather", "output", {"axis": 2}, input="z", indices="i"),
        i=i32([3, 0, -1]),
    ),
    _after(
        "gather along the channels",
        take(Z, 3, 4, 0),
        call("gather", "output", {"axis": 3}, input="z", indices="i"),
        i=i64([-1, 0]),
    ),
    _after(
        "gather by coordinates",
        fill("float32", (2, 4, 5), lambda i: Z[((1, 0)[i[0]], (0, 1)[i[0]], i[1], i[2])]),
        call("gatherND", "output", input="z", indices="i"),
        i=i32([[1, 0], [0, 1]]),
    ),
    _after(
        "scatter into it",
        fill(
            "float32",
            (2, 2, 4, 5),
            lambda i: [9, 8][i[0]] if i[2] == [3, 1][i[0]] and i[1] == 0 and i[3] == 4 else Z[i],
        ),
        call("scatterND", "output", input="z", indices="i", updates="u"),
        i=i32([[0, 0, 3, 4], [1, 0, 1, -1]]),
        u=f32([9, 8]),
    ),
    _after(
        "reverse height and channels",
        take(take(Z, 1, 1, 0), 3, 4, 3, 2, 1, 0),
        call("reverse", "output", {"axes": [1, 3]}, input="z"),
    ),
    _after(
        "triangular",
        each(lambda a, b: a if b else 0, Z, fill("float32", (4, 5), lambda i: int(i[1] >= i[0]))),
        call("triangular", "output", input="z"),
    ),
    _after(
        "matmul",
        matmul(Z, mixed("float32", (5, 3), 44)),
        call("matmul", "output", a="z", b="b"),
        b=mixed("float32", (5, 3), 44),
    ),
    _after(
        "expand",
        fill("float32", (3, 2, 2, 4, 5), lambda i: Z[i[1:]]),
        call("expand", "output", input="z", newShape=[3, 2, 2, 4, 5]),
    ),
    _after(
        "sum of the channels",
        fold(sum, Z, 3),
        call("reduceSum", "output", {"axes": [3], "keepDimensions": True}, input="z"),
    ),
    _after(
        "greatest of the height, dropped",
        shaped(fold(max, Z, 1), 2, 4, 5),
        call("reduceMax", "output", {"axes": [1]}, input="z"),
    ),
    _after(
        "least of two dimensions",
        shaped(fold(min, fold(min, Z, 1), 3), 2, 4),
        call("reduceMin", "output", {"axes": [3, 1]}, input="z"),
    ),
    _after(
        "first greatest along the width",
        shaped(each(int, fold(lambda v: v.index(max(v)), Z, 2), dtype="int32"), 2, 2, 5),
        call("argMax", "output", input="z", axis=2),
    ),
    _after(
        "running sum of the channels",
        fill("float32", Z.shape, lambda i: sum(Z[(*i[:3], k)] for k in range(i[3] + 1))),
        call("cumulativeSum", "output", input="z", axis=3),
    ),
    _after(
        "max pool, nhwc",
        pool2d("maxPool2d", Z, (2, 3), layout="nhwc"),
        call("maxPool2d", "output", {"windowDimensions": [2, 3], "layout": "nhwc"}, input="z"),
    ),
    _after(
        "max pool, as if it were nchw",
        pool2d("maxPool2d", Z, (3, 2)),
        call("maxPool2d", "output", {"windowDimensions": [3, 2]}, input="z"),
    ),
    _after(
        "resample height and width",
        resample(Z, (1, 2), (3, 5), False),
        call("resample2d", "output", {"axes": [1, 2], "sizes": [3, 5]}, input="z"),
    ),
    _after(
        "resample the last two",
        resample(Z, (2, 3), (5, 3), False),
        call("resample2d", "output", {"sizes": [5, 3]}, input="z"),
    ),
    _after(
        "another convolution, as if it were nchw",
        conv2d(Z, mixed("float32", (3, 2, 2, 3), 45)),
        call("conv2d", "output", input="z", filter="v"),
        v=mixed("float32", (3, 2, 2, 3), 45),
    ),
    _after(
        "a transposed one, nhwc",
        conv_transpose2d(Z, mixed("float32", (5, 2, 1, 2), 46), inputLayout="nhwc", strides=(2, 1)),
        call("convTranspose2d", "output", {"inputLayout": "nhwc", "strides": [2, 1]}, input="z", filter="v"),
        v=mixed("float32", (5, 2, 1, 2), 46),
    ),
    _after(
        "where, by a row",
        each(lambda c, a: a if c else 0, u8([1, 0, 2, 0, 255]), Z, dtype="float32"),
        call("where", "output", condition="c", trueValue="z", falseValue="o"),
        c=u8([1, 0, 2, 0, 255]),
        o=f32(0),
    ),
    _after("cast", each(int, Z, dtype="int8"), call("cast", "output", input="z", type="int8")),
    _after("compared", each(lambda a: int(a > 1), Z, dtype="uint8"), call("greater", "output", a="z", b="o"), o=f32(1)),
    _after(
        "compared, and the other way round",
        each(lambda a: int(not a > 1), Z, dtype="uint8"),
        call("greater", "g", a="z", b="o"),
        call("logicalNot", "output", a="g"),
        o=f32(1),
    ),
    _after("NaN or not", each(lambda a: 0, Z, dtype="uint8"), call("isNaN", "output", a="z")),
    _after(
        "cast to uint8",
        each(lambda a: abs(int(a)), Z, dtype="uint8"),
        call("abs", "a", input="z"),
        call("cast", "output", input="a", type="uint8"),
    ),
    _after(
        "quantized",
        each(lambda a: min(max(round(a / 2) + 9, 0), 255), Z, dtype="uint8"),
        call("quantizeLinear", "output", input="z", scale="s", zeroPoint="o"),
        s=f32([[[[2]]]]),
        o=u8([[[[9]]]]),
    ),
    _after(
        "cast to uint64",
        each(lambda a: int(a) % 2**64, Z, dtype="uint64"),
        call("cast", "i", input="z", type="int32"),
        call("cast", "output", input="i", type="uint64"),
    ),
    _after(
        "itself and what is made of it",
        each(lambda a: a + max(a, 0), Z),
        call("relu", "r", input="z"),
        call("add", "output", a="z", b="r"),
    ),
    _after(
        "itself and its transpose",
        each(lambda a, b: a + b, take(take(Z, 3, 0, 1, 2, 3), 1, 0, 1), turn(take(Z, 3, 0, 1, 2, 3), 0, 1, 3, 2)),
        call("slice", "s", input="z", starts=[0, 0, 0, 0], sizes=[2, 2, 4, 4]),
        call("transpose", "t", {"permutation": [0, 1, 3, 2]}, input="s"),
        call("add", "output", a="s", b="t"),
    ),
    graph(
        "after an nhwc convolution: equal sizes",
        {"x": X, "w": W, "b": f32([1, 10, 100])},
        [
            CONV,
            call("mul", "m", a="y", b="b"),
            call("reshape", "r", input="m", newShape=[6, 9]),
            call("transpose", "output", input="r"),
        ],
        {"output": turn(shaped(each(lambda a, b: a * b, Y, f32([1, 10, 100])), 6, 9), 1, 0)},
    ),
    graph(
        "two nhwc convolutions, one constant filter in two layouts",
        {"x": X, "w": mixed("float32", (2, 2, 2, 2), 47).const()},
        [
            call("conv2d", "a", {"inputLayout": "nhwc", "filterLayout": "ohwi"}, input="x", filter="w"),
            call("conv2d", "b", {"inputLayout": "nhwc", "filterLayout": "hwio"}, input="x", filter="w"),
            call("sub", "output", a="a", b="b"),
        ],
        {
            "output": each(
                lambda a, b: a - b,
                conv2d(X, mixed("float32", (2, 2, 2, 2), 47), inputLayout="nhwc", filterLayout="ohwi"),
                conv2d(X, mixed("float32", (2, 2, 2, 2), 47), inputLayout="nhwc", filterLayout="hwio"),
            )
        },
    ),
    graph(
        "a constant that is a filter, a bias' source and a number",
        {"x": X, "w": mixed("float32", (2, 1, 1, 2), 48).const()},
        [
            call("conv2d", "a", {"inputLayout": "nhwc", "filterLayout": "ohwi"}, input="x", filter="w"),
            call("mul", "output", a="a", b="w"),
        ],
        {
            "output": each(
                lambda a, b: a * b,
                conv2d(X, mixed("float32", (2, 1, 1, 2), 48), inputLayout="nhwc", filterLayout="ohwi"),
                mixed("float32", (2, 1, 1, 2), 48),
            )
        },
    ),
    graph(
        "a filter that is computed",
        {"x": X, "w": mixed("float32", (2, 2, 2, 3), 49)},
        [
            call("neg", "n", input="w"),
            call("transpose", "t", {"permutation": [3, 0, 1, 2]}, input="n"),
            call("conv2d", "output", {"inputLayout": "nhwc", "filterLayout": "ohwi"}, input="x", filter="t"),
        ],
        {
            "output": conv2d(
                X,
                turn(each(lambda a: -a, mixed("float32", (2, 2, 2, 3), 49)), 3, 0, 1, 2),
                inputLayout="nhwc",
                filterLayout="ohwi",
            )
        },
    ),
    graph(
        "a convolution of itself",
        {"x": mixed("float32", (2, 2, 2, 2), 50)},
        [call("conv2d", "output", input="x", filter="x")],
        {"output": conv2d(mixed("float32", (2, 2, 2, 2), 50), mixed("float32", (2, 2, 2, 2), 50))},
    ),
]


def _truth(name: str, expected: Tensor, *operators: Any, **more: Tensor) -> Case:
    """What comes after a comparison, whose result is `t`: uint8 [[1, 0, 1], [0, 0, 1]]."""
    inputs = {"x": f32([[5, -1, 2], [0, -3, 1]]), "zero": f32(0), **more}
    return graph(
        f"after a comparison: {name}", inputs, [call("greater", "t", a="x", b="zero"), *operators], {"output": expected}
    )


TRUTH = [
    _truth("a sum", u8([[201, 200, 201], [200, 200, 201]]), call("add", "output", a="t", b="b"), b=u8(200)),
    _truth(
        "a product with more than 1", u8([[7, 0, 9], [0, 0, 9]]), call("mul", "output", a="t", b="b"), b=u8([7, 8, 9])
    ),
    _truth(
        "padded with 7",
        u8([[1, 0, 1, 7], [0, 0, 1, 7]]),
        call("pad", "output", {"value": 7}, input="t", beginningPadding=[0, 0], endingPadding=[0, 1]),
    ),
    _truth(
        "beside 2",
        u8([[1, 0, 1], [0, 0, 1], [2, 255, 0]]),
        call("concat", "output", inputs=["t", "b"], axis=0),
        b=u8([[2, 255, 0]]),
    ),
    _truth(
        "or else 5",
        u8([[1, 5, 1], [0, 5, 1]]),
        call("where", "output", condition="c", trueValue="t", falseValue="b"),
        c=u8([1, 0, 1]),
        b=u8(5),
    ),
    _truth(
        "scattered into",
        u8([[1, 0, 1], [0, 9, 1]]),
        call("scatterND", "output", input="t", indices="i", updates="u"),
        i=i32([[1, 1]]),
        u=u8([9]),
    ),
    _truth(
        "scattered",
        u8([[3, 1], [4, 1]]),
        call("gather", "g", {"axis": 1}, input="t", indices="k"),
        call("scatterElements", "output", {"axis": 1}, input="b", indices="i", updates="g"),
        k=i32([2]),
        i=i32([[1], [1]]),
        b=u8([[3, 6], [4, 6]]),
    ),
    _truth("clamped", u8([[2, 2, 2], [2, 2, 2]]), call("clamp", "output", {"minValue": 2}, input="t")),
    _truth(
        "as float16",
        f16([[0.5, 0, 0.5], [0, 0, 0.5]]),
        call("cast", "c", input="t", type="float16"),
        call("mul", "output", a="c", b="b"),
        b=f16(0.5),
    ),
    _truth(
        "as int8, negated",
        tensor("int8", [[-1, 0, -1], [0, 0, -1]]),
        call("cast", "c", input="t", type="int8"),
        call("neg", "output", input="c"),
    ),
    _truth(
        "as uint64",
        tensor("uint64", [[2**63 + 1, 2**63, 2**63 + 1], [2**63, 2**63, 2**63 + 1]]),
        call("cast", "c", input="t", type="uint64"),
        call("add", "output", a="c", b="b"),
        b=tensor("uint64", 2**63),
    ),
    _truth(
        "itself as a condition and a value",
        u8([[1, 3, 1], [3, 3, 1]]),
        call("where", "output", condition="t", trueValue="t", falseValue="b"),
        b=u8(3),
    ),
    _truth("compared again", u8([[0, 0, 0], [1, 1, 0]]), call("lesser", "output", a="t", b="b"), b=u8([[0], [1]])),
    _truth("xor", u8([[0, 0, 1], [1, 0, 1]]), call("logicalXor", "output", a="t", b="b"), b=u8([[4, 0, 0], [2, 0, 0]])),
    _truth(
        "transposed, reversed",
        u8([[1, 1], [0, 0], [0, 1]]),
        call("transpose", "r", input="t"),
        call("reverse", "output", input="r"),
    ),
    _truth(
        "dequantized",
        f32([[-1, -1.5, -1], [-1.5, -1.5, -1]]),
        call("dequantizeLinear", "output", input="t", scale="s", zeroPoint="b"),
        s=f32([[0.5]]),
        b=u8([[3]]),
    ),
    _truth(
        "max pool",
        u8([[[[1, 1]]]]),
        call("reshape", "r", input="t", newShape=[1, 1, 2, 3]),
        call("maxPool2d", "output", {"windowDimensions": [2, 2]}, input="r"),
    ),
    _truth(
        "split and expanded",
        u8([[1, 1], [1, 1]]),
        call("split", ["a", "b"], {"axis": 1}, input="t", splits=[2, 1]),
        call("expand", "output", input="b", newShape=[2, 2]),
    ),
    graph(
        "a number as a condition is still that number",
        {"c": u8([0, 2, 255]), "a": f32(1), "b": f32(-1)},
        [
            call("where", "w", condition="c", trueValue="a", falseValue="b"),
            call("logicalNot", "n", a="c"),
            call("identity", "output", input="c"),
        ],
        {"output": u8([0, 2, 255]), "w": f32([-1, 1, 1]), "n": u8([1, 0, 0])},
    ),
    graph(
        "quantized numbers as conditions",
        {"x": f32([0, 0.25, 3]), "s": f32([1]), "z": u8([0])},
        [
            call("quantizeLinear", "q", input="x", scale="s", zeroPoint="z"),
            call("logicalNot", "output", a="q"),
            call("logicalOr", "o", a="q", b="output"),
        ],
        {"output": u8([1, 1, 0]), "o": u8([1, 1, 1])},
    ),
]

MINUS = i32([-1, 5, -(2**31)])

TYPES = [
    graph(
        "int32 to uint32: order, quotient and float32",
        {"x": MINUS, "two": tensor("uint32", 2)},
        [
            call("cast", "u", input="x", type="uint32"),
            call("div", "d", a="u", b="two"),
            call("greater", "g", a="u", b="two"),
            call("cast", "f", input="u", type="float32"),
        ],
        {"d": tensor("uint32", [2**31 - 1, 2, 2**30]), "g": u8([1, 1, 1]), "f": f32([2.0**32, 5, 2.0**31])},
    ),
    graph(
        "int8 to uint64 and back",
        {"x": tensor("int8", [-1, 127, -128])},
        [
            call("cast", "u", input="x", type="uint64"),
            call("cast", "f", input="u", type="float32"),
            call("cast", "output", input="u", type="int8"),
        ],
        {"f": f32([2.0**64, 127, 2.0**64]), "output": tensor("int8", [-1, 127, -128])},
    ),
    graph(
        "uint32 through int64",
        {"x": tensor("uint32", [2**32 - 1, 2**31])},
        [
            call("cast", "l", input="x", type="int64"),
            call("add", "m", a="l", b="l"),
            call("cast", "output", input="m", type="uint32"),
        ],
        {"output": tensor("uint32", [2**32 - 2, 0]), "m": i64([2**33 - 2, 2**32])},
    ),
    graph(
        "int64 cut to uint8, then float16",
        {"x": i64([2**53 + 300, -1])},
        [call("cast", "b", input="x", type="uint8"), call("cast", "output", input="b", type="float16")],
        {"output": f16([44, 255])},
    ),
    graph(
        "uint64: least, then its remainder",
        {"a": tensor("uint64", [2**64 - 1, 7]), "b": tensor("uint64", [2**63, 2**64 - 1])},
        [call("min", "m", a="a", b="b"), call("max", "n", a="a", b="b"), call("sub", "output", a="n", b="m")],
        {"output": tensor("uint64", [2**63 - 1, 2**64 - 8])},
    ),
    graph(
        "uint4 there and back",
        {"x": f32([-3, 0.375, 5.5, 99]), "s": f32([0.5]), "z": tensor("uint4", [3])},
        [
            call("quantizeLinear", "q", input="x", scale="s", zeroPoint="z"),
            call("dequantizeLinear", "output", input="q", scale="s", zeroPoint="z"),
        ],
        {"output": f32([-1.5, 0.5, 5.5, 6])},
    ),
    graph(
        "float16 between float32",
        {"x": f32([1 + 2.0**-11, 70000, -(2.0**-26)])},
        [call("cast", "h", input="x", type="float16"), call("cast", "output", input="h", type="float32")],
        {"output": f32([1, INF, 0])},
    ),
    graph(
        "indices that are computed",
        {"x": f32([[5, 1, 9], [7, 8, 2]])},
        [call("argMax", "i", input="x", axis=1), call("gather", "output", {"axis": 1}, input="x", indices="i")],
        {"output": f32([[9, 1], [2, 8]])},
    ),
    graph(
        "indices that are cast",
        {"x": f16([[1, 2], [3, 4], [5, 6]]), "i": u8([2, 0])},
        [call("cast", "j", input="i", type="int32"), call("gather", "output", input="x", indices="j")],
        {"output": f16([[5, 6], [1, 2]])},
    ),
    graph(
        "the sign of a difference of uint32, as int64",
        {"a": tensor("uint32", [5, 2**32 - 1]), "b": tensor("uint32", [7, 1])},
        [
            call("cast", "c", input="a", type="int64"),
            call("cast", "d", input="b", type="int64"),
            call("sub", "e", a="c", b="d"),
            call("sign", "output", input="e"),
        ],
        {"output": i64([-1, 1])},
    ),
]

R = count("int32", (2, 3), 1)

SHARED = [
    graph(
        "the same operand twice: add",
        {"x": R},
        [call("add", "output", a="x", b="x")],
        {"output": each(lambda a: 2 * a, R)},
    ),
    graph(
        "the same operand twice: sub of infinities",
        {"x": f32([INF, 1])},
        [call("sub", "output", a="x", b="x")],
        {"output": f32([NAN, 0])},
    ),
    graph(
        "the same operand twice: concat, three times",
        {"x": R},
        [call("concat", "output", inputs=["x", "x", "x"], axis=1)],
        {"output": join(1, R, R, R)},
    ),
    graph(
        "the same operand twice: matmul with its transpose",
        {"x": f32([[1, 2, 3], [4, 5, 6]])},
        [call("transpose", "t", input="x"), call("matmul", "output", a="x", b="t")],
        {"output": f32([[14, 32], [32, 77]])},
    ),
    graph(
        "the same operand twice: gather",
        {"x": i32([2, 0, 1, -1])},
        [call("gather", "output", input="x", indices="x")],
        {"output": i32([1, 2, 0, -1])},
    ),
    graph(
        "the same operand twice: where",
        {"c": u8([0, 3])},
        [call("where", "output", condition="c", trueValue="c", falseValue="c")],
        {"output": u8([0, 3])},
    ),
    graph(
        "the same operand thrice: scatter",
        {"x": i32([2, 0, 1])},
        [call("scatterElements", "output", input="x", indices="x", updates="x")],
        {"output": i32([0, 1, 2])},
    ),
    graph(
        "the same operand twice: prelu",
        {"x": f32([-3, 2])},
        [call("prelu", "output", input="x", slope="x")],
        {"output": f32([9, 2])},
    ),
    graph(
        "the same operand thrice: gemm",
        {"x": f32([[1, 2], [3, 4]])},
        [call("gemm", "output", {"c": "x", "bTranspose": True}, a="x", b="x")],
        {"output": f32([[6, 13], [14, 29]])},
    ),
    graph(
        "the same operand twice: biases of gruCell",
        {
            "x": f32([[1]]),
            "w": f32([[1], [0.5], [3]]),
            "r": f32([[0.5], [1], [1]]),
            "h": f32([[2]]),
            "b": f32([1, 0, 1]),
        },
        [
            call(
                "gruCell",
                "output",
                {"bias": "b", "recurrentBias": "b", "activations": ["relu", "relu"]},
                input="x",
                weight="w",
                recurrentWeight="r",
                hiddenState="h",
                hiddenSize=1,
            )
        ],
        {"output": f32([[4 * 2 - 3 * 11.5]])},
    ),
    graph("a scalar to a power of itself", {"x": i64(9)}, [call("pow", "output", a="x", b="x")], {"output": i64(9**9)}),
    graph(
        "an input is an output, by identity",
        {"x": tensor("uint64", [2**64 - 1])},
        [call("identity", "output", input="x")],
        {"output": tensor("uint64", [2**64 - 1])},
    ),
    graph(
        "a constant is an output, by two identities",
        {"x": i64([2**53 + 1]).const(), "y": f32([1])},
        [call("identity", "a", input="x"), call("identity", "output", input="a"), call("neg", "n", input="y")],
        {"output": i64([2**53 + 1]), "n": f32([-1])},
    ),
    graph(
        "outputs one after the other",
        {"x": f32([-1, 2])},
        [call("relu", "a", input="x"), call("neg", "b", input="a"), call("abs", "c", input="b")],
        {"a": f32([0, 2]), "b": f32([0, -2]), "c": f32([0, 2])},
    ),
    graph(
        "an input that is two outputs",
        {"x": R},
        [call("reshape", "a", input="x", newShape=[2, 3]), call("transpose", "b", {"permutation": [0, 1]}, input="x")],
        {"a": R, "b": R},
    ),
    graph(
        "a part that is output and used",
        {"x": count("float32", (6,))},
        [
            call("split", ["a", "b", "c"], input="x", splits=[1, 3, 2]),
            call("add", "d", a="b", b="a"),
            call("concat", "output", inputs=["c", "d"], axis=0),
        ],
        {"b": f32([1, 2, 3]), "output": f32([4, 5, 1, 2, 3])},
    ),
    graph(
        "the second output of lstm alone",
        {"x": f32([[[1]]]), "w": f32([[[2], [3], [1], [4]]]), "r": f32([[[1], [1], [1], [1]]])},
        [
            call(
                "lstm",
                ["h", "c"],
                {"activations": ["relu", "relu", "relu"]},
                input="x",
                weight="w",
                recurrentWeight="r",
                steps=1,
                hiddenSize=1,
            ),
            call("neg", "output", input="c"),
        ],
        {"output": f32([[[-8]]])},
    ),
    graph(
        "the sequence of gru alone",
        {"x": f32([[[1]], [[2]]]), "w": f32([[[0.5], [0], [1]]]), "r": f32([[[0], [0], [0]]])},
        [
            call(
                "gru",
                ["h", "s"],
                {"returnSequence": True, "activations": ["relu", "relu"]},
                input="x",
                weight="w",
                recurrentWeight="r",
                steps=2,
                hiddenSize=1,
            ),
            call("reshape", "output", input="s", newShape=[2]),
        ],
        {"output": f32([0.5, 0.5])},
    ),
    graph(
        "all constants",
        {"a": f32([[1, 2]]).const(), "b": f32([[3], [4]]).const()},
        [call("matmul", "m", a="a", b="b"), call("add", "output", a="m", b="b")],
        {"output": f32([[14], [15]])},
    ),
    graph(
        "all constants, integers",
        {"a": i32([7, -7]).const(), "b": i32([2, 2]).const()},
        [call("div", "q", a="a", b="b"), call("cast", "output", input="q", type="uint8")],
        {"output": u8([3, 253])},
    ),
    graph(
        "an operand that nobody needs",
        {"x": f32([1]), "unused": f16([[1, 2]])},
        [call("relu", "nothing", input="unused"), call("neg", "output", input="x")],
        {"output": f32([-1])},
    ),
    graph(
        "names of any text",
        {"x y/é": f32([1]), '入力 "1"\n': f32([2])},
        [
            call("add", "Ω:0", a="x y/é", b='入力 "1"\n'),
            call("neg", "(Unnamed Layer* 0) [ElementWise]_output", input="Ω:0"),
        ],
        {"Ω:0": f32([3]), "(Unnamed Layer* 0) [ElementWise]_output": f32([-3])},
    ),
    graph(
        "a long chain",
        {"x": i32([1])},
        [call("add", f"y{k + 1}", a=f"y{k}" if k else "x", b="x") for k in range(100)],
        {"y100": i32([101]), "y50": i32([51])},
    ),
    graph(
        "a diamond",
        {"x": f32([[1, -2]])},
        [
            call("relu", "a", input="x"),
            call("neg", "b", input="x"),
            call("mul", "c", a="a", b="b"),
            call("sub", "output", a="c", b="x"),
        ],
        {"output": f32([[-2, 2]])},
    ),
    graph(
        "softmax, then the parts of it",
        {"x": f32([[0, 0, 0, 0]])},
        [
            call("softmax", "s", input="x", axis=1),
            call("split", ["a", "b"], {"axis": 1}, input="s", splits=[1, 3]),
            call("reduceSum", "output", input="b"),
        ],
        {"output": f32(0.75), "a": f32([[0.25]])},
    ),
    graph(
        "a constant transposed two ways",
        {"x": f32([[1, 2, 3]]), "k": count("float32", (3, 2)).const()},
        [
            call("matmul", "a", a="x", b="k"),
            call("transpose", "t", input="k"),
            call("matmul", "b", a="k", b="t"),
            call("mul", "output", a="b", b="x"),
        ],
        {"a": f32([[16, 22]]), "output": f32([[1, 6, 15], [3, 26, 69], [5, 46, 123]])},
    ),
]

BIG = 2**24 + 1
"""No float32."""
K = i32([[3, -4, 2**31 - 1], [-(2**31), 0, BIG]])


def _folded(name: str, expected: Tensor, *operators: Any, **more: Tensor) -> Case:
    """Constants alone, which TensorRT computes while it compiles: a tensor `k` and a number that is no float32."""
    inputs = {"k": K.const(), "big": i32(BIG).const(), **{key: value.const() for key, value in more.items()}}
    return graph(f"constants: {name}", inputs, list(operators), {"output": expected})


FOLDED = [
    _folded(
        "max and min",
        each(lambda a: min(max(a, 5), BIG), K),
        call("max", "m", a="k", b="five"),
        call("min", "output", a="m", b="big"),
        five=i32(5),
    ),
    _folded(
        "clamp",
        each(lambda a: min(max(a, -BIG), BIG), K),
        call("clamp", "output", {"minValue": -BIG, "maxValue": BIG}, input="k"),
    ),
    _folded("the number first", each(lambda a: min(BIG, a), K), call("min", "output", a="big", b="k")),
    _folded("quotient", each(lambda a: int(a / BIG), K), call("div", "output", a="k", b="big")),
    _folded(
        "quotient by the greatest of some",
        each(lambda a: int(a / (2**31 - 1)), K),
        call("reduceMax", "g", input="k"),
        call("div", "output", a="k", b="g"),
    ),
    _folded("compared", each(lambda a: int(a < BIG), K, dtype="uint8"), call("lesser", "output", a="k", b="big")),
    _folded("equal", each(lambda a: int(a == BIG), K, dtype="uint8"), call("equal", "output", a="k", b="big")),
    _folded(
        "cast to int64, both",
        each(lambda a: a * BIG, K, dtype="int64"),
        call("cast", "c", input="k", type="int64"),
        call("cast", "d", input="big", type="int64"),
        call("mul", "output", a="c", b="d"),
    ),
    _folded(
        "uint64",
        tensor("uint64", [2**63 + 2**53 + 1, 2**53 + 2]),
        call("add", "output", a="u", b="v"),
        u=tensor("uint64", [2**63, 1]),
        v=tensor("uint64", 2**53 + 1),
    ),
    _folded(
        "prelu",
        each(lambda a: max(a, 0) + BIG * min(a, 0), i32([3, -4])),
        call("prelu", "output", input="p", slope="big"),
        p=i32([3, -4]),
    ),
    _folded(
        "dequantized",
        each(lambda a: float(a - BIG), i32([BIG + 3, BIG]), dtype="float32"),
        call("dequantizeLinear", "output", input="p", scale="s", zeroPoint="z"),
        p=i32([BIG + 3, BIG]),
        s=f32([1]),
        z=i32([BIG]),
    ),
]

CASES: dict[str, list[Case]] = {
    "graph, nhwc": NHWC,
    "graph, truth": TRUTH,
    "graph, types": TYPES,
    "graph, shared": SHARED,
    "graph, constants": FOLDED,
}
REFUSED: list[Case] = []
