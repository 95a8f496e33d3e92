"""matmul, gemm, the convolutions, pooling, resample2d."""

from __future__ import annotations

from typing import Any

from conformance.fuzz.draft import Draft, Shape
from conformance.fuzz.draws import allowed, draws
from conformance.fuzz.draws.elementwise import NUMBERS
from conformance.fuzz.draws.movement import axes
from trtx_backend.dtypes import FLOATS


@draws("matmul")
def matmul(draft: Draft, name: str) -> None:
    first = draft.operand(FLOATS, low=2, high=6)
    shape = draft[first].shape
    other = (*draft.broadcastable(shape[:-2]), shape[-1], draft.integer(1, 4))
    draft.call(name, a=first, b=draft.of_shape(draft[first].dtype, other))


@draws("gemm")
def gemm(draft: Draft, name: str) -> None:
    first = draft.operand(FLOATS, low=2, high=2)
    dtype, shape = draft[first].dtype, draft[first].shape
    options = draft.options(aTranspose=draft.chance, bTranspose=draft.chance,
                            alpha=lambda: draft.pick(NUMBERS), beta=lambda: draft.pick(NUMBERS))  # fmt: skip
    rows, inner = shape[::-1] if options.get("aTranspose") else shape
    columns = draft.integer(1, 4)
    second = (columns, inner) if options.get("bTranspose") else (inner, columns)
    if draft.chance():
        options["c"] = draft.tensor(dtype, draft.broadcastable((rows, columns)))
    draft.call(name, options, a=first, b=draft.of_shape(dtype, second))


def _pair(draft: Draft, high: int) -> list[int]:
    return [draft.integer(1, high), draft.integer(1, high)]


def _placed(layout: str, **sizes: int) -> Shape:
    return tuple(sizes[letter] for letter in layout)


def _input(draft: Draft, dtypes: tuple[str, ...], layout: str, multiple: int) -> tuple[str, dict[str, int]]:
    """An operand of rank 4 whose channels are a multiple of this."""
    made = draft.operand(dtypes, low=4, high=4)
    sizes = dict(zip(layout, draft[made].shape, strict=True))
    if sizes["c"] % multiple:
        sizes |= {"c": multiple}
        made = draft.tensor(draft[made].dtype, _placed(layout, **sizes))
    return made, sizes


@draws("conv2d")
def conv2d(draft: Draft, name: str) -> None:
    layout = draft.pick(("nchw", "nhwc"))
    filter_layout = draft.pick(("oihw", "hwio", "ohwi", "ihwo"))
    groups = draft.pick((1, 1, 2, 3))
    operand, sizes = _input(draft, FLOATS, layout, groups)
    options = draft.options(padding=lambda: [draft.integer(0, 2) for _ in range(4)], strides=lambda: _pair(draft, 3),
                            dilations=lambda: _pair(draft, 2))  # fmt: skip
    padding, dilations = options.get("padding", [0] * 4), options.get("dilations", [1, 1])
    height, width = (
        draft.integer(1, min(3, (sizes[d] + sum(padding[2 * i : 2 * i + 2]) - 1) // dilations[i] + 1))
        for i, d in enumerate("hw")
    )
    maps = groups * draft.integer(1, 2)
    options |= _layouts(draft, layout, filter_layout, "oihw", groups)
    dtype = draft[operand].dtype
    if draft.chance():
        options["bias"] = draft.tensor(dtype, (maps,))
    shape = _placed(filter_layout, o=maps, i=sizes["c"] // groups, h=height, w=width)
    draft.call(name, options, input=operand, filter=draft.of_shape(dtype, shape))


def _layouts(draft: Draft, layout: str, filter_layout: str, default: str, groups: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value, usual in (
        ("inputLayout", layout, "nchw"),
        ("filterLayout", filter_layout, default),
        ("groups", groups, 1),
    ):
        if value != usual or draft.chance():
            made[key] = value
    return made


@draws("convTranspose2d")
def conv_transpose2d(draft: Draft, name: str) -> None:
    layout = draft.pick(("nchw", "nhwc"))
    filter_layout = draft.pick(("iohw", "hwoi", "ohwi"))
    groups = draft.pick((1, 1, 2))
    operand, sizes = _input(draft, FLOATS, layout, groups)
    options = draft.options(strides=lambda: _pair(draft, 3), dilations=lambda: _pair(draft, 2))
    strides, dilations = options.get("strides", [1, 1]), options.get("dilations", [1, 1])
    kernel = _pair(draft, 3)
    full = [(sizes[d] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 for i, d in enumerate("hw")]
    if draft.chance():
        begin = [draft.integer(0, min(2, size - 1)) for size in full]
        end = [draft.integer(0, min(2, size - 1 - b)) for size, b in zip(full, begin, strict=True)]
        options["padding"] = [begin[0], end[0], begin[1], end[1]]
        full = [size - b - e for size, b, e in zip(full, begin, end, strict=True)]
    extra = [draft.integer(0, stride - 1) for stride in strides]
    match draft.integer(0, 2):
        case 1:
            options["outputPadding"] = extra
        case 2:
            options["outputSizes"] = [size + more for size, more in zip(full, extra, strict=True)]
    maps, dtype = draft.integer(1, 2), draft[operand].dtype
    options |= _layouts(draft, layout, filter_layout, "iohw", groups)
    if draft.chance():
        options["bias"] = draft.tensor(dtype, (maps * groups,))
    shape = _placed(filter_layout, i=sizes["c"], o=maps, h=kernel[0], w=kernel[1])
    draft.call(name, options, input=operand, filter=draft.of_shape(dtype, shape))


@draws("averagePool2d", "l2Pool2d", "maxPool2d")
def pool(draft: Draft, name: str) -> None:
    operand = draft.operand(allowed(name, "input"), low=4, high=4)
    options = draft.options(padding=lambda: [draft.integer(0, 3) for _ in range(4)], strides=lambda: _pair(draft, 3),
                            dilations=lambda: _pair(draft, 2), layout=lambda: draft.pick(("nchw", "nhwc")),
                            outputShapeRounding=lambda: draft.pick(("floor", "ceil")))  # fmt: skip
    layout = options.get("layout", "nchw")
    spatial = [draft[operand].shape[layout.index(d)] for d in "hw"]
    padding, dilations = options.get("padding", [0] * 4), options.get("dilations", [1, 1])
    padded = [size + padding[2 * i] + padding[2 * i + 1] for i, size in enumerate(spatial)]
    room = [(size - 1) // dilation + 1 for size, dilation in zip(padded, dilations, strict=True)]
    if draft.chance() or any(size > most for size, most in zip(spatial, room, strict=True)):
        options["windowDimensions"] = [draft.integer(1, min(4, most)) for most in room]
    if draft.chance(4):
        window, strides = options.get("windowDimensions", spatial), options.get("strides", [1, 1])
        left = [p - ((w - 1) * d + 1) for p, w, d in zip(padded, window, dilations, strict=True)]
        up = draft.chance()
        options["outputSizes"] = [(a + (s - 1 if up else 0)) // s + 1 for a, s in zip(left, strides, strict=True)]
    draft.call(name, options, input=operand)


@draws("resample2d")
def resample2d(draft: Draft, name: str) -> None:
    operand = draft.operand(allowed(name, "input"), low=4, high=4)
    options = draft.options(mode=lambda: draft.pick(("nearest-neighbor", "linear")))
    chosen = axes(draft, 4)
    if len(chosen) >= 2:
        options["axes"] = chosen[:2]
    shape = [draft[operand].shape[i] for i in options.get("axes", [2, 3])]
    if draft.chance():
        options["sizes"] = _pair(draft, 7)
    elif draft.chance():
        options["scales"] = [draft.pick([s for s in (1, 2, 3, 1.5, 0.5, 2.25, 0.7) if s * n >= 1]) for n in shape]
    draft.call(name, options, input=operand)
