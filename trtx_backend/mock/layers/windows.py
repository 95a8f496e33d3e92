"""Layers of windows over the last dimensions: convolution, deconvolution, pooling; and resize."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from trtx_backend.mock.adding import Adding, checked
from trtx_backend.mock.core import ILayer, Parameter, Refused
from trtx_backend.mock.enums import (
    Enumeration,
    InterpolationMode,
    LayerType,
    PaddingMode,
    PoolingType,
    ResizeCoordinateTransformation,
    ResizeRoundMode,
    ResizeSelector,
)
from trtx_backend.mock.rules import NO_FLOAT, at_least, forbid, integer, member, number, same_types, truth
from trtx_backend.mock.weights import Dims, as_weights, dims

Results = Sequence[tuple[Enumeration, Sequence[int]]]
Mode = PaddingMode


def from_value(least: int) -> Callable[[Any], str | None]:
    """A check that no size is less."""
    return lambda sizes: f"it is from {least}" if min(sizes, default=least) < least else None


def positive(value: int) -> str | None:
    return None if value > 0 else "it is from 1"


class _Windows(ILayer):
    """What the three layers share. Padding, strides and dilations are 0, 1 and 1 until they are set."""

    padding_mode = Parameter(member(PaddingMode), Mode.EXPLICIT_ROUND_DOWN)

    def _per_axis(self, name: str, default: int, rank: int) -> Sequence[int]:
        value = self._state.values.get(name, (default,) * rank)
        if len(value) != rank:
            raise Refused(f"{name} {list(value)} must have {rank} places")
        return tuple(value)

    @property
    def _same(self) -> bool:
        return self.padding_mode in (Mode.SAME_UPPER, Mode.SAME_LOWER)

    def _padding(self, rank: int) -> tuple[Sequence[int], Sequence[int]]:
        return self._per_axis("pre_padding", 0, rank), self._per_axis("post_padding", 0, rank)

    def _windows(self, sizes: Sequence[int], window: Sequence[int], dilations: Sequence[int], least: int) -> list[int]:
        """How many windows each dimension has: not fewer than `least`."""
        rank = len(window)
        result = []
        for n, k, d, s, b, a in zip(
            sizes, window, dilations, self._per_axis("stride_nd", 1, rank), *self._padding(rank), strict=True
        ):
            room = n + b + a - (k - 1) * d - 1
            steps = room // s if self.padding_mode is Mode.EXPLICIT_ROUND_DOWN else -(-room // s)
            result.append(-(-n // s) if self._same else steps + 1)
            if result[-1] < least:
                raise Refused(f"a window of {(k - 1) * d + 1} does not fit in {n} elements and {b} + {a} of padding")
        return result


def _properties(*names: str) -> tuple[Parameter, ...]:
    least = {"stride_nd": 1, "dilation_nd": 1, "pre_padding": 0, "post_padding": 0}
    return tuple(Parameter(dims, check=from_value(least[name])) for name in names)


class _Defaulting(Parameter):
    """A size for each dimension of the window, the same one until it is set."""

    def __get__(self, layer: ILayer | None, owner: type) -> Any:
        if layer is None:
            return self
        window = layer._state.values.get("kernel_size_nd") or layer._state.values.get("window_size_nd")
        return layer._state.values.get(self.name, Dims((self.default,) * len(window or ())))


def _size(default: int) -> _Defaulting:
    return _Defaulting(dims, default, from_value(default))


class _Convolving(_Windows):
    """Kernel and bias are inputs 1 and 2, or the layer's own weights."""

    most_inputs = 3
    needs_kernel = True
    maps_axis = 0
    """Which dimension of the kernel has the maps."""
    num_output_maps = Parameter(integer, check=positive)
    kernel_size_nd = Parameter(dims, check=from_value(1))
    stride_nd, dilation_nd = _size(1), _size(1)
    pre_padding, post_padding = _size(0), _size(0)
    num_groups = Parameter(integer, 1, positive)
    held_kernel, held_bias = Parameter(as_weights), Parameter(as_weights)

    @property
    def kernel(self) -> Any:
        return self._state.values["held_kernel"].numpy()

    @property
    def bias(self) -> Any:
        return self._state.values["held_bias"].numpy()

    def _kernel_shape(self, channels: int) -> Sequence[int]:
        raise NotImplementedError

    def _spatial(self, sizes: Sequence[int]) -> list[int]:
        raise NotImplementedError

    def infer(self) -> Results:
        dtype, shape = self._facts()
        forbid(dtype, NO_FLOAT)
        rank = len(self.kernel_size_nd)
        at_least(rank + 2, shape)
        channels, groups, maps = shape[-rank - 1], self.num_groups, self.num_output_maps
        if channels % groups or maps % groups:
            raise Refused(f"{channels} channels and {maps} maps must be multiples of {groups} groups")
        self._check_kernel(self._kernel_shape(channels))
        self._check_bias(maps)
        return [(dtype, [*shape[: -rank - 1], maps, *self._spatial(shape[-rank:])])]

    def _check_kernel(self, shape: Sequence[int]) -> None:
        """Of a kernel that is an input, how many channels it has is the compiler's question."""
        count, given = self.held_kernel.size, self.get_input(1)
        if given is None:
            if count != prod(shape) and (count or self.needs_kernel):
                raise Refused(f"the kernel has {count} weights: must be {prod(shape)} for {list(shape)}")
            return
        same_types(self._facts(0), self._facts(1))
        sizes, maps = self._facts(1)[1], self.maps_axis
        if len(sizes) != len(shape) or tuple(sizes[2:]) != tuple(shape[2:]) or sizes[maps] != shape[maps]:
            raise Refused(f"the kernel is {list(sizes)}: must be {list(shape)}")

    def _check_bias(self, maps: int) -> None:
        if self.get_input(2) is None:
            if self.held_bias.size not in (0, maps):
                raise Refused(f"the bias has {self.held_bias.size} weights: must be {maps}")
            return
        same_types(self._facts(0), self._facts(2))
        sizes = tuple(self._facts(2)[1])
        if sizes not in ((maps,), (1, maps, *(1,) * len(self.kernel_size_nd))):
            raise Refused(f"the bias is {list(sizes)}: must be {[maps]}")


class IConvolutionLayer(_Convolving):
    layer_type, title = LayerType.CONVOLUTION, "Convolution"

    def _kernel_shape(self, channels: int) -> Sequence[int]:
        return self.num_output_maps, channels // self.num_groups, *self.kernel_size_nd

    def _spatial(self, sizes: Sequence[int]) -> list[int]:
        return self._windows(sizes, self.kernel_size_nd, self._per_axis("dilation_nd", 1, len(sizes)), 1)


class IDeconvolutionLayer(_Convolving):
    layer_type, title = LayerType.DECONVOLUTION, "Deconvolution"
    needs_kernel = False
    maps_axis = 1

    def _kernel_shape(self, channels: int) -> Sequence[int]:
        return channels, self.num_output_maps // self.num_groups, *self.kernel_size_nd

    def _spatial(self, sizes: Sequence[int]) -> list[int]:
        rank, result = len(sizes), []
        rows = self._per_axis("stride_nd", 1, rank), self._per_axis("dilation_nd", 1, rank), *self._padding(rank)
        for n, k, s, d, b, a in zip(sizes, self.kernel_size_nd, *rows, strict=True):
            size = (n - 1) * s + (k - 1) * d + 1 - (0 if self._same else b + a)
            if size < 0:
                raise Refused(f"padding {b} + {a} is more than there is")
            result.append(size)
        return result


class IPoolingLayer(_Windows):
    layer_type, title = LayerType.POOLING, "Pooling"
    type = Parameter(member(PoolingType))
    window_size_nd = Parameter(dims, check=from_value(1))
    stride_nd = _size(1)
    pre_padding, post_padding = _size(0), _size(0)
    average_count_excludes_padding = Parameter(truth, True)
    blend_factor = Parameter(number, 0.0)

    def infer(self) -> Results:
        dtype, shape = self._facts()
        forbid(dtype, NO_FLOAT)
        rank = len(self.window_size_nd)
        at_least(rank + 2, shape)
        excludes = self.type is PoolingType.AVERAGE and self.average_count_excludes_padding
        for padding in self._padding(rank) if excludes else ():
            if any(size >= window for size, window in zip(padding, self.window_size_nd, strict=True)):
                raise Refused(f"a window of {list(self.window_size_nd)} in {list(padding)} of padding counts nothing")
        return [(dtype, [*shape[:-rank], *self._windows(shape[-rank:], self.window_size_nd, (1,) * rank, 0)])]


class _Replacing(Parameter):
    """A property that takes the place of another."""

    def __init__(self, other: str, convert: Callable[[Any], Any], default: Any) -> None:
        super().__init__(convert, default)
        self.other = other

    def __set__(self, layer: ILayer, value: Any) -> None:
        super().__set__(layer, value)
        layer._state.values.pop(self.other, None)

    def __get__(self, layer: ILayer | None, owner: type) -> Any:
        if layer is not None and self.name == "shape" and not {"shape", "scales"} & set(layer._state.values):
            return layer._facts()[1]
        return super().__get__(layer, owner)


class IResizeLayer(ILayer):
    """With neither shape nor scales the size stays."""

    layer_type, title = LayerType.RESIZE, "Resize"
    shape = _Replacing("scales", dims, None)
    scales = _Replacing("shape", lambda values: [number(value) for value in values], [])
    resize_mode = Parameter(member(InterpolationMode), InterpolationMode.NEAREST)
    coordinate_transformation = Parameter(
        member(ResizeCoordinateTransformation), ResizeCoordinateTransformation.ASYMMETRIC
    )
    selector_for_single_pixel = Parameter(member(ResizeSelector), ResizeSelector.FORMULA)
    nearest_rounding = Parameter(member(ResizeRoundMode), ResizeRoundMode.FLOOR)
    cubic_coeff = Parameter(number, -0.75)
    exclude_outside = Parameter(truth, False)

    def infer(self) -> Results:
        dtype, shape = self._facts()
        forbid(dtype, NO_FLOAT)
        at_least(1, shape)
        if self.shape is not None and min(self.shape, default=0) < 0:
            raise Refused(f"the shape {list(self.shape)} has a negative size")
        if "scales" not in self._state.values:
            return [(dtype, self.shape)]
        scales = [*self.scales, *[0.0] * len(shape)]  # one that is not given is 0
        return [(dtype, [int(size * scale) for size, scale in zip(shape, scales, strict=False)])]


def _plane(window: Any) -> str | None:
    return None if len(dims(window)) in (2, 3) else "a window has 2 or 3 dimensions"


class WindowLayers(Adding):
    def add_convolution_nd(
        self, input: Any, num_output_maps: Any, kernel_shape: Any, kernel: Any, bias: Any = None
    ) -> Any:
        return self._convolving(IConvolutionLayer, input, num_output_maps, kernel_shape, kernel, bias)

    def add_deconvolution_nd(
        self, input: Any, num_output_maps: Any, kernel_shape: Any, kernel: Any, bias: Any = None
    ) -> Any:
        return self._convolving(IDeconvolutionLayer, input, num_output_maps, kernel_shape, kernel, bias)

    def _convolving(self, cls: type[ILayer], input: Any, maps: Any, window: Any, kernel: Any, bias: Any) -> Any:
        held = as_weights(kernel)
        own = as_weights(bias) if bias is not None else type(held)(held.dtype)
        values = {"num_output_maps": maps, "kernel_size_nd": window, "held_kernel": held, "held_bias": own}
        return self._add(cls, [checked(input)], _plane(window), **values)

    def add_pooling_nd(self, input: Any, type: Any, window_size: Any) -> Any:
        return self._add(IPoolingLayer, [checked(input)], _plane(window_size), type=type, window_size_nd=window_size)

    def add_resize(self, input: Any) -> Any:
        return self._add(IResizeLayer, [checked(input)])
