"""Graphs that nobody would write: steps drawn by a seed, each after some earlier value, in the plain Python of the other
families. Values stay integers that float32 holds, so the results must be equal. What is looked for are values that keep
another layout or type inside than the graph says."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

from tests.by_hand.conv import conv2d, conv_transpose2d
from tests.by_hand.form import Case, Tensor, call, fill, flat, graph
from tests.by_hand.graphs import each, fold, join, shaped, take, turn
from tests.by_hand.matrix import matmul
from tests.by_hand.movement import padded
from tests.by_hand.pooling import pool2d, resample

INTEGERS = {
    "int8": (-(2**7), 2**7 - 1),
    "uint8": (0, 2**8 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}
CORNERS = {
    dtype: [
        value
        for value in (low, low + 1, -1, 0, 1, 2, 100, 2**53 + 1, high // 2, high // 2 + 1, high - 1, high)
        if low <= value <= high
    ]
    for dtype, (low, high) in INTEGERS.items()
}
LARGEST, MOST = 2**18, 300
"""Bounds of a value's elements and of their number, so that every sum is exact and every graph small."""


class Chain:
    """A graph that grows by steps."""

    def __init__(self, seed: int, dtype: str = "float32") -> None:
        self.random = Random(seed)
        self.dtype = dtype
        """Of the values that steps are taken from."""
        self.inputs: dict[str, Tensor] = {}
        self.calls: list[Any] = []
        self.values: dict[str, Tensor] = {}

    def draw(self, *shape: int, low: int | None = None, high: int = 2, dtype: str | None = None) -> str:
        """A new input, or a constant. Integers are at the limits of their type, where nothing else is asked for."""
        dtype = dtype or self.dtype
        at = CORNERS.get(dtype, range(-2, high + 1)) if low is None else range(low, high + 1)
        made = fill(dtype, shape, lambda _: self.random.choice(at))
        name = f"in{len(self.inputs)}"
        self.inputs[name] = made.const() if self.random.random() < 0.4 else made
        self.values[name] = made
        return name

    def add(self, op: str, result: Tensor, options: dict[str, Any] | None = None, **arguments: Any) -> str:
        name = f"v{len(self.calls)}"
        self.calls.append(call(op, name, options, **arguments))
        self.values[name] = result
        return name

    def step(self) -> None:
        """One more operator on a value, mostly on a late one."""
        names = [name for name, value in self.values.items() if value.dtype == self.dtype]
        name = names[-1] if self.random.random() < 0.7 else self.random.choice(names)
        x = self.values[name]
        if self.dtype == "float32" and max((abs(v) for v in x.data), default=0) > LARGEST // 256:
            result = each(lambda a: min(max(a, -9), 7), x)
            self.add("clamp", result, {"minValue": -9, "maxValue": 7}, input=name)
            return
        step = self.random.choice(STEPS if self.dtype == "float32" else TYPED)
        before = len(self.calls)
        step(self, name, x)
        for made in list(self.values)[-(len(self.calls) - before) :] if len(self.calls) > before else ():
            assert len(self.values[made].data) <= MOST * 8

    def some(self, size: int, most: int = 3) -> list[int]:
        return [self.random.randrange(size) for _ in range(self.random.randint(1, most))]

    def axis(self, x: Tensor) -> int:
        return self.random.randrange(len(x.shape))

    def permutation(self, x: Tensor) -> list[int]:
        order = list(range(len(x.shape)))
        self.random.shuffle(order)
        return order


def _unary(c: Chain, name: str, x: Tensor) -> None:
    op, function = c.random.choice(
        [("relu", lambda a: max(a, 0)), ("neg", lambda a: -a), ("abs", abs), ("sign", lambda a: (a > 0) - (a < 0))]
    )
    c.add(op, each(function, x), input=name)


def _binary(c: Chain, name: str, x: Tensor) -> None:
    shape = [size if c.random.random() < 0.6 else 1 for size in x.shape]
    other = c.draw(*shape[c.random.randint(0, len(shape)) :])
    op, function = c.random.choice(
        [
            ("add", lambda a, b: a + b),
            ("sub", lambda a, b: a - b),
            ("mul", lambda a, b: a * b),
            ("max", max),
            ("min", min),
        ]
    )
    first, second = (name, other) if c.random.random() < 0.5 else (other, name)
    c.add(op, each(function, c.values[first], c.values[second]), a=first, b=second)


def _earlier(c: Chain, name: str, x: Tensor) -> None:
    """With an earlier value of the same shape, which may be held in another order."""
    alike = [n for n, v in c.values.items() if v.shape == x.shape and v.dtype == x.dtype]
    other = c.random.choice(alike)
    c.add("add", each(lambda a, b: a + b, x, c.values[other]), a=name, b=other)


def _transpose(c: Chain, name: str, x: Tensor) -> None:
    order = c.permutation(x)
    c.add("transpose", turn(x, *order), {"permutation": order}, input=name)


def _transpose_add(c: Chain, name: str, x: Tensor) -> None:
    """There, an operator in the middle, and back."""
    order = c.permutation(x)
    turned = c.add("transpose", turn(x, *order), {"permutation": order}, input=name)
    row = c.draw(c.values[turned].shape[-1]) if x.shape else c.draw()
    summed = c.add("add", each(lambda a, b: a + b, c.values[turned], c.values[row]), a=turned, b=row)
    back = [order.index(axis) for axis in range(len(order))]
    c.add("transpose", turn(c.values[summed], *back), {"permutation": back}, input=summed)


def _reshape(c: Chain, name: str, x: Tensor) -> None:
    rest, shape = len(x.data), []
    while rest > 1 and len(shape) < 4:
        factor = c.random.choice([f for f in range(1, rest + 1) if rest % f == 0])
        shape.append(factor)
        rest //= factor
    shape.append(rest)
    c.random.shuffle(shape)
    c.add("reshape", shaped(x, *shape), input=name, newShape=shape)


def _slice(c: Chain, name: str, x: Tensor) -> None:
    starts = [c.random.randrange(size) for size in x.shape]
    sizes = [c.random.randint(1, size - start) for size, start in zip(x.shape, starts, strict=True)]
    strides = [c.random.randint(1, 3) for _ in x.shape]
    result = x
    for axis, (start, size, stride) in enumerate(zip(starts, sizes, strides, strict=True)):
        result = take(result, axis, *range(start, start + size, stride))
    c.add("slice", result, {"strides": strides}, input=name, starts=starts, sizes=sizes)


def _pad(c: Chain, name: str, x: Tensor) -> None:
    mode = c.random.choice(["constant", "edge", "reflection"])
    most = [min(size - 1, 2) if mode == "reflection" else 2 for size in x.shape]
    begin, end = ([c.random.randint(0, m) if c.random.random() < 0.5 else 0 for m in most] for _ in range(2))
    if math.prod(b + s + e for b, s, e in zip(begin, x.shape, end, strict=True)) <= MOST:
        options = {"mode": mode, "value": 3}
        c.add("pad", padded(x, begin, end, mode, 3), options, input=name, beginningPadding=begin, endingPadding=end)


def _concat(c: Chain, name: str, x: Tensor) -> None:
    if x.shape and len(x.data) * 2 <= MOST:
        axis = c.axis(x)
        shape = list(x.shape)
        shape[axis] = c.random.randint(1, 2)
        names = [name, c.draw(*shape)]
        c.random.shuffle(names)
        c.add("concat", join(axis, *(c.values[n] for n in names)), inputs=names, axis=axis)


def _split(c: Chain, name: str, x: Tensor) -> None:
    axes = [axis for axis, size in enumerate(x.shape) if size > 1]
    if axes:
        axis = c.random.choice(axes)
        first = c.random.randint(1, x.shape[axis] - 1)
        parts = [take(x, axis, *range(first)), take(x, axis, *range(first, x.shape[axis]))]
        made = [f"v{len(c.calls)}a", f"v{len(c.calls)}b"]
        c.calls.append(call("split", made, {"axis": axis}, input=name, splits=[first, x.shape[axis] - first]))
        c.values.update(zip(made, parts, strict=True))


def _move(c: Chain, name: str, x: Tensor) -> None:
    """reverse, tile, expand or triangular."""
    axes = [axis for axis in range(len(x.shape)) if c.random.random() < 0.5]
    result = x
    for axis in axes:
        result = take(result, axis, *reversed(range(x.shape[axis])))
    c.add("reverse", result, {"axes": axes}, input=name)
    if len(x.shape) >= 2 and c.random.random() < 0.5:
        by = c.random.randint(-2, 2)
        upper = fill(x.dtype, x.shape, lambda i: x[i] if i[-1] - i[-2] >= by else 0)
        c.add("triangular", upper, {"diagonal": by}, input=name)
    elif x.shape and len(x.data) * 2 <= MOST:
        axis = c.axis(x)
        repetitions = [2 if d == axis else 1 for d in range(len(x.shape))]
        c.add("tile", take(x, axis, *range(x.shape[axis]), *range(x.shape[axis])), input=name, repetitions=repetitions)


def _gather(c: Chain, name: str, x: Tensor) -> None:
    if x.shape:
        axis = c.axis(x)
        places = c.some(x.shape[axis])
        index = f"in{len(c.inputs)}"
        negative = [p - x.shape[axis] if c.random.random() < 0.5 else p for p in places]
        c.inputs[index] = c.values[index] = flat(c.random.choice(["int32", "int64"]), (len(places),), negative)
        c.add("gather", take(x, axis, *places), {"axis": axis}, input=name, indices=index)


def _reduce(c: Chain, name: str, x: Tensor) -> None:
    if x.shape:
        axis = c.axis(x)
        keep = c.random.random() < 0.5
        op, function = c.random.choice([("reduceSum", sum), ("reduceMax", max), ("reduceMin", min)])
        result = fold(function, x, axis)
        shape = result.shape if keep else x.shape[:axis] + x.shape[axis + 1 :]
        c.add(op, shaped(result, *shape), {"axes": [axis], "keepDimensions": keep}, input=name)


def _running_sum(c: Chain, name: str, x: Tensor) -> None:
    if x.shape:
        axis = c.axis(x)

        def element(i: tuple[int, ...]) -> Any:
            return sum(x[(*i[:axis], k, *i[axis + 1 :])] for k in range(i[axis] + 1))

        c.add("cumulativeSum", fill(x.dtype, x.shape, element), input=name, axis=axis)


def _compare(c: Chain, name: str, x: Tensor) -> None:
    """A condition, used as one and as a number."""
    zero = c.draw(low=0, high=0)
    truth = c.add("greater", each(lambda a, b: int(a > b), x, c.values[zero], dtype="uint8"), a=name, b=zero)
    other = c.draw(x.shape[-1]) if x.shape else c.draw()
    if c.random.random() < 0.5:
        chosen = each(lambda t, a, b: a if t else b, c.values[truth], x, c.values[other], dtype="float32")
        c.add("where", chosen, condition=truth, trueValue=name, falseValue=other)
    else:
        number = c.draw(low=2, high=5, dtype="uint8")
        summed = c.add("add", each(lambda a, b: a + b, c.values[truth], c.values[number]), a=truth, b=number)
        c.add("cast", each(int, c.values[summed], dtype="float32"), input=summed, type="float32")


def _cast(c: Chain, name: str, x: Tensor) -> None:
    """To an integer type and back; the operator between them works in that type."""
    low = c.add("clamp", each(lambda a: min(max(a, -20), 20), x), {"minValue": -20, "maxValue": 20}, input=name)
    kind = c.random.choice(["int8", "int32", "int64", "float16"])
    number = c.add("cast", each(int, c.values[low], dtype=kind), input=low, type=kind)
    doubled = c.add("add", each(lambda a, b: a + b, c.values[number], c.values[number]), a=number, b=number)
    order = c.permutation(x)
    turned = c.add("transpose", turn(c.values[doubled], *order), {"permutation": order}, input=doubled)
    c.add("cast", each(int, c.values[turned], dtype="float32"), input=turned, type="float32")


def _matmul(c: Chain, name: str, x: Tensor) -> None:
    if len(x.shape) >= 2:
        other = c.draw(x.shape[-1], c.random.randint(1, 3))
        c.add("matmul", matmul(x, c.values[other]), a=name, b=other)


def _image(c: Chain, name: str, x: Tensor) -> tuple[str, Tensor] | None:
    """The value as a 4-D one, if it is small enough."""
    if len(x.shape) == 4:
        return name, x
    if len(x.shape) in (2, 3):
        shape = (1,) * (4 - len(x.shape)) + x.shape
        return c.add("reshape", shaped(x, *shape), input=name, newShape=list(shape)), shaped(x, *shape)
    return None


def _conv(c: Chain, name: str, x: Tensor) -> None:
    image = _image(c, name, x)
    if image is None:
        return
    name, x = image
    layout = c.random.choice(["nchw", "nhwc", "nhwc"])
    channels, height, width = (
        x.shape["nchw".index(d)] if layout == "nchw" else x.shape["nhwc".index(d)] for d in "chw"
    )
    groups = channels if c.random.random() < 0.2 else 1
    size = {"i": channels // groups, "o": groups * c.random.randint(1, 2) if groups > 1 else c.random.randint(1, 4)}
    size |= {"h": c.random.randint(1, min(height, 2)), "w": c.random.randint(1, min(width, 3))}
    if channels > 12 or groups > 6:
        return
    options: dict[str, Any] = {"inputLayout": layout, "groups": groups, "padding": (1, 0, 0, 1), "strides": (1, 2)}
    if c.random.random() < 0.7:
        options["filterLayout"] = c.random.choice(["oihw", "hwio", "ohwi", "ihwo"])
        op, function = "conv2d", conv2d
    else:
        options["filterLayout"] = c.random.choice(["iohw", "hwoi", "ohwi"])
        options["padding"] = (0, 0, 0, 0)
        size = {**size, "i": channels, "o": size["o"] // groups or 1}
        op, function = "convTranspose2d", conv_transpose2d
    if c.random.random() < 0.5:
        bias = c.draw(size["o"] * (groups if op == "convTranspose2d" else 1))
        options["bias"] = bias
    kernel = c.draw(*(size[letter] for letter in options["filterLayout"]), low=-1, high=1)
    known = {**options, "bias": c.values[options["bias"]]} if "bias" in options else options
    result = function(x, c.values[kernel], **known)  # type: ignore[operator]
    if len(result.data) <= MOST:
        listed = {k: list(v) if isinstance(v, tuple) else v for k, v in options.items()}
        c.add(op, result, listed, input=name, filter=kernel)


def _pool(c: Chain, name: str, x: Tensor) -> None:
    image = _image(c, name, x)
    if image is not None:
        name, x = image
        layout = c.random.choice(["nchw", "nhwc"])
        height, width = x.shape[2:] if layout == "nchw" else x.shape[1:3]
        window = (c.random.randint(1, min(height, 3)), c.random.randint(1, min(width, 3)))
        result = pool2d("maxPool2d", x, window, layout=layout)
        c.add("maxPool2d", result, {"windowDimensions": list(window), "layout": layout}, input=name)


def _resample(c: Chain, name: str, x: Tensor) -> None:
    image = _image(c, name, x)
    if image is not None:
        name, x = image
        axes = sorted(c.random.sample(range(4), 2))
        sizes = [c.random.randint(1, 4) for _ in axes]
        result = resample(x, (axes[0], axes[1]), (sizes[0], sizes[1]), False)
        if len(result.data) <= MOST:
            c.add("resample2d", result, {"axes": axes, "sizes": sizes}, input=name)


def _scatter(c: Chain, name: str, x: Tensor) -> None:
    if x.shape:
        axis = c.axis(x)
        shape = tuple(1 if d == axis else size for d, size in enumerate(x.shape))
        index = f"in{len(c.inputs)}"
        c.inputs[index] = fill("int32", shape, lambda _: c.random.randint(-x.shape[axis], x.shape[axis] - 1))
        c.values[index] = places = c.inputs[index]
        update = c.draw(*shape, low=5, high=9)

        def element(i: tuple[int, ...]) -> Any:
            at = tuple(0 if d == axis else p for d, p in enumerate(i))
            return c.values[update][at] if places[at] % x.shape[axis] == i[axis] else x[i]

        result = fill(x.dtype, x.shape, element)
        c.add("scatterElements", result, {"axis": axis}, input=name, indices=index, updates=update)


def _order(c: Chain, name: str, x: Tensor) -> None:
    """max, min or where, or a comparison that is a number of the type again."""
    other = c.draw(*(size if c.random.random() < 0.6 else 1 for size in x.shape))
    y = c.values[other]
    kind = c.random.randrange(4)
    if kind == 0:
        c.add("max", each(max, x, y), a=name, b=other)
    elif kind == 1:
        c.add("min", each(min, y, x), a=other, b=name)
    else:
        op, function = c.random.choice(
            [("lesser", lambda a, b: int(a < b)), ("greaterOrEqual", lambda a, b: int(a >= b))]
        )
        truth = c.add(op, each(function, x, y, dtype="uint8"), a=name, b=other)
        if kind == 2:
            c.add("cast", each(int, c.values[truth], dtype=c.dtype), input=truth, type=c.dtype)
        else:
            chosen = each(lambda t, a, b: a if t else b, c.values[truth], y, x, dtype=c.dtype)
            c.add("where", chosen, condition=truth, trueValue=other, falseValue=name)


def _clamp(c: Chain, name: str, x: Tensor) -> None:
    low, high = sorted(c.random.sample(CORNERS[c.dtype], 2))
    c.add("clamp", each(lambda a: min(max(a, low), high), x), {"minValue": low, "maxValue": high}, input=name)


def _retype(c: Chain, name: str, x: Tensor) -> None:
    """The low bits, as they are in two's complement."""
    kind = c.random.choice(list(INTEGERS))
    low, high = INTEGERS[kind]
    result = each(lambda a: (a - low) % (high - low + 1) + low, x, dtype=kind)
    c.add("cast", result, input=name, type=kind)
    c.dtype = kind


def _extreme(c: Chain, name: str, x: Tensor) -> None:
    if x.shape:
        axis = c.axis(x)
        op, function = c.random.choice([("reduceMax", max), ("reduceMin", min)])
        c.add(op, fold(function, x, axis), {"axes": [axis], "keepDimensions": True}, input=name)


def _enlarge(c: Chain, name: str, x: Tensor) -> None:
    if c.dtype in ("int8", "uint8"):
        _resample(c, name, x)


TYPED: list[Callable[[Chain, str, Tensor], None]] = [
    _order, _order, _order, _clamp, _retype, _retype, _extreme, _enlarge, _pool, _transpose, _transpose, _reshape, _slice, _pad,
    _concat, _split, _move, _gather, _scatter,
]  # fmt: skip
STEPS: list[Callable[[Chain, str, Tensor], None]] = [
    _unary, _binary, _binary, _earlier, _earlier, _transpose, _transpose, _transpose_add, _reshape, _slice, _pad, _concat, _split,
    _move, _gather, _reduce, _running_sum, _compare, _cast, _matmul, _conv, _conv, _conv, _pool, _resample, _scatter,
]  # fmt: skip


def chain(seed: int, steps: int = 10, dtype: str = "float32") -> Case:
    """The graph of a seed; its last values and one in the middle are its outputs."""
    made = Chain(seed, dtype)
    shape = ([2, 3, 4, 2], [1, 4, 3, 5], [3, 2, 5], [2, 6])[seed % 4]
    if dtype == "float32":
        made.draw(*shape, low=-4, high=4)
    else:
        made.draw(*shape)
    while len(made.calls) < steps:
        made.step()
    computed = [name for name in made.values if name not in made.inputs]
    outputs = {computed[-1], computed[-2], made.random.choice(computed)}
    expected = {name: made.values[name] for name in computed if name in outputs}
    return graph(f"a chain of {steps} steps from {dtype}, seed {seed}", made.inputs, made.calls, expected)


CASES: dict[str, list[Case]] = {
    "graph, chains": [chain(seed) for seed in range(40)],
    "graph, typed chains": [chain(seed, 8, list(INTEGERS)[seed % 6]) for seed in range(36)],
}
REFUSED: list[Case] = []
