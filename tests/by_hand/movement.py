"""Operators that move elements. Spec: their sections, https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pad, #…-slice …

`fill` gives the output element by element: what stands at an index of the output, in terms of the input.
"""

from __future__ import annotations

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
    one,
    refused,
    tensor,
    u8,
)


def padded(x: Tensor, begin: list[int], end: list[int], mode: str, value: object = 0) -> Tensor:
    """Spec, pad: each dimension by itself; the reflection does not repeat the edge."""
    shape = tuple(b + size + e for b, size, e in zip(begin, x.shape, end, strict=True))

    def element(index: tuple[int, ...]) -> object:
        source = []
        for position, before, size in zip(index, begin, x.shape, strict=True):
            place = position - before
            if not 0 <= place < size:
                if mode == "constant":
                    return value
                if mode == "edge":
                    place = 0 if place < 0 else size - 1
                else:
                    place = -place if place < 0 else 2 * (size - 1) - place
            source.append(place)
        return x[tuple(source)]

    return fill(x.dtype, shape, element)


def _pad(name: str, x: Tensor, begin: list[int], end: list[int], **options: object) -> Case:
    expected = padded(x, begin, end, str(options.get("mode", "constant")), options.get("value", 0))
    return one(name, "pad", expected, input=x, beginningPadding=begin, endingPadding=end, options=options)


def _slice(name: str, x: Tensor, starts: list[int], sizes: list[int], strides: list[int] | None = None) -> Case:
    steps = strides or [1] * len(starts)
    shape = tuple(-(-size // step) for size, step in zip(sizes, steps, strict=True))

    def element(index: tuple[int, ...]) -> object:
        return x[tuple(start + i * step for i, start, step in zip(index, starts, steps, strict=True))]

    options = {} if strides is None else {"strides": strides}
    return one(name, "slice", fill(x.dtype, shape, element), input=x, starts=starts, sizes=sizes, options=options)


def _tile(name: str, x: Tensor, repetitions: list[int]) -> Case:
    shape = tuple(size * times for size, times in zip(x.shape, repetitions, strict=True))
    expected = fill(x.dtype, shape, lambda i: x[tuple(p % size for p, size in zip(i, x.shape, strict=True))])
    return one(name, "tile", expected, input=x, repetitions=repetitions)


def _transpose(name: str, x: Tensor, permutation: list[int] | None) -> Case:
    order = permutation if permutation is not None else list(reversed(range(len(x.shape))))

    def element(index: tuple[int, ...]) -> object:
        source = [0] * len(order)
        for position, axis in zip(index, order, strict=True):
            source[axis] = position
        return x[tuple(source)]

    options = {} if permutation is None else {"permutation": permutation}
    expected = fill(x.dtype, tuple(x.shape[axis] for axis in order), element)
    return one(name, "transpose", expected, input=x, options=options)


def _triangular(name: str, x: Tensor, upper: bool | None = None, diagonal: int | None = None) -> Case:
    """Kept is what lies on the diagonal that starts `diagonal` columns to the right, and above (below) it."""

    def element(index: tuple[int, ...]) -> object:
        beyond = index[-1] - index[-2] - (diagonal or 0)
        return x[index] if (beyond >= 0 if upper is not False else beyond <= 0) else 0

    options = {key: value for key, value in (("upper", upper), ("diagonal", diagonal)) if value is not None}
    return one(name, "triangular", fill(x.dtype, x.shape, element), input=x, options=options)


def _expand(name: str, x: Tensor, shape: list[int]) -> Case:
    lead = len(shape) - len(x.shape)

    def element(index: tuple[int, ...]) -> object:
        return x[tuple(p if size > 1 else 0 for p, size in zip(index[lead:], x.shape, strict=True))]

    return one(name, "expand", fill(x.dtype, tuple(shape), element), input=x, newShape=shape)


def _reverse(name: str, x: Tensor, axes: list[int] | None) -> Case:
    turned = axes if axes is not None else list(range(len(x.shape)))

    def element(index: tuple[int, ...]) -> object:
        return x[tuple(x.shape[d] - 1 - p if d in turned else p for d, p in enumerate(index))]

    options = {} if axes is None else {"axes": axes}
    return one(name, "reverse", fill(x.dtype, x.shape, element), input=x, options=options)


def _reshape(name: str, x: Tensor, shape: list[int]) -> Case:
    return one(name, "reshape", flat(x.dtype, tuple(shape), x.data), input=x, newShape=shape)


SIX = f32([[1, 2, 3], [4, 5, 6]])
TOP = tensor("uint64", [[2**64 - 1, 2**63], [1, 0], [2**63 + 1, 7]])
WIDE = i64([[2**53 + 1, -(2**53) - 1, 2**63 - 1], [-(2**63), 0, 1]])
HALVES = f16([[NAN, INF], [-INF, 65504], [0.5, -(2.0**-24)]])

CASES: dict[str, list[Case]] = {
    "pad": [
        one(
            "the specification's edge example",
            "pad",
            f32([[1, 1, 1, 2, 3, 3, 3]] * 2 + [[4, 4, 4, 5, 6, 6, 6]] * 2),
            input=SIX,
            beginningPadding=[1, 2],
            endingPadding=[1, 2],
            options={"mode": "edge"},
        ),
        one(
            "the specification's reflection example",
            "pad",
            f32([[6, 5, 4, 5, 6, 5, 4], [3, 2, 1, 2, 3, 2, 1]] * 2),
            input=SIX,
            beginningPadding=[1, 2],
            endingPadding=[1, 2],
            options={"mode": "reflection"},
        ),
        _pad("uneven constant", SIX, [0, 3], [2, 1]),
        _pad("uneven edge beyond the size, rank 3", count("int32", (2, 1, 3)), [3, 2, 0], [0, 1, 5], mode="edge"),
        _pad("reflection of all but one, rank 3", count("float16", (2, 4, 3)), [0, 3, 1], [1, 1, 2], mode="reflection"),
        _pad(
            "reflection, rank 5", count("float32", (1, 2, 1, 3, 2)), [0, 1, 0, 2, 0], [0, 0, 0, 1, 1], mode="reflection"
        ),
        _pad(
            "edge, rank 5, first and last",
            count("int32", (2, 1, 2, 1, 2)),
            [1, 0, 0, 2, 1],
            [0, 1, 0, 0, 2],
            mode="edge",
        ),
        _pad("infinite value", f32([[0]]), [1, 0], [0, 2], value=-INF),
        _pad("NaN value, float16", f16([1, 2]), [1], [2], value=NAN),
        _pad("uint64 above the signed range", TOP, [1, 0], [0, 1], value=2**64 - 1),
        _pad("int64 beyond 2^53", WIDE, [0, 1], [1, 0], value=-(2**53) - 1),
        _pad("uint32", tensor("uint32", [2**32 - 1]), [1], [1], value=2**31),
        _pad("int8 edge", tensor("int8", [[-128], [127]]), [0, 2], [1, 0], mode="edge"),
        _pad("uint8 reflection", u8([255, 0, 7]), [2], [2], mode="reflection"),
        _pad("nothing to add", SIX, [0, 0], [0, 0], value=9),
        _pad("scalar", f32(5), [], []),
        _pad("a constant is padded", SIX.const(), [1, 0], [0, 1], value=-1),
    ],
    "tile": [
        _tile("float32", SIX, [2, 3]),
        _tile("one dimension", f16([1, 2, 3]), [4]),
        _tile("rank 8", count("int32", (1, 2, 1, 1, 2, 1, 1, 3)), [2, 1, 1, 2, 2, 1, 1, 1]),
        _tile("scalar", i64(2**53 + 1), []),
        _tile("uint64", TOP, [1, 2]),
        _tile("int8, nothing to repeat", tensor("int8", [[-128, 127]]), [1, 1]),
        _tile("uint8, size-1 dimensions", u8([[[200]], [[3]]]), [1, 3, 2]),
    ],
    "slice": [
        _slice("inner part", count("float32", (3, 4)), [1, 1], [2, 2]),
        _slice("strides that do not divide", count("float32", (5, 7)), [0, 1], [5, 6], [2, 4]),
        _slice("stride beyond the size", count("int32", (4, 3)), [1, 2], [3, 1], [7, 9]),
        _slice("last element alone", count("float16", (2, 3, 4)), [1, 2, 3], [1, 1, 1]),
        _slice(
            "rank 8",
            count("int32", (1, 2, 1, 3, 1, 2, 1, 4)),
            [0, 1, 0, 0, 0, 0, 0, 1],
            [1, 1, 1, 3, 1, 2, 1, 3],
            [1, 1, 1, 2, 1, 1, 1, 2],
        ),
        _slice("uint64", TOP, [1, 0], [2, 2], [1, 2]),
        _slice("int8", tensor("int8", [-128, 5, 127]), [0], [3], [2]),
        _slice("scalar", f32(3), [], []),
        _slice("everything", WIDE, [0, 0], [2, 3]),
        _slice("NaN and infinities, uneven strides", HALVES, [0, 0], [3, 2], [2, 1]),
    ],
    "split": [
        one(
            "three equal parts along the last axis",
            "split",
            [f32([[1], [4]]), f32([[2], [5]]), f32([[3], [6]])],
            input=SIX,
            splits=3,
            options={"axis": 1},
        ),
        one(
            "uneven parts",
            "split",
            [i32([[0, 1]]), i32([[2, 3], [4, 5], [6, 7]]), i32([[8, 9]])],
            input=count("int32", (5, 2)),
            splits=[1, 3, 1],
        ),
        one("one part", "split", [f16([1, 2])], input=f16([1, 2]), splits=1),
        one("one part as a list", "split", [tensor("int8", [1, 2])], input=tensor("int8", [1, 2]), splits=[2]),
        one(
            "middle axis, uint64",
            "split",
            [
                fill("uint64", (2, 1, 2), lambda i: 2**63 + 6 * i[0] + i[2]),
                fill("uint64", (2, 2, 2), lambda i: 2**63 + 6 * i[0] + 2 * i[1] + 2 + i[2]),
            ],
            input=count("uint64", (2, 3, 2), 2**63),
            splits=[1, 2],
            options={"axis": 1},
        ),
        one("uint8, as many as there are", "split", [u8([7]), u8([255])], input=u8([7, 255]), splits=2),
    ],
    "concat": [
        one(
            "middle axis, sizes differ",
            "concat",
            fill(
                "float32",
                (2, 4, 3),
                lambda i: 100 * (i[1] > 0) + (3 * i[0] + i[2] if i[1] == 0 else 9 * i[0] + 3 * (i[1] - 1) + i[2]),
            ),
            inputs=[count("float32", (2, 1, 3)), count("float32", (2, 3, 3), 100)],
            axis=1,
        ),
        one("one input", "concat", i32([3, 4]), inputs=[i32([3, 4])], axis=0),
        one(
            "three, last axis",
            "concat",
            f16([[1, 2, 5, 6], [3, 4, 7, 8]]),
            inputs=[f16([[1], [3]]), f16([[2], [4]]), f16([[5, 6], [7, 8]])],
            axis=1,
        ),
        one(
            "uint64 and a constant",
            "concat",
            tensor("uint64", [2**64 - 1, 2**63, 0]),
            inputs=[tensor("uint64", [2**64 - 1]), tensor("uint64", [2**63, 0]).const()],
            axis=0,
        ),
        one("uint8", "concat", u8([[255, 1], [0, 128]]), inputs=[u8([[255, 1]]), u8([[0, 128]])], axis=0),
        one(
            "int64, rank 5",
            "concat",
            i64([[[[[2**53 + 1, -1]]]]]),
            inputs=[i64([[[[[2**53 + 1]]]]]), i64([[[[[-1]]]]])],
            axis=4,
        ),
    ],
    "transpose": [
        _transpose("reversed", count("float32", (2, 3, 4)), None),
        _transpose("a cycle, which is not its own inverse", count("int32", (2, 3, 4)), [1, 2, 0]),
        _transpose("rank 5", count("float16", (2, 1, 3, 2, 2)), [3, 0, 4, 2, 1]),
        _transpose("rank 8", count("int32", (1, 2, 1, 3, 1, 2, 1, 2)), [7, 0, 3, 6, 1, 2, 5, 4]),
        _transpose("scalar", f32(4), None),
        _transpose("rank 1", tensor("uint64", [2**64 - 1, 1]), [0]),
        _transpose("uint8", u8([[1, 2, 3]]), None),
        _transpose("int8, as it is", tensor("int8", [[-1, 2]]), [0, 1]),
    ],
    "reshape": [
        _reshape("order is kept", count("float32", (2, 3, 4)), [4, 6]),
        _reshape("to a scalar", f16([[[7]]]), []),
        _reshape("from a scalar", i64(-(2**53) - 1), [1, 1, 1]),
        _reshape("to rank 8", count("int32", (4, 6)), [2, 1, 2, 1, 3, 1, 2, 1]),
        _reshape("uint64", TOP, [6]),
        _reshape("uint8", u8([1, 2, 3, 255]), [2, 2]),
    ],
    "expand": [
        _expand("scalar", f32(3), [2, 3]),
        _expand("rows and columns", i32([[1], [2]]), [2, 3]),
        _expand("new leading dimensions", f16([1, 2]), [2, 3, 2]),
        _expand("middle, rank 5", count("int64", (2, 1, 3, 1, 2), 2**53), [2, 2, 3, 2, 2]),
        _expand("nothing to do", tensor("int8", [[-1, 2]]), [1, 2]),
        _expand("uint64", tensor("uint64", [[2**64 - 1], [5]]), [2, 2]),
        _expand("scalar to scalar", u8(200), []),
        _expand("rank 8", count("int32", (1, 2)), [2, 1, 1, 3, 1, 1, 2, 2]),
    ],
    "reverse": [
        _reverse("all dimensions", count("float32", (2, 3)), None),
        _reverse("none", count("float32", (2, 3)), []),
        _reverse("first and last", count("int32", (2, 3, 4)), [2, 0]),
        _reverse("middle, float16", count("float16", (2, 3, 2)), [1]),
        _reverse("uint64", TOP, [0]),
        _reverse("int64", WIDE, None),
        _reverse("scalar", f32(2), None),
        _reverse("rank 8", count("int32", (1, 2, 1, 2, 1, 2, 1, 3)), [7, 3]),
    ],
    "triangular": [
        _triangular("wide", count("float32", (2, 4), 1)),
        _triangular("tall, lower", count("float32", (4, 2), 1), False),
        _triangular("one diagonal less", count("int32", (3, 4), 1), True, 1),
        _triangular("two diagonals more", count("int32", (4, 3), 1), True, -2),
        _triangular("lower, one more, a batch of rank 4", count("float16", (2, 1, 3, 2), 1), False, 1),
        _triangular("lower, one less", count("int64", (3, 5), 2**53), False, -1),
        _triangular("beyond the matrix: nothing", count("float32", (2, 3), 1), True, 100),
        _triangular("beyond the matrix: all", count("float32", (2, 3), 1), False, 100),
        _triangular("far beyond", count("float32", (2, 3), 1), True, -(2**31)),
        _triangular("what is cleared does not leak", f32([[NAN, 1], [INF, NAN]])),
        _triangular("uint64", TOP, False),
        _triangular("uint8 of one row", u8([[1, 2, 255]]), True, 1),
    ],
    "shape": [
        one("rank 3", "shape", i64([2, 1, 3]), input=count("float32", (2, 1, 3))),
        one(
            "rank 8, of uint64", "shape", i64([1, 2, 1, 1, 3, 1, 1, 2]), input=count("uint64", (1, 2, 1, 1, 3, 1, 1, 2))
        ),
        one("rank 1, of a constant", "shape", i64([5]), input=count("uint8", (5,)).const()),
        graph(
            "shape: of a result, and computed with",
            {"x": count("int8", (2, 3, 4)), "one": i64([1, -2, 3])},
            [call("transpose", "t", input="x"), call("shape", "s", input="t"), call("mul", "output", a="s", b="one")],
            {"output": i64([4, -6, 6])},
        ),
    ],
}

REFUSED = [
    refused("too few values", "pad", input=SIX, beginningPadding=[1], endingPadding=[1, 1]),
    refused(
        "reflection of the whole size",
        "pad",
        input=SIX,
        beginningPadding=[2, 0],
        endingPadding=[0, 0],
        options={"mode": "reflection"},
    ),
    refused(
        "reflection at the end",
        "pad",
        input=SIX,
        beginningPadding=[0, 0],
        endingPadding=[0, 3],
        options={"mode": "reflection"},
    ),
    refused(
        "a mode that is none",
        "pad",
        input=SIX,
        beginningPadding=[0, 0],
        endingPadding=[0, 1],
        options={"mode": "symmetric"},
    ),
    refused("negative", "pad", input=SIX, beginningPadding=[-1, 0], endingPadding=[0, 1]),
    refused("too few repetitions", "tile", input=SIX, repetitions=[2]),
    refused("repeated never", "tile", input=SIX, repetitions=[0, 1]),
    refused("negative", "tile", input=SIX, repetitions=[-1, 1]),
    refused("beyond the end", "slice", input=SIX, starts=[0, 2], sizes=[1, 2]),
    refused("of size 0", "slice", input=SIX, starts=[0, 0], sizes=[1, 0]),
    refused("stride 0", "slice", input=SIX, starts=[0, 0], sizes=[1, 1], options={"strides": [1, 0]}),
    refused("too few strides", "slice", input=SIX, starts=[0, 0], sizes=[1, 1], options={"strides": [1]}),
    refused("too few starts", "slice", input=SIX, starts=[0], sizes=[1, 1]),
    refused("does not divide", "split", 2, input=SIX, splits=2, options={"axis": 1}),
    refused("the sum is not the size", "split", 2, input=SIX, splits=[1, 1], options={"axis": 1}),
    refused("a part of size 0", "split", 2, input=SIX, splits=[2, 0]),
    refused("into none", "split", 1, input=SIX, splits=0),
    refused("axis beyond the rank", "split", 1, input=SIX, splits=1, options={"axis": 2}),
    refused("axis beyond the rank", "concat", inputs=[SIX, SIX], axis=2),
    refused("other sizes differ", "concat", inputs=[SIX, f32([[1, 2]])], axis=0),
    refused("types differ", "concat", inputs=[SIX, f16([[1, 2, 3]])], axis=0),
    refused("ranks differ", "concat", inputs=[SIX, f32([1, 2, 3])], axis=0),
    refused("of nothing", "concat", inputs=[], axis=0),
    refused("an axis twice", "transpose", input=SIX, options={"permutation": [0, 0]}),
    refused("an axis beyond the rank", "transpose", input=SIX, options={"permutation": [0, 2]}),
    refused("too few axes", "transpose", input=SIX, options={"permutation": [0]}),
    refused("another number of elements", "reshape", input=SIX, newShape=[5]),
    refused("a size of 0", "reshape", input=SIX, newShape=[0, 6]),
    refused("a size to be found out", "reshape", input=SIX, newShape=[-1, 6]),
    refused("a size that is not 1", "expand", input=SIX, newShape=[4, 3]),
    refused("to a lower rank", "expand", input=f32([[1]]), newShape=[3]),
    refused("to 1", "expand", input=SIX, newShape=[1, 3]),
    refused("an axis twice", "reverse", input=SIX, options={"axes": [1, 1]}),
    refused("an axis beyond the rank", "reverse", input=SIX, options={"axes": [2]}),
    refused("a negative axis", "reverse", input=SIX, options={"axes": [-1]}),
    refused("of rank 1", "triangular", input=f32([1, 2])),
    refused("of a scalar", "triangular", input=f32(1)),
    refused("of a scalar", "shape", input=f32(1)),
    refused("a diagonal that is no long", "triangular", input=SIX, options={"diagonal": 2**31}),
]
