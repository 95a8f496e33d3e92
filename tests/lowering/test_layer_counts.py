"""How many layers of which type typical graphs become. Fewer is better: whoever changes a number changes the golden file,
`python -m tests.lowering.test_layer_counts` writes it, and says why in the commit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lowering.run import layers, run

GOLDEN = Path(__file__).with_name("layer_counts.json")
NHWC = {"input_layout": "nhwc", "filter_layout": "ohwi"}


def f32(*shape: int) -> Any:
    return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def constant(b: Any, *shape: int, dtype: str = "float32") -> Any:
    return b.constant(np.ones(shape, dtype))


def conv(b: Any, x: Any) -> Any:
    return b.conv2d(x, constant(b, 3, 1, 1, 3), bias=constant(b, 3), **NHWC)


def upsampling(b: Any, x: Any) -> Any:
    y = conv(b, b.pad(b.instance_normalization(conv(b, x), layout="nhwc"), [0, 1, 2, 0], [0, 0, 1, 0]))
    return conv(b, b.resample2d(y, scales=[2, 3], axes=[1, 2]))


def residual(b: Any, x: Any) -> Any:
    y = b.relu(conv(b, x))
    y = b.batch_normalization(conv(b, y), constant(b, 3), constant(b, 3), axis=3)
    return b.clamp(b.add(y, conv(b, x)), min_value=0, max_value=6)


GRAPHS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "conv2d nchw": (lambda b, x: b.conv2d(x, constant(b, 2, 3, 1, 1)), [f32(1, 3, 4, 4)]),
    "conv2d nhwc": (conv, [f32(1, 4, 4, 3)]),
    "conv2d, relu, conv2d nhwc": (lambda b, x: conv(b, b.relu(conv(b, x))), [f32(1, 4, 4, 3)]),
    "residual block nhwc": (residual, [f32(1, 4, 4, 3)]),
    "conv2d, maxPool2d, concat nhwc": (
        lambda b, x: b.concat([b.max_pool2d(conv(b, x), layout="nhwc", window_dimensions=[2, 2]),
                               b.average_pool2d(conv(b, x), layout="nhwc", window_dimensions=[2, 2])], 3),
        [f32(1, 4, 4, 3)]),
    "conv2d, normalization, pad, resample2d nhwc": (upsampling, [f32(1, 4, 4, 3)]),
    "conv2d nhwc, transposed to nchw": (
        lambda b, x: b.transpose(conv(b, x), permutation=[0, 3, 1, 2]), [f32(1, 4, 4, 3)]),
    "add of a bias": (lambda b, x: b.add(x, constant(b, 4)), [f32(2, 3, 4)]),
    "int8 add": (lambda b, x, y: b.add(x, y), [np.ones((2, 3), np.int8)] * 2),
    "uint32 max": (lambda b, x, y: b.max(x, y), [np.ones((2, 3), np.uint32)] * 2),
    "where of a comparison": (lambda b, x, y: b.where(b.greater(x, y), x, y), [f32(2, 3)] * 2),
    "gemm with alpha and c": (lambda b, x: b.gemm(x, constant(b, 3, 2), c=constant(b, 2), alpha=0.5), [f32(2, 3)]),
    "gemm of float16 with alpha": (
        lambda b, x: b.gemm(x, constant(b, 3, 2, dtype="float16"), alpha=0.5), [f32(2, 3).astype(np.float16)]),
    "softmax of rank 1": (lambda b, x: b.softmax(x, 0), [f32(4)]),
    "layerNormalization": (
        lambda b, x: b.layer_normalization(x, axes=[1], scale=constant(b, 4), bias=constant(b, 4)), [f32(2, 4)]),
    "gather of constant indices": (lambda b, x: b.gather(x, constant(b, 2, dtype="int32")), [f32(3, 4)]),
    "gather of computed indices": (lambda b, x, i: b.gather(x, i), [f32(3, 4), np.ones(2, np.int32)]),
    "triangular": (lambda b, x: b.triangular(x), [f32(2, 5, 5)]),
    "pad by reflection": (lambda b, x: b.pad(x, [1, 1], [1, 1], mode="reflection"), [f32(3, 3)]),
    "quantize and dequantize": (
        lambda b, x: b.dequantize_linear(
            b.quantize_linear(x, constant(b, 1), constant(b, 1, dtype="int8")), constant(b, 1), constant(b, 1, dtype="int8")),
        [f32(4)]),
    "gru": (lambda b, x: b.gru(x, constant(b, 1, 6, 3), constant(b, 1, 6, 2), 2, 2), [f32(2, 1, 3)]),
}  # fmt: skip


def counted() -> dict[str, dict[str, int]]:
    return {name: dict(sorted(layers(make, *inputs).items())) for name, (make, inputs) in GRAPHS.items()}


@pytest.mark.parametrize("name", GRAPHS)
def test_layer_counts(name: str) -> None:
    make, inputs = GRAPHS[name]
    assert dict(sorted(layers(make, *inputs).items())) == json.loads(GOLDEN.read_text())[name]


def test_neighbours_in_nhwc_are_not_transposed_back_and_forth() -> None:
    names = [name for name in GRAPHS if name.endswith("nhwc")]
    assert len(names) == 5
    for name in names:
        make, inputs = GRAPHS[name]
        others = 2 if name.startswith("residual") else 0  # mean and factor as [1, channels, 1, 1]
        assert layers(make, *inputs)["SHUFFLE"] == 2 + others, name  # one in, one out
    make, inputs = GRAPHS["conv2d nhwc, transposed to nchw"]
    assert layers(make, *inputs)["SHUFFLE"] == 1  # in; what comes out is what the convolution leaves


def test_what_is_held_transposed_is_right_for_every_kind_of_reader() -> None:
    x = f32(1, 3, 4, 3)

    def make(b: Any, t: Any) -> Any:
        y = conv(b, t)
        return (
            y,
            b.reshape(y, [12, 3]),
            b.add(y, b.constant(np.arange(3, dtype=np.float32))),
            b.mul(y, t),
            b.add(y, b.constant(np.arange(24, dtype=np.float32).reshape(2, 1, 3, 4, 1))),
            b.reduce_sum(y, axes=[3]),
            b.relu(b.transpose(y, permutation=[0, 3, 1, 2])),
            b.transpose(y, permutation=[3, 1, 0, 2]),
            b.pad(y, [0, 1, 0, 2], [0, 0, 3, 0], value=9),
            b.resample2d(y, scales=[2, 3], axes=[1, 2]),
            b.resample2d(y, scales=[2, 3], axes=[3, 0]),
            b.instance_normalization(y, scale=b.constant(np.arange(3, dtype=np.float32)), layout="nhwc"),
        )

    plain, flat, shifted, scaled, wide, total, turned, mixed, padded, larger, deeper, normal = run(make, x)
    expected = x @ np.ones((3, 3), np.float32) + 1
    np.testing.assert_allclose(plain, expected, rtol=1e-6)
    np.testing.assert_array_equal(flat, plain.reshape(12, 3))
    np.testing.assert_array_equal(shifted, plain + np.arange(3, dtype=np.float32))
    np.testing.assert_array_equal(scaled, plain * x)
    np.testing.assert_array_equal(wide, plain + np.arange(24, dtype=np.float32).reshape(2, 1, 3, 4, 1))
    np.testing.assert_allclose(total, plain.sum(3), rtol=1e-6)
    np.testing.assert_array_equal(turned, np.maximum(plain.transpose(0, 3, 1, 2), 0))
    np.testing.assert_array_equal(mixed, plain.transpose(3, 1, 0, 2))
    np.testing.assert_array_equal(padded, np.pad(plain, [(0, 0), (1, 0), (0, 3), (2, 0)], constant_values=9))
    np.testing.assert_array_equal(larger, plain.repeat(2, axis=1).repeat(3, axis=2))
    np.testing.assert_array_equal(deeper, plain.repeat(2, axis=3).repeat(3, axis=0))
    centred = plain - plain.mean((1, 2), keepdims=True)
    deviation = np.sqrt((centred**2).mean((1, 2), keepdims=True) + 1e-5)
    np.testing.assert_allclose(normal, centred / deviation * np.arange(3), rtol=1e-4, atol=1e-5)


def test_one_cast_serves_all_orders_of_a_value() -> None:
    def make(b: Any, x: Any) -> Any:
        return b.add(b.transpose(x, permutation=[1, 0]), x), b.cast(x, "float32")

    assert layers(make, np.ones((2, 2), np.uint8))["CAST"] == 3  # to INT32, back at the output, to FLOAT


def test_a_computed_filter_in_another_layout_is_transposed() -> None:
    x, kernel = f32(1, 3, 4, 3), f32(2, 1, 1, 3)
    result = run(lambda b, t, f: b.conv2d(t, b.neg(f), **NHWC), x, kernel)
    np.testing.assert_allclose(result, -x @ kernel.reshape(2, 3).T, rtol=1e-5, atol=1e-6)


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(counted(), indent=1) + "\n")
