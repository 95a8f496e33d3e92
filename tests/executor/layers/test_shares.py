"""Layers that are computed in pieces and by threads: whatever the pieces, the result is that of the sums written out."""

from __future__ import annotations

import math
import os
import signal
import threading
from itertools import product
from typing import Any

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from tests.executor.build import run, same, with_
from trtx_backend.executor import shares, steps
from trtx_backend.executor.layers import convolution, deconvolution, depthwise, matrix_multiply, pooling, scale
from trtx_backend.trt import trt


@pytest.fixture(params=["whole", "in pieces", "by threads"], autouse=True)
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same small layers as one piece, as many, and as many shared out among three threads."""
    if request.param == "whole":
        return
    for module in (convolution, deconvolution, depthwise, matrix_multiply, pooling, scale, steps):
        for name in ("BLOCK", "PIECE"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, 16)
    if request.param == "by threads":
        monkeypatch.setattr(shares, "WORTH", 0)
        for module in (shares, convolution):
            monkeypatch.setattr(module, "processors", lambda: 3)
        monkeypatch.setattr(shares, "_threads", None)


def integers(*shape: int) -> Any:
    """Small enough for exact sums in any order; not 0, whose sign the order decides."""
    random = np.random.default_rng(0)
    return (random.integers(1, 5, shape) * random.choice([-1, 1], shape)).astype(np.float32)


def places(window: Any, stride: Any, dilation: Any, size: Any) -> Any:
    """Every (window, tap, element that it meets)."""
    for place, tap in product(product(*map(range, size)), product(*map(range, window))):
        yield place, tap, tuple(i * s + t * d for i, s, t, d in zip(place, stride, tap, dilation, strict=True))


GEOMETRIES = [
    # channels, maps, groups, spatial, window, stride, dilation, padding before, after
    (3, 8, 1, (9, 7), (3, 3), (2, 2), (1, 1), (1, 1), (1, 1)),  # few channels: all taps gathered
    (8, 3, 1, (9, 7), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),  # many: rows of taps one by one
    (8, 3, 1, (13, 7), (3, 2), (2, 3), (3, 1), (2, 0), (1, 2)),
    (8, 2, 1, (12, 5), (2, 3), (3, 1), (1, 2), (0, 1), (1, 0)),
    (6, 20, 1, (2, 2), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0)),  # more maps than places
    (4, 6, 2, (6, 5), (3, 2), (1, 2), (1, 1), (1, 0), (1, 1)),
    (12, 6, 6, (5, 5), (2, 2), (1, 1), (1, 1), (0, 0), (0, 0)),
    (5, 5, 5, (8, 7), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),  # depthwise
    (5, 5, 5, (9, 10), (3, 3), (2, 2), (1, 1), (1, 0), (0, 1)),
    (5, 10, 5, (11, 9), (3, 2), (2, 3), (3, 1), (0, 1), (2, 0)),  # two maps a channel
    (4, 4, 4, (12, 12), (4, 3), (4, 2), (2, 2), (1, 1), (1, 1)),
    (4, 4, 4, (3, 1), (3, 1), (1, 1), (1, 1), (1, 0), (1, 0)),
    (2, 3, 1, (5, 4, 6), (2, 3, 2), (1, 2, 1), (2, 1, 1), (1, 0, 1), (0, 1, 0)),  # three axes
    (6, 2, 1, (5, 4, 6), (3, 2, 2), (2, 1, 2), (1, 1, 2), (1, 0, 1), (0, 1, 0)),
    (3, 3, 3, (5, 6, 7), (2, 3, 2), (1, 2, 1), (2, 1, 3), (1, 0, 1), (0, 1, 0)),
]


@pytest.mark.parametrize("given", GEOMETRIES, ids=str)
def test_convolution(given: Any) -> None:
    channels, maps, groups, spatial, window, stride, dilation, before, after = given
    x, kernel, bias = integers(2, channels, *spatial), integers(maps, channels // groups, *window), integers(maps)
    padded = np.pad(x, ((0, 0), (0, 0), *zip(before, after, strict=True)))
    extent = [(k - 1) * d + 1 for k, d in zip(window, dilation, strict=True)]
    size = [(n - k) // s + 1 for n, k, s in zip(padded.shape[2:], extent, stride, strict=True)]
    expected = np.zeros((2, maps, *size), np.float32)
    for item, place, tap, element in ((i, *p) for p in places(window, stride, dilation, size) for i in range(2)):
        for m in range(maps):
            group = m // (maps // groups) * (channels // groups)
            for c in range(channels // groups):
                expected[(item, m, *place)] += padded[(item, group + c, *element)] * kernel[(m, c, *tap)]
    expected += bias.reshape(-1, *(1,) * len(window))

    how = {
        "stride_nd": stride,
        "dilation_nd": dilation,
        "num_groups": groups,
        "pre_padding": before,
        "post_padding": after,
    }

    def make(n: Any, t: Any) -> Any:
        return with_(n.add_convolution_nd(t, maps, window, kernel, bias), **how)

    same(run(make, x) + np.float32(0), expected + np.float32(0))


@pytest.mark.parametrize("given", [g for g in GEOMETRIES if min(g[3]) > 1], ids=str)
def test_deconvolution(given: Any) -> None:
    maps, channels, groups, spatial, window, stride, dilation, before, after = given
    x, kernel, bias = integers(2, channels, *spatial), integers(channels, maps // groups, *window), integers(maps)
    full = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(spatial, stride, window, dilation, strict=True)]
    expected = np.zeros((2, maps, *full), np.float32)
    for item, place, tap, element in ((i, *p) for p in places(window, stride, dilation, spatial) for i in range(2)):
        for c in range(channels):
            group = c // (channels // groups) * (maps // groups)
            for m in range(maps // groups):
                expected[(item, group + m, *element)] += x[(item, c, *place)] * kernel[(c, m, *tap)]
    cut = tuple(slice(b, n - a) for b, n, a in zip(before, full, after, strict=True))
    expected = expected[(slice(None), slice(None), *cut)] + bias.reshape(-1, *(1,) * len(window))

    how = {
        "stride_nd": stride,
        "dilation_nd": dilation,
        "num_groups": groups,
        "pre_padding": before,
        "post_padding": after,
    }

    def make(n: Any, t: Any) -> Any:
        return with_(n.add_deconvolution_nd(t, maps, window, kernel, bias), **how)

    same(run(make, x) + np.float32(0), expected + np.float32(0))


@pytest.mark.parametrize("kind", ["MAX", "AVERAGE"])
@pytest.mark.parametrize("excludes", [True, False])
@pytest.mark.parametrize(
    ("spatial", "window", "stride", "before", "after"),
    [
        ((9, 7), (3, 2), (2, 3), (1, 0), (0, 1)),
        ((5, 6), (5, 6), (1, 1), (0, 0), (0, 0)),  # one window
        ((5, 6), (5, 6), (1, 1), (1, 0), (0, 1)),  # as great, with padding
        ((5, 6), (2, 3), (1, 1), (1, 0), (0, 1)),
        ((5, 6), (4, 1), (1, 2), (2, 0), (1, 0)),
        ((4, 5, 6), (2, 3, 4), (2, 1, 3), (1, 1, 0), (0, 1, 2)),
    ],
)
def test_pooling(kind: str, excludes: bool, spatial: Any, window: Any, stride: Any, before: Any, after: Any) -> None:
    x = integers(2, 5, *spatial) * 12  # averages are of up to three factors two and three
    pads = ((0, 0), (0, 0), *zip(before, after, strict=True))
    padded, counted = np.pad(x, pads, constant_values=np.nan), np.pad(np.ones_like(x), pads)
    size = [(n - k) // s + 1 for n, k, s in zip(padded.shape[2:], window, stride, strict=True)]
    expected = np.zeros((2, 5, *size), np.float32)
    for item, channel, *place in np.ndindex(*expected.shape):
        part = (item, channel, *(slice(i * s, i * s + k) for i, s, k in zip(place, stride, window, strict=True)))
        number = counted[part].sum(dtype=np.float64) if excludes else counted[part].size
        value = np.nanmax(padded[part]) if kind == "MAX" else np.nansum(padded[part], dtype=np.float64) / number
        expected[(item, channel, *place)] = value

    def make(n: Any, t: Any) -> Any:
        layer = n.add_pooling_nd(t, getattr(trt.PoolingType, kind), window)
        layer.stride_nd, layer.pre_padding, layer.post_padding = stride, before, after
        layer.average_count_excludes_padding = excludes
        return layer

    same(run(make, x) + np.float32(0), expected + np.float32(0))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((5, 7), (7, 9)),
        ((9, 30), (30, 2)),
        ((2, 3, 4, 5), (2, 3, 5, 6)),
        ((2, 1, 4, 5), (1, 3, 5, 6)),
        ((2, 3, 4, 5), (1, 1, 5, 6)),
        ((1, 1, 4, 5), (2, 3, 5, 6)),
        ((40, 2, 3), (40, 3, 2)),
        ((3, 9, 8), (3, 8, 9)),
    ],
    ids=str,
)
@pytest.mark.parametrize("transposed", [False, True])
def test_matrix_product(a: Any, b: Any, transposed: bool) -> None:
    x, y = integers(*a), integers(*b)
    expected = np.zeros((*np.broadcast_shapes(a[:-2], b[:-2]), a[-2], b[-1]), np.float32)
    for i, j, k in np.ndindex(a[-2], b[-1], a[-1]):
        expected[..., i, j] += x[..., i, k] * y[..., k, j]
    none, swapped = trt.MatrixOperation.NONE, trt.MatrixOperation.TRANSPOSE
    if transposed:
        x, y = np.ascontiguousarray(x.swapaxes(-1, -2)), np.ascontiguousarray(y.swapaxes(-1, -2))
    how = swapped if transposed else none
    same(run(lambda n, s, t: n.add_matrix_multiply(s, how, t, how), x, y) + np.float32(0), expected + np.float32(0))


@pytest.mark.parametrize("mode", ["UNIFORM", "CHANNEL", "ELEMENTWISE"])
def test_scale(mode: str) -> None:
    x = integers(3, 4, 5, 6)
    size = {"UNIFORM": (), "CHANNEL": (4, 1, 1), "ELEMENTWISE": (4, 5, 6)}[mode]
    factor, shift = np.asarray(integers(1, *size)[0]), np.asarray(integers(1, *size)[0] * 7)
    power = np.full_like(factor, 2)

    def make(n: Any, t: Any) -> Any:
        return n.add_scale(t, getattr(trt.ScaleMode, mode), shift.reshape(-1), factor.reshape(-1), power.reshape(-1))

    same(run(make, x), (x * factor + shift) ** 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_pointwise_layers(dtype: Any) -> None:
    x = (np.arange(-60, 60) / 16).astype(dtype).reshape(2, 3, 20)
    exact = np.array([math.exp(value) for value in x.reshape(-1)]).astype(dtype).reshape(x.shape)
    same(run(lambda n, t: n.add_unary(t, trt.UnaryOperation.EXP), x), exact)
    same(run(lambda n, t: n.add_activation(t, trt.ActivationType.RELU), x), np.where(x > 0, x, 0).astype(dtype))
    tanh = np.array([math.tanh(value) for value in x.reshape(-1)]).astype(dtype).reshape(x.shape)
    same(run(lambda n, t: n.add_activation(t, trt.ActivationType.TANH), x), tanh)
    same(run(lambda n, t: n.add_unary(t, trt.UnaryOperation.NOT), x > 0), x <= 0)


def test_floats_are_rounded_once() -> None:
    """Sums that float32 would lose, for each kind of layer that widens by itself."""
    large, small = np.float32(2**24), np.float32(1)
    x = np.array([large, small, small, -large, small, large], np.float32)  # float32, in any order, is off
    line, ones = x.reshape(1, 1, 1, 6), np.ones((1, 1, 1, 6), np.float32)
    deep = x.reshape(1, 6, 1, 1)
    exact = np.float32(2**24 + 3)  # a tie: to even
    assert exact == 2**24 + 4
    assert run(lambda n, t: n.add_convolution_nd(t, 1, (1, 6), ones), line).item() == exact
    assert run(lambda n, t: n.add_convolution_nd(t, 1, (1, 1), ones.reshape(1, 6, 1, 1)), deep).item() == exact
    assert run(lambda n, t: n.add_deconvolution_nd(t, 1, (1, 1), ones.reshape(6, 1, 1, 1)), deep).item() == exact
    both = np.concatenate([line, line], 1)
    kernels = np.concatenate([ones, ones])

    def depth(n: Any, t: Any) -> Any:
        layer = n.add_convolution_nd(t, 2, (1, 6), kernels)
        layer.num_groups = 2
        return layer

    assert run(depth, both).reshape(-1).tolist() == [exact, exact]
    none = trt.MatrixOperation.NONE
    assert run(lambda n, a, b: n.add_matrix_multiply(a, none, b, none), x[None], np.ones((6, 1), np.float32)) == exact
    mean = run(lambda n, t: n.add_pooling_nd(t, trt.PoolingType.AVERAGE, (1, 6)), line).item()
    assert mean == np.float32((2**24 + 3) / 6)


def rounded_to(dtype: Any, x: Any, make: Any) -> Any:
    """The result of a layer in a float type that is not the network's own, which has float32."""

    def cast(n: Any, t: Any) -> Any:
        layer = make(n, n.add_cast(t, dtype).get_output(0))
        return n.add_cast(layer.get_output(0), trt.float32)

    return run(cast, x).reshape(-1).tolist()


@pytest.mark.parametrize(("dtype", "digits"), [("HALF", 10), ("BF16", 7)])
def test_narrow_floats_are_rounded_once(dtype: Any, digits: int) -> None:
    """A sum a little above a tie: in float32 it would be the tie, which goes to the even number below."""
    kind, none = getattr(trt.DataType, dtype), trt.MatrixOperation.NONE
    tie, little = 2.0 ** -(digits + 1), 2.0**-13
    above = [1 + 2.0**-digits]
    x = np.array([1, tie, little, 0], np.float32)
    weights = np.array([1, 1, little, 0], np.float32)

    def weighted(n: Any, shape: Any) -> Any:
        return n.add_cast(n.add_constant(shape, weights).get_output(0), kind).get_output(0)

    def product(n: Any, t: Any) -> Any:
        return n.add_matrix_multiply(t, none, weighted(n, (4, 1)), none)

    def convolution(n: Any, t: Any) -> Any:
        layer = n.add_convolution_nd(t, 1, (1, 4), trt.Weights(kind), trt.Weights(kind))
        layer.set_input(1, weighted(n, (1, 1, 1, 4)))
        return layer

    def deconvolution(n: Any, t: Any) -> Any:
        layer = n.add_deconvolution_nd(t, 1, (1, 1), trt.Weights(kind), trt.Weights(kind))
        layer.set_input(1, weighted(n, (4, 1, 1, 1)))
        return layer

    assert rounded_to(kind, x[None], product) == above
    assert rounded_to(kind, x.reshape(1, 1, 1, 4), convolution) == above
    assert rounded_to(kind, x.reshape(1, 4, 1, 1), deconvolution) == above
    mean = np.array([4, 4 * tie, 4 * little * little, 0], np.float32).reshape(1, 1, 1, 4)
    average = trt.PoolingType.AVERAGE
    assert rounded_to(kind, mean, lambda n, t: n.add_pooling_nd(t, average, (1, 4))) == above


def test_pointwise_layers_in_a_type_that_numpy_has_not() -> None:
    x = np.linspace(-2, 2, 40).astype(np.float32)
    held = (x.view(np.uint32) + 0x7FFF + (x.view(np.uint32) >> 16 & 1) >> 16 << 16).view(np.float32)
    exact = np.exp(held.astype(np.float64)).astype(np.float32).view(np.uint32)
    expected = (exact + 0x7FFF + (exact >> 16 & 1) >> 16 << 16).view(np.float32)
    kind = trt.DataType.BF16
    assert rounded_to(kind, x, lambda n, t: n.add_unary(t, trt.UnaryOperation.EXP)) == expected.tolist()


def test_what_a_thread_raises_is_raised() -> None:
    def work(share: slice) -> None:
        if share.start:
            raise ValueError(f"from {share.start}")

    if shares.processors() > 1:
        with pytest.raises(ValueError, match="from"):
            shares.in_threads(work, 2, shares.WORTH + 1)


def test_blas_has_its_threads_again() -> None:
    before = blas_threads()
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with shares.blas_on_one_thread():
            inside.set()
            leave.wait(10)

    for _ in range(2):
        thread = threading.Thread(target=other)
        with shares.blas_on_one_thread():
            assert set(blas_threads()) == {1}
            thread.start()
            inside.wait(10)
        assert blas_threads() == before
        leave.set()
        thread.join()
        assert blas_threads() == before


def blas_threads() -> list[int]:
    found = [library["num_threads"] for library in ThreadpoolController().info() if library["user_api"] == "blas"]
    assert found
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_process_that_is_forked_has_threads_of_its_own() -> None:
    shares.in_threads(lambda share: None, 2, shares.WORTH + 1)
    child = os.fork()
    if not child:
        signal.alarm(20)
        shares.in_threads(lambda share: None, 2, shares.WORTH + 1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_threads_are_as_quiet_as_who_asks() -> None:
    with np.errstate(all="ignore"):
        shares.in_threads(lambda share: np.log(np.zeros(2)), 3, shares.WORTH + 1)
