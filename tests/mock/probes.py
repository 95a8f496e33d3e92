"""Single layers on good and bad inputs: what TensorRT's inference, or the mock's, says of each.

A probe's answer is all that is to be read of the layer, or "refused": no layer, an error that was logged, or no shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from trtx_backend.executor.listing import listed
from trtx_backend.trt import create_network, log, trt

Make = Callable[..., Any]
Probe = tuple[str, Make, list[tuple[str, tuple[int, ...]]]]
"""Name, what adds the layer to a network with these inputs, their types and shapes."""

ALL = ("FLOAT", "HALF", "BF16", "INT8", "UINT8", "INT32", "INT64", "BOOL", "FP8", "INT4", "E8M0")
NUMPY = ("float32", "float16", "int8", "uint8", "int32", "int64", "bool")
SHAPES = ((), (1,), (2,), (3,), (2, 3), (1, 3), (3, 1), (2, 1), (2, 3, 4), (1, 1, 1), (0, 3), (2, 2, 3, 4))
F = "FLOAT"


def probes() -> Iterator[tuple[str, Any]]:
    """Every probe and its answer."""
    for family in (_elementwise, _shapes, _reductions, _windows, _pooling, _indexing, _loops):
        for name, make, inputs in family():
            yield name, answer(make, inputs)


def answer(make: Make, inputs: list[tuple[str, tuple[int, ...]]]) -> Any:
    network = create_network()
    log.take_errors()
    tensors = [network.add_input(f"x{i}", getattr(trt.DataType, t), shape) for i, (t, shape) in enumerate(inputs)]
    if any(tensor is None for tensor in tensors):
        return "no input"
    try:
        layer = make(network, *tensors)
        if layer is None or log.take_errors():
            return "refused"
        outputs = [layer.get_output(i) for i in range(layer.num_outputs)]
        for tensor in outputs:
            tensor.shape  # noqa: B018  (raises, if the layer is refused)
        return listed(network.get_layer(network.num_layers - 1))
    except (RuntimeError, TypeError):
        return "refused"


def _with(layer: Any, **properties: Any) -> Any:
    for name, value in properties.items() if layer is not None else ():
        setattr(layer, name, value)
    return layer


def _elementwise() -> Iterator[Probe]:
    for op, t in product(_names(trt.UnaryOperation), ALL):
        yield f"unary {op} {t}", lambda n, x, op=op: n.add_unary(x, getattr(trt.UnaryOperation, op)), [(t, (2, 3))]
    for op, t in product(_names(trt.ElementWiseOperation), ALL):
        yield f"elementwise {op} {t}", _binary(op), [(t, (2, 3)), (t, (2, 3))]
    for a, b in product(ALL, ALL):
        yield f"elementwise SUM {a} {b}", _binary("SUM"), [(a, (2,)), (b, (2,))]
        yield f"elementwise EQUAL {a} {b}", _binary("EQUAL"), [(a, (2,)), (b, (2,))]
        yield f"cast {a} {b}", lambda n, x, b=b: n.add_cast(x, getattr(trt.DataType, b)), [(a, (2, 3))]
        yield f"prelu {a} {b}", lambda n, x, y: n.add_parametric_relu(x, y), [(a, (2, 3)), (b, (2, 3))]
        yield f"select {a} {b}", lambda n, c, x, y: n.add_select(c, x, y), [("BOOL", (2,)), (a, (2,)), (b, (2,))]
    for a, b in product(SHAPES, SHAPES):
        yield f"elementwise of {a} {b}", _binary("SUM"), [(F, a), (F, b)]
        yield f"prelu {a} {b}", lambda n, x, y: n.add_parametric_relu(x, y), [(F, a), (F, b)]
        for c in ((2, 3), (1, 3), (2,), ()):
            yield f"select {c} {a} {b}", lambda n, c, x, y: n.add_select(c, x, y), [("BOOL", c), (F, a), (F, b)]
    for t in ALL:
        yield f"select condition {t}", lambda n, c, x, y: n.add_select(c, x, y), [(t, (2,)), (F, (2,)), (F, (2,))]
        yield f"identity {t}", lambda n, x: n.add_identity(x), [(t, (2, 3))]
    for kind, t in product(_names(trt.ActivationType), ALL):
        make = lambda n, x, kind=kind: n.add_activation(x, getattr(trt.ActivationType, kind))  # noqa: E731
        yield f"activation {kind} {t}", make, [(t, (2, 3))]
    for name, value in product(("alpha", "beta"), (float("nan"), float("inf"), -1.0, 3, 1e300)):
        make = lambda n, x, name=name, value=value: _with(  # noqa: E731
            n.add_activation(x, trt.ActivationType.HARD_SIGMOID), **{name: value}
        )
        yield f"activation {name} {value}", make, [(F, (2,))]
    yield "elementwise of no tensor", lambda n, x: n.add_elementwise(x, None, trt.ElementWiseOperation.SUM), [(F, (2,))]
    yield "unary of another enumeration", lambda n, x: n.add_unary(x, trt.ElementWiseOperation.SUM), [(F, (2,))]


def _binary(op: str) -> Make:
    return lambda n, a, b: n.add_elementwise(a, b, getattr(trt.ElementWiseOperation, op))


def _names(enumeration: Any) -> list[str]:
    return list(enumeration.__members__)


def _shapes() -> Iterator[Probe]:
    for t, (shape, count) in product(NUMPY, (((2, 3), 6), ((), 1), ((2, 3), 5), ((2,), 4), ((0, 2), 0), ((1,) * 8, 1))):
        make = lambda n, t=t, shape=shape, count=count: n.add_constant(shape, np.ones(count, t))  # noqa: E731
        yield f"constant {t} {shape} of {count}", make, []
        make = lambda n, t=t, shape=shape, count=count: n.add_constant(shape, trt.Weights(np.ones(count, t)))  # noqa: E731
        yield f"constant {t} {shape} of {count} weights", make, []
    yield "constant of no weights", lambda n: n.add_constant((0, 3), trt.Weights(trt.float32)), []
    yield "constant not contiguous", lambda n: n.add_constant((2,), np.ones((2, 2), np.float32)[:, 0]), []
    yield "constant of rank 9", lambda n: n.add_constant((1,) * 9, np.ones(1, np.float32)), []
    for t in ALL:
        yield f"shuffle {t}", lambda n, x: _with(n.add_shuffle(x), first_transpose=(1, 0)), [(t, (2, 3))]
        yield f"concatenation {t}", lambda n, x, y: n.add_concatenation([x, y]), [(t, (2, 3)), (t, (2, 3))]
        yield f"concatenation FLOAT {t}", lambda n, x, y: n.add_concatenation([x, y]), [(F, (2, 3)), (t, (2, 3))]
        for mode in _names(trt.SampleMode):
            yield f"slice {mode} {t}", _slice((-1, 0), (4, 3), (1, 1), mode), [(t, (2, 3))]
    # no axis that the input has not: TensorRT reads beyond its shape then, and may crash
    for order in ((1, 0), (0, 1), (0, 0), (1,), (0,), (1, 0, 2), (0, 1, 2)):
        for which in ("first_transpose", "second_transpose"):
            yield f"{which} {order}", lambda n, x, w=which, o=order: _with(n.add_shuffle(x), **{w: o}), [(F, (2, 3))]
    for order in ((1, 2, 0), (2, 0, 1), (2, 1, 0), (1, 1, 0)):
        for which in ("first_transpose", "second_transpose"):
            make = lambda n, x, w=which, o=order: _with(n.add_shuffle(x), **{w: o})  # noqa: E731
            yield f"{which} {order} of three", make, [(F, (2, 3, 4))]
    targets = ((6,), (3, 2), (-1,), (-1, 2), (2, -1, 1), (0, 3), (0, 0), (0, -1), (5,), (-1, -1), (4, -1), (2, 3, 0), (), (-2, 3),
               (1, 0, 6), (0, 2), (6, 1, 1, 1))  # fmt: skip
    for to, shape, copies in product(targets, ((2, 3), (6,), (0, 3), (), (1, 6)), (True, False)):
        make = lambda n, x, to=to, copies=copies: _with(  # noqa: E731
            n.add_shuffle(x), reshape_dims=to, zero_is_placeholder=copies
        )
        yield f"reshape {shape} to {to} {copies}", make, [(F, shape)]
    for start, size, stride in (((0, 0), (2, 2), (1, 1)), ((0,), (2, 2), (1, 1)), ((0, 0), (2,), (1, 1)), ((0, 0), (2, 2), (1,)),
                                ((0, 0), (2, -1), (1, 1)), ((0, 0), (0, 3), (1, 1)), ((5, 0), (2, 3), (1, 1)),
                                ((1, 2), (2, 3), (-1, -1)), ((0, 0), (7, 3), (0, 1)), ((0, 0, 0), (1, 1, 1), (1, 1, 1)),
                                ((), (), ())):  # fmt: skip
        for shape in ((2, 3), ()):
            yield f"slice {shape} {start} {size} {stride}", _slice(start, size, stride, "STRICT_BOUNDS"), [(F, shape)]
    for axis, shapes in product((0, 1, 2, 7), (((2, 3), (2, 3)), ((2, 3), (4, 3)), ((2, 3), (2, 5)), ((2, 3), (2,)), ((), ()),
                                                ((2,), (3,)), ((0, 3), (2, 3)))):  # fmt: skip
        make = lambda n, x, y, axis=axis: _with(n.add_concatenation([x, y]), axis=axis)  # noqa: E731
        yield f"concatenation {shapes} axis {axis}", make, [(F, shape) for shape in shapes]
    for axis in (-1, 8):
        make = lambda n, x, axis=axis: _with(n.add_concatenation([x]), axis=axis)  # noqa: E731
        yield f"concatenation axis {axis}", make, [(F, (2, 3))]
    yield "concatenation of nothing", lambda n: n.add_concatenation([]), []


def _slice(start: tuple[int, ...], size: tuple[int, ...], stride: tuple[int, ...], mode: str) -> Make:
    return lambda n, x: _with(n.add_slice(x, start, size, stride), mode=getattr(trt.SampleMode, mode))


def _reductions() -> Iterator[Probe]:
    for op, t in product(_names(trt.ReduceOperation), ALL):
        yield f"reduce {op} {t}", _reduce(op, 1, True), [(t, (2, 3))]
    for shape, axes, keep in product(((), (2,), (2, 3), (0, 3), (2, 3, 4)), (0, 1, 2, 3, 4, 7, 8, -1), (True, False)):
        yield f"reduce {shape} {axes} {keep}", _reduce("SUM", axes, keep), [(F, shape)]
    for t in ALL:
        yield f"softmax {t}", lambda n, x: _with(n.add_softmax(x), axes=1), [(t, (2, 3))]
        for rank in range(1, 6):
            yield f"softmax {t} as it is, rank {rank}", lambda n, x: n.add_softmax(x), [(t, (2,) * rank)]
            yield (
                f"concatenation {t} as it is, rank {rank}",
                lambda n, x: n.add_concatenation([x, x]),
                [(t, (2,) * rank)],
            )
            yield f"gather {t} as it is, rank {rank}", _gather("ELEMENT"), [(t, (2,) * rank), ("INT32", (1,) * rank)]
        yield f"topk {t}", _topk(1, 1, "INT32"), [(t, (2, 3))]
        yield f"topk indices {t}", _topk(1, 1, t), [(F, (2, 3))]
        for i in ("int32", "int64", "float32", "bool"):
            yield f"cumulative {t} {i}", _cumulative(np.array(0, i)), [(t, (2, 3))]
    for shape, axes in product(((), (2,), (2, 3), (2, 3, 4), (0, 3)), (0, 1, 2, 3, 4, 8)):
        yield f"softmax {shape} {axes}", lambda n, x, axes=axes: _with(n.add_softmax(x), axes=axes), [(F, shape)]
        for k in (0, 1, 2, 3, 5, -1):
            yield f"topk {shape} {axes} {k}", _topk(k, axes, "INT32"), [(F, shape)]
    yield "topk of many", _topk(3840, 2, "INT32"), [(F, (1, 5000))]
    yield "topk of too many", _topk(3841, 2, "INT32"), [(F, (1, 5000))]
    for shape, axis in product(((), (2,), (2, 3)), (np.int32(0), np.int64(1), np.zeros(1, np.int32), np.int32(7))):
        yield f"cumulative {shape} {axis!r}", _cumulative(np.asarray(axis)), [(F, shape)]
    for a, b in product(ALL, ALL):
        yield f"matmul {a} {b}", _matmul("NONE", "NONE"), [(a, (2, 2)), (b, (2, 2))]
    shapes = ((), (2,), (3,), (2, 3), (3, 2), (1, 2, 3), (4, 3, 2), (4, 2, 3), (0, 3), (5, 4, 3, 2), (1, 1, 2, 3))
    for (a, b), op0, op1 in product(product(shapes, shapes), _names(trt.MatrixOperation), _names(trt.MatrixOperation)):
        yield f"matmul {a} {op0} {b} {op1}", _matmul(op0, op1), [(F, a), (F, b)]


def _reduce(op: str, axes: int, keep: bool) -> Make:
    return lambda n, x: n.add_reduce(x, getattr(trt.ReduceOperation, op), axes, keep)


def _topk(k: int, axes: int, index: str) -> Make:
    return lambda n, x: n.add_topk(x, trt.TopKOperation.MAX, k, axes, getattr(trt.DataType, index))


def _cumulative(axis: Any) -> Make:
    def make(n: Any, x: Any) -> Any:
        where = n.add_constant(axis.shape, axis.reshape(-1)).get_output(0)
        return n.add_cumulative(x, where, trt.CumulativeOperation.SUM, False, True)

    return make


def _matmul(op0: str, op1: str) -> Make:
    return lambda n, a, b: n.add_matrix_multiply(
        a, getattr(trt.MatrixOperation, op0), b, getattr(trt.MatrixOperation, op1)
    )


def _windows() -> Iterator[Probe]:
    for kind in ("convolution", "deconvolution"):
        for a, b in product(ALL, ALL):
            yield f"{kind} {a} {b}", _convolve(kind, 2, (1, 1)), [(a, (1, 2, 4, 4)), (b, (2, 2, 1, 1))]
            inputs = [(a, (1, 2, 4, 4)), (a, (2, 2, 1, 1)), (b, (2,))]
            yield f"{kind} {a} bias {b}", _convolve(kind, 2, (1, 1)), inputs
        for shape in (
            (),
            (2,),
            (2, 4, 4),
            (1, 2, 4, 4),
            (1, 1, 2, 4, 4),
            (0, 2, 4, 4),
            (1, 2, 0, 4),
            (1, 3, 4, 4),
            (2, 2, 1, 2),
        ):
            yield f"{kind} {shape}", _convolve(kind, 2, (2, 2)), [(F, shape), (F, (2, 2, 2, 2))]
        for shape in ((2, 2, 2), (2, 2, 1, 2), (2, 1, 2, 2), (4, 2, 2, 2), (2, 4, 2, 2), (1, 2, 2, 2, 2), (2,)):
            yield f"{kind} kernel {shape}", _convolve(kind, 2, (2, 2)), [(F, (1, 2, 4, 4)), (F, shape)]
        for shape in ((), (1,), (2,), (3,), (1, 2), (1, 2, 1, 1)):
            inputs = [(F, (1, 2, 4, 4)), (F, (2, 2, 2, 2)), (F, shape)]
            yield f"{kind} bias {shape}", _convolve(kind, 2, (2, 2)), inputs
        for groups, maps, kernel in product(
            (0, 1, 2, 3, 4), (2, 4), ((4, 2, 1, 1), (4, 1, 1, 1), (2, 4, 1, 1), (4, 4, 1, 1))
        ):
            make = _convolve(kind, maps, (1, 1), num_groups=groups)
            yield f"{kind} groups {groups} {maps} {kernel}", make, [(F, (1, 4, 4, 4)), (F, kernel)]
        for name, values in _WINDOW_PROPERTIES.items():
            for value, size in product(values, ((4, 5), (2, 2), (1, 1))):
                inputs = [(F, (1, 2, *size)), (F, (2, 2, 2, 2))]
                yield f"{kind} {size} {name} {value}", _convolve(kind, 2, (2, 2), **{name: value}), inputs
        for mode in _names(trt.PaddingMode):
            make = _convolve(kind, 2, (2, 2), padding_mode=getattr(trt.PaddingMode, mode), stride_nd=(2, 3))
            for before in (0, 1):
                inputs = [(F, (1, 2, 5, 6)), (F, (2, 2, 2, 2))]
                yield (
                    f"{kind} {mode} {before}",
                    lambda n, *x, m=make, b=before: _with(m(n, *x), pre_padding=(b, 0)),
                    inputs,
                )
        for window, size in product(((5, 2), (6, 2), (9, 2)), ((4, 4), (8, 4))):
            make = _convolve(kind, 2, window, padding_mode=trt.PaddingMode.EXPLICIT_ROUND_UP, stride_nd=(4, 1))
            yield f"{kind} {size} {window} up", make, [(F, (1, 2, *size)), (F, (2, 2, *window))]
        yield f"{kind} of four dimensions", _convolve(kind, 2, (2,) * 4), [(F, (1, 2, 4, 4, 4, 4)), (F, (2,) * 6)]
        for window in ((2,), (2, 2, 2), (0, 2), (2, 2, 2, 2)):
            yield f"{kind} window {window}", _convolve(kind, 2, window), [(F, (1, 2, 4, 4)), (F, (2, 2, *window))]
        for count in (16, 15, 0):
            make = lambda n, x, kind=kind, count=count: getattr(n, f"add_{kind}_nd")(  # noqa: E731
                x, 2, (2, 2), trt.Weights(np.ones(count, np.float32)) if count else trt.Weights(trt.float32)
            )
            yield f"{kind} of {count} weights", make, [(F, (1, 2, 4, 4))]
        for count in (2, 3):
            make = lambda n, x, kind=kind, count=count: getattr(n, f"add_{kind}_nd")(  # noqa: E731
                x, 2, (1, 1), np.ones(4, np.float32), np.ones(count, np.float32)
            )
            yield f"{kind} of {count} bias weights", make, [(F, (1, 2, 4, 4))]
        make = lambda n, x, kind=kind: getattr(n, f"add_{kind}_nd")(x, 0, (1, 1), np.ones(4, np.float32))  # noqa: E731
        yield f"{kind} of no maps", make, [(F, (1, 2, 4, 4))]


_WINDOW_PROPERTIES: dict[str, tuple[tuple[int, ...], ...]] = {
    "stride_nd": ((1, 2), (3, 1), (0, 1), (-1, 1), (2,), (2, 2, 2), (9, 9)),
    "dilation_nd": ((1, 2), (2, 2), (0, 1), (-1, 1), (2,), (4, 5), (9, 9)),
    "pre_padding": ((1, 2), (0, 0), (-1, 0), (1,), (7, 7)),
    "post_padding": ((1, 2), (0, 0), (-1, 0), (1,), (7, 7)),
}


def _convolve(kind: str, maps: int, window: tuple[int, ...], **properties: Any) -> Make:
    def make(n: Any, x: Any, kernel: Any, bias: Any = None) -> Any:
        none = trt.Weights(x.dtype)
        layer = getattr(n, f"add_{kind}_nd")(x, maps, window, none, none)
        if layer is None:
            return None
        layer.set_input(1, kernel)
        if bias is not None:
            layer.set_input(2, bias)
        return _with(layer, **properties)

    return make


def _pooling() -> Iterator[Probe]:
    for kind, t in product(_names(trt.PoolingType), ALL):
        yield f"pooling {kind} {t}", _pool(kind, (2, 2)), [(t, (1, 2, 4, 4))]
    for shape, window in product(((), (4, 4), (2, 4, 4), (1, 2, 4, 4), (1, 2, 3, 4, 4), (1, 2, 0, 4)),
                                 ((2, 2), (5, 2), (0, 2), (2,), (2, 2, 2), (2, 2, 2, 2))):  # fmt: skip
        yield f"pooling {shape} {window}", _pool("MAX", window), [(F, shape)]
    for name in ("stride_nd", "pre_padding", "post_padding"):
        for value, size in product(_WINDOW_PROPERTIES[name], ((4, 5), (2, 2))):
            yield f"pooling {size} {name} {value}", _pool("AVERAGE", (2, 2), **{name: value}), [(F, (1, 2, *size))]
    for kind, excludes, name, value in product(("MAX", "AVERAGE"), (True, False), ("pre_padding", "post_padding"),
                                               ((1, 1), (2, 0), (3, 1), (2, 5))):  # fmt: skip
        make = _pool(kind, (2, 3), **{name: value, "average_count_excludes_padding": excludes})
        yield f"pooling {kind} {excludes} {name} {value}", make, [(F, (1, 2, 4, 5))]
    for window, stride in product(((4, 4), (5, 4), (6, 4), (7, 4), (9, 9)), ((1, 1), (2, 2), (4, 4))):
        for kind in ("MAX", "AVERAGE"):
            yield f"pooling {kind} {window} {stride}", _pool(kind, window, stride_nd=stride), [(F, (1, 2, 4, 4))]
            make = _pool(kind, window, stride_nd=stride, padding_mode=trt.PaddingMode.EXPLICIT_ROUND_UP)
            yield f"pooling {kind} {window} {stride} up", make, [(F, (1, 2, 4, 4))]
    for mode, size, stride in product(_names(trt.PaddingMode), ((4, 5), (6, 7)), ((1, 1), (2, 3))):
        make = _pool("MAX", (2, 3), padding_mode=getattr(trt.PaddingMode, mode), stride_nd=stride)
        yield f"pooling {size} {mode} {stride}", make, [(F, (1, 2, *size))]
    for t in ALL:
        yield f"resize {t}", lambda n, x: _with(n.add_resize(x), shape=(1, 2, 8, 8)), [(t, (1, 2, 4, 4))]
    for shape, to in product(
        ((), (4,), (2, 4), (1, 2, 4, 4)), ((), (8,), (2, 8), (1, 2, 3, 9), (1, 2, 0, 4), (1, 2, -1, 4))
    ):
        yield f"resize {shape} to {to}", lambda n, x, to=to: _with(n.add_resize(x), shape=to), [(F, shape)]
    for scales in ([], [2.0], [1.0, 1.0, 2.0, 1.5], [1.0, 1.0, 0.3, 0.5], [1.0, 1.0, 1.9, 1.26]):
        make = lambda n, x, scales=scales: _with(n.add_resize(x), scales=scales)  # noqa: E731
        yield f"resize by {scales}", make, [(F, (1, 2, 4, 4))]
    for first, second in (("shape", "scales"), ("scales", "shape")):
        values = {"shape": (1, 2, 3, 3), "scales": [1.0, 1.0, 2.0, 2.0]}
        make = lambda n, x, a=first, b=second, v=values: _with(n.add_resize(x), **{a: v[a], b: v[b]})  # noqa: E731
        yield f"resize {first} and then {second}", make, [(F, (1, 2, 4, 4))]
    yield "pooling of four dimensions", _pool("MAX", (2,) * 4), [(F, (1, 2, 4, 4, 4, 4))]
    yield "resize as it is", lambda n, x: n.add_resize(x), [(F, (1, 2, 4, 4))]


def _pool(kind: str, window: tuple[int, ...], **properties: Any) -> Make:
    def make(n: Any, x: Any) -> Any:
        layer = n.add_pooling_nd(x, getattr(trt.PoolingType, kind), window)
        return None if layer is None else _with(layer, **properties)

    return make


def _indexing() -> Iterator[Probe]:
    modes = _names(trt.GatherMode)
    for mode, t in product(modes, ALL):
        yield f"gather {mode} {t}", _gather(mode), [(t, (3, 2)), ("INT32", (2, 2))]
        yield f"gather {mode} indices {t}", _gather(mode), [(F, (3, 2)), (t, (2, 2))]
    for mode, shape, indices in product(
        modes, ((), (3,), (3, 2), (2, 3, 4)), ((), (1,), (2,), (2, 2), (5, 3), (2, 3, 4), (0,), (2, 4))
    ):
        for axis, batch in ((0, 0), (1, 0), (2, 0), (-1, 0), (3, 0), (1, 1), (0, 1), (2, 1), (0, -1)):
            if mode == "ND" and (not shape or not indices or not 0 < indices[-1] <= len(shape) - max(batch, 0)):
                continue  # TensorRT crashes; the mock refuses
            make = _gather(mode, axis=axis, num_elementwise_dims=batch)
            yield f"gather {mode} {shape} {indices} {axis} {batch}", make, [(F, shape), ("INT32", indices)]
    for mode, t in product(_names(trt.ScatterMode), ALL):
        yield f"scatter {mode} {t}", _scatter(mode), [(t, (3, 2)), ("INT32", (3, 2)), (t, (3, 2))]
        yield f"scatter {mode} indices {t}", _scatter(mode), [(F, (3, 2)), (t, (3, 2)), (F, (3, 2))]
        yield f"scatter {mode} updates {t}", _scatter(mode), [(F, (3, 2)), ("INT32", (3, 2)), (t, (3, 2))]
    shapes = ((), (3,), (3, 2), (1, 2), (2, 1), (4, 2), (2, 3, 4))
    for mode, data, indices, updates in product(_names(trt.ScatterMode), shapes, shapes, shapes):
        make = _scatter(mode)
        yield f"scatter {mode} {data} {indices} {updates}", make, [(F, data), ("INT32", indices), (F, updates)]
    for axis in (-1, 0, 1, 2):
        inputs = [(F, (3, 2)), ("INT32", (3, 2)), (F, (3, 2))]
        yield f"scatter axis {axis}", lambda n, *x, a=axis: _with(_scatter("ELEMENT")(n, *x), axis=a), inputs


def _gather(mode: str, **properties: Any) -> Make:
    return lambda n, x, i: _with(n.add_gather_v2(x, i, getattr(trt.GatherMode, mode)), **properties)


def _scatter(mode: str) -> Make:
    return lambda n, x, i, u: n.add_scatter(x, i, u, getattr(trt.ScatterMode, mode))


def _loops() -> Iterator[Probe]:
    for t in ALL:
        yield f"recurrence {t}", lambda n, x: n.add_loop().add_recurrence(x), [(t, (2, 3))]
        yield f"iterator {t}", lambda n, x: n.add_loop().add_iterator(x, 0), [(t, (2, 3))]
        yield f"loop output {t}", lambda n, x: n.add_loop().add_loop_output(x, trt.LoopOutput.LAST_VALUE), [(t, (2, 3))]
    for axis, shape in product((0, 1, 2, -1), ((), (2,), (2, 3))):
        yield f"iterator {shape} {axis}", lambda n, x, axis=axis: n.add_loop().add_iterator(x, axis), [(F, shape)]
    for kind, axis, shape in product(_names(trt.LoopOutput), (0, 1, 2, 3, -1), ((), (3,), (3, 2))):
        yield f"loop output {kind} {axis} {shape}", _loop_output(kind, axis, np.array(4, np.int32)), [(F, shape)]
    yield "loop output without a length", _loop_output("CONCATENATE", 0, None), [(F, (3,))]
    yield "loop output LAST_VALUE without a length", _loop_output("LAST_VALUE", 0, None), [(F, (3,))]


def _loop_output(kind: str, axis: int, length: Any) -> Make:
    def make(n: Any, x: Any) -> Any:
        loop = n.add_loop()
        turns = n.add_constant((), np.array([4], np.int32)).get_output(0)
        loop.add_trip_limit(turns, trt.TripLimit.COUNT)
        state = loop.add_recurrence(x)
        after = n.add_unary(state.get_output(0), trt.UnaryOperation.NEG).get_output(0)
        state.set_input(1, after)
        last = kind == "LAST_VALUE"
        output = loop.add_loop_output(state.get_output(0) if last else after, getattr(trt.LoopOutput, kind), axis)
        if output is not None and length is not None:
            output.set_input(1, turns)
        return output

    return make
