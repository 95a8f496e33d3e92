"""Layers and modes that the lowering does not use, and that no ONNX test reaches: values by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.executor.build import run, same, with_
from trtx_backend.trt import flavor, trt

pytestmark = pytest.mark.skipif(flavor.name == "mock", reason="the mock has the lowering's layers only")

INF = math.inf


def f32(values: Any) -> Any:
    return np.array(values, np.float32)


def constant(n: Any, values: Any) -> Any:
    array = np.array(values)
    return n.add_constant(array.shape, trt.Weights(np.ascontiguousarray(array).reshape(-1))).get_output(0)


def test_dequantize_from_int8() -> None:
    """TensorRT refuses uint8 here."""
    x = np.array([-128, 0, 3], np.int8)
    same(run(lambda n, t, s: n.add_dequantize(t, s, trt.float32), x, f32(0.5)), f32([-64, 0, 1.5]))


def test_dequantize_by_axis() -> None:
    x, scale = np.array([[1, 2], [3, 4]], np.int8), f32([0.5, 2])
    for axis, expected in ((0, [[0.5, 1], [6, 8]]), (1, [[0.5, 4], [1.5, 8]])):
        same(run(lambda n, t, s, a=axis: with_(n.add_dequantize(t, s, trt.float32), axis=a), x, scale), f32(expected))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_dequantize_to_either_float(dtype: Any) -> None:
    result = run(lambda n, t, s: n.add_dequantize(t, s, {np.float32: trt.float32, np.float16: trt.float16}[dtype]),
                 np.array([-3, 5], np.int8), np.array(0.25, dtype))  # fmt: skip
    same(result, np.array([-0.75, 1.25], dtype))


def test_int4_holds_two_elements_a_byte_the_low_one_first() -> None:
    data = np.array([0x21, 0x8F], np.uint8)  # 1, 2, -1, -8

    def make(n: Any) -> Any:
        weights = trt.Weights(trt.int4, data.ctypes.data, 4)
        four = n.add_constant((2, 2), weights).get_output(0)
        return n.add_dequantize(four, constant(n, f32(0.5)), trt.float32)

    same(run(make), f32([[0.5, 1], [-0.5, -4]]))


def test_quantize_rounds_half_to_even_and_clamps() -> None:
    x = f32([0.25, 0.75, 1.25, -0.25, 1000, -1000, 3])
    expected = np.array([0, 2, 2, 0, 127, -128, 6], np.int8)
    same(run(lambda n, t, s: n.add_quantize(t, s, trt.int8), x, f32(0.5)), expected)


def test_quantize_by_axis() -> None:
    x = f32([[1, 2], [3, 4]])
    result = run(lambda n, t, s: with_(n.add_quantize(t, s, trt.int8), axis=0), x, f32([0.5, 2]))
    same(result, np.array([[2, 4], [2, 2]], np.int8))


def normalized(x: Any, axes: int, scale: Any, bias: Any, v2: bool = True, **properties: Any) -> Any:
    def make(n: Any, *tensors: Any) -> Any:
        add = n.add_normalization_v2 if v2 else n.add_normalization
        return with_(add(*tensors, axes), epsilon=0.0, **properties)

    return run(make, x, scale, bias)


def test_normalization_over_the_last_axis_and_over_others() -> None:
    x = f32([[[[1, 3], [5, 9]]]])
    one, none = np.ones((1, 1, 1, 1), np.float32), np.zeros((1, 1, 1, 1), np.float32)
    same(normalized(x, 8, 2 * one, one), f32([[[[-1, 3], [-1, 3]]]]))
    same(normalized(x, 4, one, none), f32([[[[-1, -1], [1, 1]]]]))
    # over both: mean 4.5, variance (3.5^2 + 1.5^2 + 0.5^2 + 4.5^2) / 4 = 8.75
    expected = f32([[[[-3.5, -1.5], [0.5, 4.5]]]]) / math.sqrt(8.75)
    np.testing.assert_allclose(normalized(x, 12, one, none), expected, rtol=1e-6)


def test_normalization_of_groups_of_channels() -> None:
    x = f32([1, 3, 10, 30]).reshape(1, 4, 1, 1)
    scale, bias = f32([1, 2, 3, 4]).reshape(1, 4, 1, 1), f32([0, 0, 0, 1]).reshape(1, 4, 1, 1)
    result = normalized(x, 12, scale, bias, num_groups=2)
    same(result.reshape(-1), f32([-1, 2, -3, 5]))


def test_padding_adds_zeros_and_cuts_off() -> None:
    x = f32([[[[1, 2], [3, 4]]]])
    same(run(lambda n, t: n.add_padding_nd(t, (1, 0), (0, 1)), x), f32([[[[0, 0, 0], [1, 2, 0], [3, 4, 0]]]]))
    same(run(lambda n, t: n.add_padding_nd(t, (-1, 0), (0, -1)), x), f32([[[[3]]]]))


def test_gather_with_batch_dimensions() -> None:
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    i = np.array([[2], [0]], np.int32)
    same(
        run(lambda n, a, b: with_(n.add_gather(a, b, 1), num_elementwise_dims=1), x, i), np.array([[2], [3]], np.int32)
    )
    nd = run(
        lambda n, a, b: with_(n.add_gather_v2(a, b, trt.GatherMode.ND), num_elementwise_dims=1),
        x,
        np.array([[2], [0]], np.int32),
    )
    same(nd, np.array([2, 3], np.int32))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64, np.int8, np.bool_])
def test_slice_along_some_axes(dtype: Any) -> None:
    x = np.array([[0, 1, 0], [1, 1, 0]], dtype)

    def make(n: Any, t: Any) -> Any:
        return with_(n.add_slice(t, (2,), (2,), (-1,)), axes=(1,))

    same(run(make, x), x[:, 2:0:-1])


def test_slice_whose_window_is_computed() -> None:
    x = f32([[1, 2, 3], [4, 5, 6]])

    def make(n: Any, t: Any) -> Any:
        parts = {1: constant(n, [0, 1]), 2: constant(n, [2, 2]), 3: constant(n, [1, 1])}
        return with_(n.add_slice(t, (), (), ()), parts)

    same(run(make, x), f32([[2, 3], [5, 6]]))


def test_reshape_to_a_computed_shape() -> None:
    x = f32([[1, 2, 3], [4, 5, 6]])
    result = run(lambda n, t: with_(n.add_shuffle(t), {1: constant(n, [3, -1])}), x)
    same(result, x.reshape(3, 2))


CORNERS = {"coordinate_transformation": trt.ResizeCoordinateTransformation.ALIGN_CORNERS}
ASYMMETRIC = {"coordinate_transformation": trt.ResizeCoordinateTransformation.ASYMMETRIC}
CUBIC = {"resize_mode": trt.InterpolationMode.CUBIC}


def resized(x: Any, size: int, **properties: Any) -> Any:
    row = f32(x).reshape(1, 1, 1, -1)
    return run(lambda n, t: with_(n.add_resize(t), shape=(1, 1, 1, size), **properties), row)[0, 0, 0].tolist()


def test_cubic_resize() -> None:
    # halfway the weights with a = -0.75 are -0.09375, 0.59375, 0.59375, -0.09375
    bump = [0, 0, 32, 0, 0, 0, 0]
    assert resized(bump, 13, **CUBIC, **CORNERS) == [0, -3, 0, 19, 32, 19, 0, -3, 0, 0, 0, 0, 0]
    # with a = -0.5 they are -1/16, 9/16, 9/16, -1/16
    assert resized(bump, 13, **CUBIC, **CORNERS, cubic_coeff=-0.5) == [0, -2, 0, 18, 32, 18, 0, -2, 0, 0, 0, 0, 0]
    # at the edge the last element counts twice, or is left out: (0.59375 a + 0.59375 b - 0.09375 c) / 1.09375
    edge = [35, 0, 0, 0]
    assert resized(edge, 8, **CUBIC, **ASYMMETRIC) == [35, 17.5, 0, -3.28125, 0, 0, 0, 0]
    assert resized(edge, 8, **CUBIC, **ASYMMETRIC, exclude_outside=True) == [35, 19, 0, -3.28125, 0, 0, 0, 0]


def test_a_single_pixel_may_be_the_first() -> None:
    half = {"resize_mode": trt.InterpolationMode.NEAREST,
            "coordinate_transformation": trt.ResizeCoordinateTransformation.HALF_PIXEL}  # fmt: skip
    assert resized([1, 2, 3, 4, 5], 1, **half) == [3]
    assert resized([1, 2, 3, 4, 5], 1, **half, selector_for_single_pixel=trt.ResizeSelector.UPPER) == [1]


@pytest.mark.parametrize(
    ("mode", "numbers", "expected"),
    [
        ("UNIFORM", ([1], [2], [2]), [[[9, 25]], [[49, 81]]]),
        ("CHANNEL", ([1, 0], [2, 1], [2, 1]), [[[9, 25]], [[3, 4]]]),
        ("ELEMENTWISE", ([1, 0, 0, 0], [2, 1, 1, 3], [1, 1, 2, 1]), [[[3, 2]], [[9, 12]]]),
    ],
)
def test_scale(mode: str, numbers: Any, expected: Any) -> None:
    x = f32([1, 2, 3, 4]).reshape(1, 2, 1, 2)
    shift, factor, power = (f32(values) for values in numbers)
    same(run(lambda n, t: n.add_scale(t, getattr(trt.ScaleMode, mode), shift, factor, power), x), f32([expected]))


GRID = f32([[[[-2, 0], [-1, 0], [0, 0], [1.5, 0]]]])  # x, y


@pytest.mark.parametrize(
    ("mode", "aligned", "expected"),
    [
        # [10, 20, 30]; aligned: places -1, 0, 1, 2.5; else -2, -0.5, 1, 3.25 (width 3)
        ("FILL", True, [0, 10, 20, 15]),
        ("CLAMP", True, [10, 10, 20, 30]),
        ("REFLECT", True, [20, 10, 20, 25]),
        ("FILL", False, [0, 5, 20, 0]),
        ("CLAMP", False, [10, 10, 20, 30]),
        ("REFLECT", False, [20, 10, 20, 27.5]),
    ],
)
def test_grid_sample_linear(mode: str, aligned: bool, expected: list[float]) -> None:
    properties = {"sample_mode": getattr(trt.SampleMode, mode), "align_corners": aligned,
                  "interpolation_mode": trt.InterpolationMode.LINEAR}  # fmt: skip
    x = f32([10, 20, 30]).reshape(1, 1, 1, 3)
    same(run(lambda n, t, g: with_(n.add_grid_sample(t, g), **properties), x, GRID), f32([[[expected]]]))


@pytest.mark.parametrize("condition", [True, False])
def test_a_condition_chooses_a_branch(condition: bool) -> None:
    def make(n: Any, c: Any, x: Any) -> Any:
        choice = n.add_if_conditional()
        choice.set_condition(c)
        inside = choice.add_input(x).get_output(0)
        doubled = n.add_elementwise(inside, inside, trt.ElementWiseOperation.SUM).get_output(0)
        negated = n.add_unary(inside, trt.UnaryOperation.NEG).get_output(0)
        return choice.add_output(doubled, negated)

    same(run(make, np.array(condition), f32([1, 2])), f32([2, 4] if condition else [-1, -2]))


def test_a_loop_in_a_loop() -> None:
    """Three times: twice add the outer total to the inner one, that begins at the outer total: total *= 3."""

    def make(n: Any, x: Any) -> Any:
        sum_ = trt.ElementWiseOperation.SUM
        outer, inner = n.add_loop(), n.add_loop()
        outer.add_trip_limit(constant(n, np.int32(3)), trt.TripLimit.COUNT)
        inner.add_trip_limit(constant(n, np.int32(2)), trt.TripLimit.COUNT)
        total = outer.add_recurrence(x)
        part = inner.add_recurrence(total.get_output(0))
        part.set_input(1, n.add_elementwise(part.get_output(0), total.get_output(0), sum_).get_output(0))
        total.set_input(1, inner.add_loop_output(part.get_output(0), trt.LoopOutput.LAST_VALUE).get_output(0))
        return outer.add_loop_output(total.get_output(0), trt.LoopOutput.LAST_VALUE)

    same(run(make, f32([1, 2])), f32([27, 54]))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64])
def test_squeeze_unsqueeze_shape_and_one_hot(dtype: Any) -> None:
    x = np.array([[[1, 2, 3]]], dtype)
    same(run(lambda n, t: n.add_squeeze(t, constant(n, np.array([1], np.int32))), x), x[:, 0])
    same(run(lambda n, t: n.add_unsqueeze(t, constant(n, np.array([0, 3], np.int32))), x), x.reshape(1, 1, 1, 1, 3))
    same(run(lambda n, t: n.add_shape(t), x), np.array([1, 1, 3], np.int64))

    def make(n: Any, i: Any, v: Any) -> Any:
        return n.add_one_hot(i, v, constant(n, np.int32(3)), 1)

    hot = run(make, np.array([2, -3], np.int32), np.array([0, 7], dtype))
    same(hot, np.array([[0, 0, 7], [7, 0, 0]], dtype))


def test_linspace_of_two_dimensions() -> None:
    def make(n: Any) -> Any:
        inputs = {1: constant(n, f32(1)), 2: constant(n, f32([10, 0.5]))}
        return with_(n.add_fill((2, 3), trt.FillOperation.LINSPACE, trt.float32), inputs)

    same(run(make), f32([[1, 1.5, 2], [11, 11.5, 12]]))


def test_non_zero_gives_coordinates() -> None:
    x = f32([[0, 5], [7, 0]])
    same(run(lambda n, t: n.add_non_zero(t, trt.int64), x), np.array([[0, 1], [1, 0]], np.int64))


def test_reverse_sequence_of_the_first_elements() -> None:
    x = f32([[1, 2, 3], [4, 5, 6]])

    def make(n: Any, t: Any, lengths: Any) -> Any:
        return with_(n.add_reverse_sequence(t, lengths), batch_axis=0, sequence_axis=1)

    same(run(make, x, np.array([2, 3], np.int32)), f32([[2, 1, 3], [6, 5, 4]]))


def test_attention_divides_by_nothing_and_masks() -> None:
    q, k, v = f32([[[[math.log(2), 0]]]]), f32([[[[1, 0], [0, 0]]]]), f32([[[[3, 0], [0, 6]]]])

    def make(n: Any, *tensors: Any, **properties: Any) -> Any:
        attention = n.add_attention(*tensors[:3], trt.AttentionNormalizationOp.SOFTMAX, False)
        if len(tensors) > 3:
            attention.mask = tensors[3]
        return attention.get_output(0)

    np.testing.assert_allclose(run(make, q, k, v), [[[[2, 2]]]], rtol=1e-6)  # weights 2/3 and 1/3
    same(run(make, q, k, v, np.array([[[[False, True]]]])), f32([[[[0, 6]]]]))


def nms(boxes: Any, threshold: float | None = None, **properties: Any) -> Any:
    """Up to nine boxes, as `boxes` says that they are written."""

    def make(n: Any, b: Any, s: Any) -> Any:
        inputs = {} if threshold is None else {3: constant(n, f32(threshold))}
        return with_(n.add_nms(b, s, constant(n, np.int32(9))), inputs, bounding_box_format=boxes, **properties)

    return make


def test_nms_drops_what_overlaps() -> None:
    boxes = f32([[[0, 0, 2, 2], [0, 0, 2, 1.5], [5, 5, 6, 6]]])
    scores = f32([[[0.5], [0.9], [0.6]]])

    same(run(nms(trt.BoundingBoxFormat.CORNER_PAIRS, 0.5), boxes, scores), np.array([[0, 0, 1], [0, 0, 2]], np.int32))


def test_nms_of_boxes_by_centre_and_size() -> None:
    """The first two share three quarters; read as corners these would be two fifths."""
    boxes = f32([[[1, 1, 2, 2], [1, 0.75, 2, 1.5], [5.5, 5.5, 1, 1]]])
    scores = f32([[[0.5], [0.9], [0.6]]])

    same(run(nms(trt.BoundingBoxFormat.CENTER_SIZES, 0.5), boxes, scores), np.array([[0, 0, 1], [0, 0, 2]], np.int32))


def test_nms_looks_at_the_best_boxes_only() -> None:
    boxes = f32([[[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 5, 5]]])
    scores = f32([[[0.5], [0.9], [0.6]]])

    same(
        run(nms(trt.BoundingBoxFormat.CORNER_PAIRS, topk_box_limit=2), boxes, scores),
        np.array([[0, 0, 1], [0, 0, 2]], np.int32),
    )


def test_rotary_embedding_turns_pairs() -> None:
    x = f32([1, 2, 3, 4]).reshape(1, 1, 1, 4)
    cos, sin = f32([0, 1]).reshape(1, 1, 2), f32([1, 0]).reshape(1, 1, 2)
    for interleaved, expected in ((False, [-3, 2, 1, 4]), (True, [-2, 1, 3, 4])):
        result = run(lambda n, *t, i=interleaved: n.add_rotary_embedding(*t, i, 0), x, cos, sin)
        same(result.reshape(-1), f32(expected))


def test_lrn_over_three_channels() -> None:
    x = f32([1, 2, 3]).reshape(1, 3, 1, 1)
    expected = f32([1 / (1 + 5), 2 / (1 + 14), 3 / (1 + 13)]).reshape(x.shape)
    np.testing.assert_allclose(run(lambda n, t: n.add_lrn(t, 3, 3.0, 1.0, 1.0), x), expected, rtol=1e-6)


def test_einsum() -> None:
    a, b = f32([[1, 2], [3, 4]]), f32([5, 6])
    same(run(lambda n, x, y: n.add_einsum([x, y], "ij,j->i"), a, b), f32([17, 39]))


@pytest.mark.parametrize(
    ("dtype", "x", "expected"),
    [
        # 1 + 2^-8 lies between 1 and 1 + 2^-7: to even; 3e38 stays
        ("BF16", [1 + 2**-8, 1 + 3 * 2**-8, 3.4e38], [1, 1 + 2**-6, INF]),
        ("FP8", [17, 19, 1000, 2**-10, 3 * 2**-10], [16, 20, 448, 0, 2**-8]),
    ],
)
def test_casts_to_narrow_floats_round_to_even(dtype: str, x: Any, expected: Any) -> None:
    def make(n: Any, t: Any) -> Any:
        narrow = n.add_cast(t, getattr(trt.DataType, dtype)).get_output(0)
        return n.add_cast(narrow, trt.float32)

    same(run(make, f32(x)), f32(expected))
