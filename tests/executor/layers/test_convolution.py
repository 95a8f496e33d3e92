"""IConvolutionLayer, against sums written out as loops."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.executor.build import TYPES, run, same
from trtx_backend.trt import trt


def by_loops(x: Any, kernel: Any, bias: Any, stride: Any, dilation: Any, before: Any, after: Any, groups: int) -> Any:
    """Integers small enough for exact float32 and float16."""
    x = np.pad(x, ((0, 0), (0, 0), (before[0], after[0]), (before[1], after[1])))
    maps, per_group = kernel.shape[0], kernel.shape[1]
    size = [(x.shape[2 + i] - (kernel.shape[2 + i] - 1) * dilation[i] - 1) // stride[i] + 1 for i in range(2)]
    result = np.zeros((x.shape[0], maps, *size), np.float32)
    for n, k, i, j in product(*map(range, result.shape)):
        group = k // (maps // groups)
        for c, p, q in product(range(per_group), range(kernel.shape[2]), range(kernel.shape[3])):
            value = x[n, group * per_group + c, i * stride[0] + p * dilation[0], j * stride[1] + q * dilation[1]]
            result[n, k, i, j] += value * kernel[k, c, p, q]
        result[n, k, i, j] += bias[k]
    return result


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("own", [True, False], ids=["own weights", "weights as inputs"])
@pytest.mark.parametrize(
    ("stride", "dilation", "before", "after"),
    [((1, 1), (1, 1), (0, 0), (0, 0)), ((2, 1), (1, 2), (1, 0), (0, 2)), ((1, 3), (2, 1), (2, 2), (1, 1))],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_convolution(groups: int, own: bool, stride: Any, dilation: Any, before: Any, after: Any, dtype: Any) -> None:
    random = np.random.default_rng(0)
    x = random.integers(-4, 5, (2, 4, 6, 7)).astype(dtype)
    kernel = random.integers(-4, 5, (6, 4 // groups, 2, 3)).astype(dtype)
    bias = random.integers(-4, 5, 6).astype(dtype)

    def make(n: Any, t: Any) -> Any:
        none = trt.Weights(TYPES[np.dtype(dtype)])
        layer = n.add_convolution_nd(t, 6, (2, 3), *((kernel, bias) if own else (none, none)))
        layer.stride_nd, layer.dilation_nd, layer.num_groups = stride, dilation, groups
        layer.pre_padding, layer.post_padding = before, after
        if not own:
            layer.set_input(1, n.add_constant(kernel.shape, kernel).get_output(0))
            layer.set_input(2, n.add_constant(bias.shape, bias).get_output(0))
        return layer

    expected = by_loops(x, kernel, bias, stride, dilation, before, after, groups).astype(dtype)
    same(run(make, x) + dtype(0), expected + dtype(0))


@pytest.mark.parametrize(("mode", "expected"), [("SAME_UPPER", [3, 5, 3]), ("SAME_LOWER", [1, 3, 5])])
def test_padding_that_the_mode_chooses(mode: str, expected: list[float]) -> None:
    def make(n: Any, t: Any) -> Any:
        layer = n.add_convolution_nd(t, 1, (1, 2), np.ones((1, 1, 1, 2), np.float32))
        layer.padding_mode = getattr(trt.PaddingMode, mode)
        return layer

    same(run(make, np.array([[[[1, 2, 3]]]], np.float32)), np.array([[[expected]]], np.float32))


def test_windows_rounded_up_reach_beyond_the_input() -> None:
    def make(n: Any, t: Any) -> Any:
        layer = n.add_convolution_nd(t, 1, (1, 2), np.array([[[[1, 10]]]], np.float32))
        layer.stride_nd, layer.pre_padding = (1, 2), (0, 1)
        layer.padding_mode = trt.PaddingMode.EXPLICIT_ROUND_UP
        return layer

    same(run(make, np.array([[[[1, 2, 3, 4]]]], np.float32)), np.array([[[[10, 32, 4]]]], np.float32))
